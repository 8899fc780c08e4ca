import { quoted } from "../address/address-error.ts";

/** The member of a rule or ruleset that is at fault, under its name at the edge. */
export type RuleField = "ip" | "name" | "description" | "expires_at" | "expires_in_days";

/** What is wrong with a value. */
export type RuleErrorCode =
  /** No address and no prefix, or one with host bits set. */
  | "bad-prefix"
  /** An address block with a meaning of its own, where those are rejected. */
  | "special-purpose"
  /** Another type than the field has. */
  | "wrong-type"
  | "too-long"
  /** A character that would begin a new line, or has no form on paper, or half a character. */
  | "bad-character"
  /** No timestamp with a time zone, or a day that no calendar has. */
  | "bad-timestamp"
  /** Before 1970 or after 9999; a number of days that is no whole number above 0. */
  | "out-of-range"
  /** An expiry given both as a time and as a number of days. */
  | "two-expiries";

/** A value that a rule or ruleset cannot have. The message quotes it, and says what to do about it. */
export class RuleError extends Error {
  readonly code: RuleErrorCode;
  readonly field: RuleField;
  /** As given. */
  readonly value: unknown;
  /** The offset of the first character at fault in a value that is a text, in UTF-16 code units from 0. */
  readonly position: number;
  /** What is wrong and its cure, without the value, which the message puts before it. */
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
