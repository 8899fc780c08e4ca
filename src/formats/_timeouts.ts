import type { Prefix } from "../address/address.ts";
import type { Entry } from "./entry.ts";

/** A prefix for a firewall, and the seconds after which it is to be dropped; Infinity: never. */
export interface TimedPrefix {
  readonly prefix: Prefix;
  readonly timeout: number;
}

/**
 * The prefix of an entry with its timeout, counted from `now`. An entry without a timeout stays until the list is
 * loaded again: one that is listed although it has expired, or whose expiry is further away than `longest`, the
 * program's maximum.
 */
export function timed({ prefix, expiresAt = null }: Entry, now: number, longest: number): TimedPrefix {
  const seconds = expiresAt === null ? Infinity : Math.ceil((expiresAt - now) / 1000);
  return { prefix, timeout: seconds > 0 && seconds <= longest ? seconds : Infinity };
}

/** What follows a prefix: ` timeout 60`, with the unit of the program, or nothing. */
export function timeoutText(timeout: number, unit: "" | "s"): string {
  return timeout === Infinity ? "" : ` timeout ${timeout}${unit}`;
}
