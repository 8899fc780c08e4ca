import { FailureLimits } from "./rate-limits.ts";
import { tooMany } from "./problem.ts";

/** Tries at passwords and tokens, per minute: by the address they come from, and by the name they are for. */
export class SignInLimits {
  readonly #perMinute: number;
  readonly #addresses = new FailureLimits();
  readonly #names = new FailureLimits();

  constructor(perMinute: number) {
    this.#perMinute = perMinute;
  }

  /** Counts a try. @throws Problem (429) */
  take(address: string, name: string | undefined, now: number): void {
    const windows = [this.#addresses.take(address, now, this.#perMinute)];
    if (name !== undefined) windows.push(this.#names.take(`name ${name.normalize("NFKC").toLowerCase()}`, now, this.#perMinute));
    const exceeded = windows.find(({ isExceeded }) => isExceeded);
    if (exceeded !== undefined) throw tooMany("too many tries to sign in", exceeded.retryAfter);
  }
}
