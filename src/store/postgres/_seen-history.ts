import type { HistoryMark } from "../saved-rules.ts";

/**
 * Changes that this server has, by their numbers, with the ids of their transactions: a database that was restored from
 * a backup while the server runs no longer has one of them, or has another one under its number. The last one that was
 * found in the database stands for all before it; those that the server has written since are looked for by each read.
 */
export class SeenHistory {
  readonly #seen = new Map<number, string>();

  /** A copy of all of them. */
  all(): ReadonlyMap<number, string> {
    return new Map(this.#seen);
  }

  /**
   * A number that is known keeps its first transaction: another one under it shows that the database was restored, and
   * the next read has to find that. Otherwise writes of this server that reach its last number would hide it.
   */
  add({ sequence, transaction }: Pick<HistoryMark, "sequence" | "transaction">): void {
    if (!this.#seen.has(sequence)) this.#seen.set(sequence, transaction);
  }

  /** Records that these changes, and `last`, were found in the database: the latest of them stands for all. */
  found(seen: ReadonlyMap<number, string>, last: HistoryMark | null): void {
    const latest = Math.max(last?.sequence ?? 0, ...seen.keys());
    for (const sequence of seen.keys()) if (sequence < latest) this.#seen.delete(sequence);
    if (last?.sequence === latest) this.add(last);
  }

  forget(): void {
    this.#seen.clear();
  }
}
