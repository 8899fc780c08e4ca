/**
 * An amount that all callers share: none may hold more than what is then still free. So one alone gets half of it, two
 * get a third each, and whoever comes next always finds some (dynamic thresholds: A. K. Choudhury and E. L. Hahne,
 * IEEE/ACM Transactions on Networking 6(2), 1998). O(1) each.
 */
export class FairShare {
  readonly #total: number;
  readonly #held = new Map<string, number>();
  #used = 0;

  constructor(total: number) {
    this.#total = total;
  }

  /** The most that one caller can ever hold. */
  get largest(): number {
    return this.#total / 2;
  }

  get used(): number {
    return this.#used;
  }

  /** Whether the caller may hold so much more, which it then does. */
  take(caller: string, amount: number): boolean {
    const held = this.#held.get(caller) ?? 0;
    if (held + amount > this.#total - this.#used - amount) return false;
    this.#held.set(caller, held + amount);
    this.#used += amount;
    return true;
  }

  /** Gives back what was taken. */
  give(caller: string, amount: number): void {
    const left = (this.#held.get(caller) ?? 0) - amount;
    if (left > 0) this.#held.set(caller, left);
    else this.#held.delete(caller);
    this.#used -= amount;
  }

  /**
   * Takes without asking: for what is there already. Whoever holds too much gets no more by `take` until it is given
   * back.
   */
  force(caller: string, amount: number): void {
    this.#held.set(caller, (this.#held.get(caller) ?? 0) + amount);
    this.#used += amount;
  }

  /** Whether the caller could take anything. */
  hasRoom(caller: string): boolean {
    return (this.#held.get(caller) ?? 0) < this.#total - this.#used;
  }
}
