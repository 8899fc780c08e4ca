/** Of what is told by line and comes in any order, the first ones, and how many there are. O(1) each, amortised. */
export class FirstLines<Told extends { readonly line: number }> {
  readonly #most: number;
  #lines: Told[] = [];
  /** Lines from this one on are known not to be among the first. */
  #end = Number.POSITIVE_INFINITY;
  count = 0;

  constructor(most: number) {
    this.#most = most;
  }

  add(told: Told): void {
    this.count++;
    if (told.line >= this.#end || this.#most === 0) return;
    if (this.#lines.push(told) < 2 * this.#most) return;
    this.#lines = this.inOrder();
    this.#end = this.#lines.at(-1)!.line;
  }

  inOrder(): Told[] {
    return this.#lines.toSorted((a, b) => a.line - b.line).slice(0, this.#most);
  }
}
