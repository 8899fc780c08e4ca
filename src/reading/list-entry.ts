import type { Address, Prefix } from "../address/address.ts";
import { AddressError } from "../address/address-error.ts";
import { formatAddress } from "../address/format-address.ts";
import { isAddress, parseAddress } from "../address/parse-address.ts";
import { parsePrefix, rejectMappedBlock } from "../address/prefix.ts";
import { parseRange, rangeToPrefixes } from "../address/range.ts";
import { ListLineError } from "./list-error.ts";

/** One entry of a list: an address, a prefix, or a range. */
export interface ListEntry {
  /** As written. */
  readonly text: string;
  /** The offset in the line, from 0. */
  readonly at: number;
  /** One, or those that make up a range. */
  readonly prefixes: readonly Prefix[];
  /** Whether host bits were set, and have been cleared. */
  readonly isMasked: boolean;
}

/** What becomes of host bits: those in lists that publishers offer are cleared, all others are errors. */
export type HostBits = "reject" | "mask";

/** Reads an entry that begins at an offset of its line. Throws ListLineError. */
export function readEntry(text: string, at: number, hostBits: HostBits): ListEntry {
  try {
    return isRange(text) ? rangeEntry(text, at) : prefixEntry(text, at, hostBits);
  } catch (error) {
    if (!(error instanceof AddressError)) throw error;
    throw withCure(error, text, at);
  }
}

function prefixEntry(text: string, at: number, hostBits: HostBits): ListEntry {
  try {
    const prefix = parsePrefix(text);
    rejectMappedBlock(prefix, text);
    return { text, at, prefixes: [prefix], isMasked: false };
  } catch (error) {
    if (hostBits === "reject" || !(error instanceof AddressError) || error.code !== "host-bits-set") throw error;
    const prefix = parsePrefix(text, "mask");
    rejectMappedBlock(prefix, text);
    return { text, at, prefixes: [prefix], isMasked: true };
  }
}

/** Not a range: 192.0.2.1/-1 is a prefix with an invalid length. */
function isRange(text: string): boolean {
  return text.includes("-") && !text.includes("/-");
}

function rangeEntry(text: string, at: number): ListEntry {
  const { first, last } = parseRange(text);
  const prefixes = rangeToPrefixes(first, last);
  const isWhole = prefixes[0]!.length === 0;
  // No address is in the block, as those are IPv4: a range has all of it or nothing, unless it is written as IPv6.
  const isMapped = isWhole && first.family === 4 && text.includes(":");
  if (isMapped || (!isWhole && isBeforeMapped(first) && !isBeforeMapped(last))) rejectMappedBlock(MAPPED_BLOCK, text);
  return { text, at, prefixes, isMasked: false };
}

const MAPPED_BLOCK: Prefix = { family: 6, w0: 0, w1: 0, w2: 0xffff, w3: 0, length: 96 };

function isBeforeMapped({ family, w0, w1, w2 }: Address): boolean {
  return family === 6 && w0 === 0 && w1 === 0 && w2 < 0xffff;
}

/** The same error about a line, with the cure for what such a text means in a list. */
function withCure(error: AddressError, text: string, at: number): ListLineError {
  const whole = wholeRange(text);
  if (whole !== undefined)
    return new ListLineError("range-shorthand", at, text, `write both ends of the range in full: ${whole}`);
  const starred = /^((?:[0-9]{1,3}\.){1,3})\*(?:\.\*){0,2}$/.exec(text.slice(0, 16))?.[1];
  const network = starred === undefined ? undefined : networkOf(starred);
  if (network !== undefined)
    return new ListLineError(error.code, at + error.position, text, `write the addresses as a prefix: ${network}`);
  return new ListLineError(error.code, at + error.position, text, error.problem);
}

/** `192.0.2.1-20` as 192.0.2.1-192.0.2.20, where both ends are then addresses in order. */
function wholeRange(text: string): string | undefined {
  const [, first, last] = /^([0-9a-f.:]{2,45})-([0-9a-f]{1,4})$/i.exec(text.replaceAll(/\s/g, "")) ?? [];
  if (first === undefined || !isAddress(first)) return undefined;
  const whole = `${first}-${first.replace(/[0-9a-f]+$/i, "")}${last}`;
  try {
    parseRange(whole);
    return whole;
  } catch {
    return undefined;
  }
}

/** `192.0.` as 192.0.0.0/16. */
function networkOf(octets: string): string | undefined {
  const count = octets.split(".").length - 1;
  const text = `${octets}${Array<string>(4 - count)
    .fill("0")
    .join(".")}`;
  return isAddress(text) ? `${formatAddress(parseAddress(text))}/${8 * count}` : undefined;
}
