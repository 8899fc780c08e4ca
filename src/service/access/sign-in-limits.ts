import { hash } from "node:crypto";
import { tooManyRequests } from "../service-error.ts";
import { MinuteCounts, originOf, type SteadyClock, type Taken } from "./rate-limits.ts";

const DIGEST_LENGTH = 12;

/**
 * Limits attempts at passwords and tokens, per minute. Each attempt counts once for its origin (a known device,
 * otherwise an address) before its body is read; unless it comes from a known device of the user, it also counts for
 * the name. So an attack on a name locks out only unknown devices.
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

  /** A known device, or a user with a session, by id. @throws ServiceError "too-many-requests" */
  takeKnown(id: string): void {
    rejectExceeded(this.known.take(id, this.#perMinute));
  }
}

function rejectExceeded({ isExceeded, retryAfter }: Taken): void {
  if (isExceeded) throw tooManyRequests("too many sign-in attempts", retryAfter);
}

/**
 * The digest of a name as it was typed. Other servers get it through the database, so it must not reveal the text,
 * which may be a password in the wrong field. Two names with the same digest are very unlikely.
 */
function digestOf(nameKey: string): string {
  return hash("sha256", nameKey, "hex").slice(0, DIGEST_LENGTH);
}
