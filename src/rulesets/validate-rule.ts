import { AddressError } from "../address/address-error.ts";
import { notAnAddress, type Prefix } from "../address/address.ts";
import {
  comparePrefixes,
  coversMapped,
  formatPrefix,
  parsePrefix,
  prefixContains,
  prefixOf,
  rejectMappedBlock,
} from "../address/prefix.ts";
import { specialPurpose } from "../address/special-purpose.ts";
import { RuleError } from "./rule-error.ts";
import { LAST_TIME } from "./timestamp.ts";

export const MAX_NAME_LENGTH = 255;
export const MAX_DESCRIPTION_LENGTH = 1000;
/** The maximum number of days: the expiry is before the year 10000 for every start until 2060. */
export const MAX_EXPIRY_DAYS = 2_900_000;

const DAY = 86_400_000;
/**
 * Characters that some program takes as a line break, or that are invisible: control characters, and the separators of
 * lines and paragraphs.
 */
export const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}]/u;
const HALF_CHARACTER = /\p{Cs}/u;

/** Which prefixes may be rules; by default none that touches a special-purpose block. */
export interface PrefixPolicy {
  /**
   * Whether a rule may touch the blocks of the IANA's special-purpose registries: private, loopback, documentation,
   * multicast and so on. A prefix that contains such a block touches it.
   */
  readonly allowSpecialPurpose?: boolean;
}

/**
 * The prefix of a rule. Host bits are an error that names the canonical prefix.
 * @throws RuleError "bad-prefix", "special-purpose", "wrong-type"
 */
export function parseRulePrefix(text: unknown, { allowSpecialPurpose = false }: PrefixPolicy = {}): Prefix {
  const prefix = parseExistingPrefix(text);
  checkPermitted(prefix, text as string, { allowSpecialPurpose });
  return prefix;
}

/** The prefix of an existing rule, which may be one that no new rule may have. Throws RuleError as `parseRulePrefix`. */
export function parseExistingPrefix(text: unknown): Prefix {
  return readPrefix(checkText("ip", text));
}

/** Checks a prefix that a text stands for. Throws RuleError "bad-prefix", "special-purpose". */
export function checkPermitted(prefix: Prefix, text: string, { allowSpecialPurpose = false }: PrefixPolicy): void {
  if (coversMapped(prefix)) readAs(text, () => rejectMappedBlock(prefix, text));
  if (!allowSpecialPurpose) checkPublic(prefix, text);
}

/**
 * Checks a parsed prefix as the prefix of a rule. Host bits are an error, as in a text. @throws RuleError "bad-prefix",
 * "special-purpose"; TypeError for a value that is neither an address nor a prefix
 */
export function checkRulePrefix(prefix: Prefix, { allowSpecialPurpose = false }: PrefixPolicy = {}): Prefix {
  const canonical = canonicalPrefix(prefix);
  if (!allowSpecialPurpose) checkPublic(canonical, formatPrefix(canonical));
  return canonical;
}

function canonicalPrefix(prefix: Prefix): Prefix {
  if (prefix?.family !== 4 && prefix?.family !== 6) throw notAnAddress(prefix);
  try {
    const canonical = prefixOf(prefix, prefix.length);
    if (comparePrefixes(canonical, prefix) === 0) return canonical;
    const problem = `host bits are set; did you mean ${formatPrefix(canonical)}?`;
    throw new RuleError("bad-prefix", "ip", formatPrefix(prefix), 0, problem);
  } catch (error) {
    if (!(error instanceof AddressError)) throw error;
    throw new RuleError("bad-prefix", "ip", error.value, error.position, error.problem);
  }
}

function checkPublic(prefix: Prefix, text: unknown): void {
  const special = specialPurpose(prefix);
  if (special === undefined) return;
  const relation = prefixContains(special.prefix, prefix) ? "is in" : "contains";
  const problem = `it ${relation} the special-purpose block ${formatPrefix(special.prefix)} (${special.name}, ${special.reference}), which is not permitted; rules can contain public addresses only, unless the ruleset or its server has --allow-special-purpose`;
  throw new RuleError("special-purpose", "ip", text, 0, problem);
}

function readPrefix(text: string): Prefix {
  return readAs(text, () => parsePrefix(text));
}

function readAs<Result>(text: string, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof AddressError)) throw error;
    throw new RuleError("bad-prefix", "ip", text, error.position, `at position ${error.position}: ${error.problem}`);
  }
}

/**
 * Checks a name: up to 255 characters, none of them a control character. @throws RuleError "too-long", "bad-character",
 * "wrong-type"
 */
export function checkRuleName(name: unknown): string {
  return checkLine("name", name, MAX_NAME_LENGTH);
}

/**
 * Checks the description of a ruleset: up to 1,000 characters, none of them a control character. @throws RuleError as
 * `checkRuleName`
 */
export function checkDescription(description: unknown): string {
  return checkLine("description", description, MAX_DESCRIPTION_LENGTH);
}

/** The time this many days after `now`, both in milliseconds since 1970. @throws RuleError "out-of-range" */
export function expiryInDays(days: unknown, now: number): number {
  const expiresAt = Number.isSafeInteger(days) ? now + (days as number) * DAY : Number.NaN;
  if ((days as number) > 0 && expiresAt <= LAST_TIME) return expiresAt;
  throw new RuleError(
    "out-of-range",
    "expires_in_days",
    days,
    0,
    "the days until expiry must be a whole number, 1 or more, and end before the year 10000",
  );
}

/**
 * Checks the expiry of a rule that a program passes: milliseconds since 1970, null for none. @throws RuleError
 * "wrong-type", "out-of-range"
 */
export function checkExpiry(expiresAt: unknown): number | null {
  if (expiresAt === null) return null;
  if (typeof expiresAt !== "number")
    throw new RuleError(
      "wrong-type",
      "expires_at",
      expiresAt,
      0,
      "the expiry must be milliseconds since 1970, or null for none; parseTimestamp converts text",
    );
  if (Number.isSafeInteger(expiresAt) && expiresAt >= 0 && expiresAt <= LAST_TIME) return expiresAt;
  throw new RuleError(
    "out-of-range",
    "expires_at",
    expiresAt,
    0,
    "the expiry must be a whole number of milliseconds since 1970, before the year 10000, or null for none",
  );
}

function checkText(field: "ip" | "name" | "description", value: unknown): string {
  if (typeof value === "string") return value;
  throw new RuleError("wrong-type", field, value, 0, `the ${field} must be a string`);
}

function checkLine(field: "name" | "description", value: unknown, most: number): string {
  const text = checkText(field, value);
  const control = text.search(CONTROL);
  if (control >= 0) {
    const code = text.codePointAt(control)!.toString(16).toUpperCase().padStart(4, "0");
    throw new RuleError(
      "bad-character",
      field,
      text,
      control,
      `the control character U+${code} at position ${control} is not allowed in a ${field}; remove it`,
    );
  }
  const half = text.search(HALF_CHARACTER);
  if (half >= 0)
    throw new RuleError("bad-character", field, text, half, `half a surrogate pair at position ${half}; remove it`);
  // No text has more characters than code units, so most need not be counted.
  const characters = text.length <= most ? text.length : [...text].length;
  if (characters <= most) return text;
  throw new RuleError(
    "too-long",
    field,
    text,
    0,
    `a ${field} can have at most ${most} characters, and this one has ${characters}; shorten it`,
  );
}
