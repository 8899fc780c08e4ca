/**
 * What is wrong with a text. The order is the numbering that `parseAddressBytes` packs into its result: append only.
 */
export const ADDRESS_ERROR_CODES = [
  "empty",
  "unexpected-character",
  "octet-missing",
  "octet-leading-zero",
  "octet-out-of-range",
  "too-few-octets",
  "too-many-octets",
  "group-too-long",
  "too-few-groups",
  "too-many-groups",
  "lone-colon",
  "second-gap",
  // The rest is distinguished by the character at the position, once the parse has failed.
  "not-ascii",
  "whitespace",
  "zone-id",
  "brackets",
  "port",
  "prefix-not-address",
  // Prefixes and ranges.
  "length-missing",
  "length-malformed",
  "length-leading-zero",
  "length-out-of-range",
  "host-bits-set",
  "range-without-dash",
  "range-mixed-families",
  "range-reversed",
  "mapped-length",
  "mapped-block",
] as const;

/** The code of an `AddressError`: stable across releases, for programs to branch on; new ones may be added. */
export type AddressErrorCode = (typeof ADDRESS_ERROR_CODES)[number];

const MAX_QUOTE_LENGTH = 80;

/** A text that is not an address, prefix or range. The message says what is wrong, where, and how to fix it. */
export class AddressError extends Error {
  readonly code: AddressErrorCode;
  /** The whole text as given. */
  readonly value: string;
  /**
   * The offset in `value`, in UTF-16 code units from 0, of the first invalid character; its length when something is
   * missing at the end.
   */
  readonly position: number;
  /** What is wrong and how to fix it, without the value and the position, which the message puts before it. */
  readonly problem: string;

  constructor(code: AddressErrorCode, value: string, position: number, problem: string) {
    super(`${quoted(value)} at position ${position}: ${problem}`);
    this.name = "AddressError";
    this.code = code;
    this.value = value;
    this.position = position;
    this.problem = problem;
  }
}

/**
 * Characters that end a line, move the cursor or change the direction of writing: C0, DEL and C1 controls,
 * separators, direction marks.
 */
// oxlint-disable-next-line no-control-regex -- they are what it looks for
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/**
 * The text in double quotes with control characters escaped, cut when it is long: an error message is one readable
 * line.
 */
export function quoted(value: string): string {
  const shown = value.length > MAX_QUOTE_LENGTH ? `${value.slice(0, MAX_QUOTE_LENGTH)}…` : value;
  return printable(JSON.stringify(shown));
}

/** Text from elsewhere, with everything that a terminal would interpret escaped. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
