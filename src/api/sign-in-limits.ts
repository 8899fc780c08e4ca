import { FailureLimits, type Taken } from "./rate-limits.ts";
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
    // A try that its address is refused for does not count for the name: nobody is locked out by who may not even try.
    refuseExceeded(this.#addresses.take(address, now, this.#perMinute));
    if (name !== undefined) refuseExceeded(this.#names.take(`name ${name.normalize("NFKC").toLowerCase()}`, now, this.#perMinute));
  }
}

function refuseExceeded({ isExceeded, retryAfter }: Taken): void {
  if (isExceeded) throw tooMany("too many tries to sign in", retryAfter);
}
