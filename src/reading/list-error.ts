import { type AddressErrorCode, quoted } from "../address/address-error.ts";

/** What is wrong with a line of a list: with one of its addresses, or with what stands beside them. */
export type ListErrorCode =
  | AddressErrorCode
  /** Two addresses, or an address and a mask, which can mean three things. */
  | "two-addresses"
  /** Several entries on a line that can have only one. */
  | "several-entries"
  /** A number behind an address that may be its prefix length. */
  | "length-apart"
  /** `192.0.2.1-20`: the last address of a range is cut short. */
  | "range-shorthand"
  /** A line of a list for peer-to-peer programs: `name:first-last`, or `first - last , level , name`. */
  | "peer-list"
  /** Text that is neither an entry nor a comment. */
  | "text-after-entry"
  /** Text after the closing quote of a field, and a quote that is not closed. */
  | "text-after-quote"
  | "unclosed-quote"
  | "not-utf8"
  | "line-too-long";

/** A line that cannot be read as a whole. */
export class ListLineError extends Error {
  readonly code: ListErrorCode;
  /** The offset in the line of the first wrong character, from 0, in UTF-16 code units. */
  readonly at: number;
  /** The wrong part of the line. */
  readonly value: string;
  /** What is wrong and how to fix it. */
  readonly problem: string;

  constructor(code: ListErrorCode, at: number, value: string, problem: string) {
    super(`column ${at + 1}: ${quoted(value)}: ${problem}`);
    this.name = "ListLineError";
    this.code = code;
    this.at = at;
    this.value = value;
    this.problem = problem;
  }
}
