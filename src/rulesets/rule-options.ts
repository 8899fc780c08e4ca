import { RuleError } from "./rule-error.ts";
import { checkExpiry, checkRuleName, expiryInDays } from "./validate-rule.ts";
import { CONFLICT_MODES, type ConflictMode, type RuleChanges } from "./write-rule.ts";

/** The fields of a rule to be written, besides its prefix. */
export interface RuleOptions {
  /** Up to 255 characters without control characters; null for none. */
  readonly name?: string | null | undefined;
  /** The first millisecond since 1970 at which it is no longer active; null: never. Not together with `expiresInDays`. */
  readonly expiresAt?: number | null | undefined;
  /** The expiry as a number of days from now: whole, and above 0. */
  readonly expiresInDays?: number | undefined;
}

/** How to add a rule. */
export interface AddOptions extends RuleOptions {
  /** What to do if there is already a rule for the prefix, expired or not; `extend` by default. */
  readonly mode?: ConflictMode | undefined;
}

/** The checked values of the options. @throws RuleError, TypeError for an unknown option */
export function readRuleOptions(options: RuleOptions, now: number): RuleChanges {
  const { name, expiresAt, expiresInDays, ...unknown } = options;
  checkNothingElse(unknown);
  if (expiresAt !== undefined && expiresInDays !== undefined)
    throw new RuleError("two-expiries", "expires_in_days", expiresInDays, 0, "give either expiresAt or expiresInDays");
  return {
    name: typeof name === "string" ? checkRuleName(name) : checkNoName(name),
    expiresAt:
      expiresInDays === undefined
        ? expiresAt === undefined
          ? undefined
          : checkExpiry(expiresAt)
        : expiryInDays(expiresInDays, now),
  };
}

/** @throws TypeError for what is not one of `CONFLICT_MODES` */
export function checkMode(mode: ConflictMode): ConflictMode {
  if (CONFLICT_MODES.includes(mode)) return mode;
  throw new TypeError(`the conflict mode must be one of ${CONFLICT_MODES.join(", ")}, not ${JSON.stringify(mode)}`);
}

/** For callers without types: the check rejects any other value. */
function checkNoName(name: null | undefined): null | undefined {
  return name === null || name === undefined ? name : (checkRuleName(name) as never);
}

/** A misspelt expiry option would otherwise give a rule that never expires. */
function checkNothingElse(unknown: object): void {
  const [first] = Object.keys(unknown);
  if (first !== undefined)
    throw new TypeError(`unknown option ${JSON.stringify(first)}; the options are name, expiresAt, expiresInDays`);
}
