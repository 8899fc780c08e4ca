import { quoted } from "../address/address-error.ts";

/** The invalid property of a rule or ruleset, by its name in the API. */
export type RuleField = "ip" | "name" | "description" | "expires_at" | "expires_in_days";

/** What is wrong with a value. */
export type RuleErrorCode =
  /** Not an address or prefix, or one with host bits set. */
  | "bad-prefix"
  /** A special-purpose address block, where these are rejected. */
  | "special-purpose"
  /** A value of another type than the field requires. */
  | "wrong-type"
  | "too-long"
  /** A character that begins a new line or is invisible, or an unpaired surrogate. */
  | "bad-character"
  /** Not a timestamp with a time zone, or a day that does not exist. */
  | "bad-timestamp"
  /** Before 1970 or after 9999, or a number of days that is not a whole number above 0. */
  | "out-of-range"
  /** An expiry given both as a time and as a number of days. */
  | "two-expiries";

/** A value that a rule or ruleset cannot have. The message quotes it and says how to fix it. */
export class RuleError extends Error {
  readonly code: RuleErrorCode;
  readonly field: RuleField;
  /** The value as it was passed. */
  readonly value: unknown;
  /** The offset of the first invalid character in a value that is a text, in UTF-16 code units from 0. */
  readonly position: number;
  /** What is wrong and how to fix it, without the value, which the message puts first. */
  readonly problem: string;

  constructor(code: RuleErrorCode, field: RuleField, value: unknown, position: number, problem: string) {
    super(`${typeof value === "string" ? quoted(value) : String(value)}: ${problem}`);
    this.name = "RuleError";
    this.code = code;
    this.field = field;
    this.value = value;
    this.position = position;
    this.problem = problem;
  }
}
