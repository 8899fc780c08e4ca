/**
 * An amount that all callers share: no caller may hold more than what remains free. So a single caller gets half of
 * it, two get a third each, and a new one always finds some (dynamic thresholds: A. K. Choudhury and E. L. Hahne,
 * IEEE/ACM Transactions on Networking 6(2), 1998). O(1) each.
 */
export class FairShare {
  readonly #total: number;
  readonly #held = new Map<string, number>();
  #used = 0;

  constructor(total: number) {
    this.#total = total;
  }

  /** The maximum that one caller can ever hold. */
  get largest(): number {
    return this.#total / 2;
  }

  get used(): number {
    return this.#used;
  }

  /** Takes the amount if the caller may hold that much more; returns whether it was taken. */
  take(caller: string, amount: number): boolean {
    const held = this.#held.get(caller) ?? 0;
    if (held + amount > this.#total - this.#used - amount) return false;
    this.#held.set(caller, held + amount);
    this.#used += amount;
    return true;
  }

  /** Returns what was taken. */
  give(caller: string, amount: number): void {
    const left = (this.#held.get(caller) ?? 0) - amount;
    if (left > 0) this.#held.set(caller, left);
    else this.#held.delete(caller);
    this.#used -= amount;
  }

  /**
   * Takes unconditionally, for memory that is already in use. A caller over its share gets nothing from `take` until it
   * has returned some.
   */
  force(caller: string, amount: number): void {
    this.#held.set(caller, (this.#held.get(caller) ?? 0) + amount);
    this.#used += amount;
  }

  /** Whether the caller could take anything. True if it holds less than `least`, whatever others hold. */
  hasRoom(caller: string, least = 0): boolean {
    return (this.#held.get(caller) ?? 0) < Math.max(least, this.#total - this.#used);
  }
}
