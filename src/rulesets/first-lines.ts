/** Keeps the first reports by line number, which may arrive in any order, and counts them all. O(1) each, amortised. */
export class FirstLines<Line extends { readonly line: number }> {
  readonly #most: number;
  #lines: Line[] = [];
  /** Lines from this one on are known not to be among the first. */
  #end = Number.POSITIVE_INFINITY;
  count = 0;

  constructor(most: number) {
    this.#most = most;
  }

  add(item: Line): void {
    this.count++;
    if (item.line >= this.#end || this.#most === 0) return;
    if (this.#lines.push(item) < 2 * this.#most) return;
    this.#lines = this.inOrder();
    this.#end = this.#lines.at(-1)!.line;
  }

  inOrder(): Line[] {
    return this.#lines.toSorted((a, b) => a.line - b.line).slice(0, this.#most);
  }
}
