import { hash } from "node:crypto";
import { tooManyRequests } from "../service-error.ts";
import { MinuteCounts, originOf, type SteadyClock, type Taken } from "./rate-limits.ts";

const DIGEST_LENGTH = 12;

/**
 * Tries at passwords and tokens, per minute. Each counts once for whom it comes from, a known device or else an
 * address, before its body is read; and if it is from no known device of the user, for the name as well. So whoever
 * attacks a name locks out only those who are not known.
 */
export class SignInLimits {
  readonly #perMinute: number;
  readonly addresses: MinuteCounts;
  readonly names: MinuteCounts;
  readonly known: MinuteCounts;

  constructor(perMinute: number, steady: SteadyClock) {
    this.#perMinute = perMinute;
    this.addresses = new MinuteCounts(steady);
    this.names = new MinuteCounts(steady);
    this.known = new MinuteCounts(steady);
  }

  /** @throws ServiceError "too-many-requests" */
  takeAddress(address: string): void {
    rejectExceeded(this.addresses.take(originOf(address), this.#perMinute));
  }

  /** `nameKey`: as `keyOfName` makes it. @throws ServiceError "too-many-requests" */
  takeName(nameKey: string): void {
    rejectExceeded(this.names.take(digestOf(nameKey), this.#perMinute));
  }

  /** A device, or a user who has a session, by their id. @throws ServiceError "too-many-requests" */
  takeKnown(id: string): void {
    rejectExceeded(this.known.take(id, this.#perMinute));
  }
}

function rejectExceeded({ isExceeded, retryAfter }: Taken): void {
  if (isExceeded) throw tooManyRequests("too many sign-in attempts", retryAfter);
}

/**
 * Of a name as it was typed, which other servers are told, through the database: it may be a password in the wrong field.
 * Two names may have the same one, but hardly ever do.
 */
function digestOf(nameKey: string): string {
  return hash("sha256", nameKey, "hex").slice(0, DIGEST_LENGTH);
}
