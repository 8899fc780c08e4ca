/** Who had a turn, so that organisations take turns, however many tasks each has. */
export class FairTurns {
  readonly #most: number;
  readonly #running = new Map<string, number>();
  /** In the order of their last turns, the earliest first; those that are not in it have had none. */
  readonly #had = new Set<string>();

  /** `most`: how many tasks of one organisation run at a time. */
  constructor(most: number) {
    this.#most = most;
  }

  /** The organisation whose turn it is, of those that wait; undefined if each of them has the most that it may have. */
  next(waiting: Iterable<string>): string | undefined {
    const able = new Set([...waiting].filter((each) => (this.#running.get(each) ?? 0) < this.#most));
    for (const each of able) if (!this.#had.has(each)) return each;
    return this.#had.values().find((each) => able.has(each));
  }

  begin(organisationId: string): void {
    this.#had.delete(organisationId);
    this.#had.add(organisationId);
    this.#running.set(organisationId, (this.#running.get(organisationId) ?? 0) + 1);
  }

  end(organisationId: string): void {
    const left = this.#running.get(organisationId)! - 1;
    if (left > 0) this.#running.set(organisationId, left);
    else this.#running.delete(organisationId);
  }
}
