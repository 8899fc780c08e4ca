import { type OracleAddress, oracleAddressBeforePort, oracleAddressesOf, oracleExactAddress } from "./line-oracle.ts";

/**
 * The slow implementation of what `identify` does with CSV, JSON lines and lists of addresses: one character after the
 * other, regular expressions, JSON.parse. It shares no code with src. Text is one character per byte (latin1).
 */

/** A CSV record. */
export interface OracleRecord {
  /** As written, without its line end. */
  readonly text: string;
  /** As written, with their quotes. */
  readonly fields: readonly string[];
  /** The number of the line on which it begins, counted from 1. */
  readonly line: number;
}

/** The records of a text according to RFC 4180; null if a quote is still open at the end. */
export function oracleRecords(text: string): OracleRecord[] | null {
  const records: OracleRecord[] = [];
  let line = 1;
  let begun = { at: 0, line: 1 };
  let fields: string[] = [];
  let field = "";
  let isQuoted = false;
  let closed = -2; // where the last quote was closed
  const end = (at: number): void => {
    const whole = text.slice(begun.at, at).replace(/\r$/, "");
    records.push({ text: whole, fields: [...fields, field.replace(/\r$/, "")], line: begun.line });
    fields = [];
    field = "";
    begun = { at: at + 1, line };
  };
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!;
    if (character === "\n") line++;
    if (isQuoted) {
      field += character;
      if (character === '"') {
        isQuoted = false;
        closed = at; // a doubled quote opens it again
      }
      continue;
    }
    if (character === "\n") {
      end(at);
      continue;
    }
    if (character === ",") {
      fields.push(field);
      field = "";
      continue;
    }
    // A quote opens a field at its start, and right after the quote that has just closed it.
    if (character === '"' && (field === "" || closed === at - 1)) isQuoted = true;
    field += character;
  }
  if (isQuoted) return null;
  if (begun.at < text.length) end(text.length);
  return records;
}

/** The field without its outer quotes; doubled ones stay doubled. */
export function oracleUnquoted(field: string): string {
  if (!field.startsWith('"')) return field;
  let at = 1;
  while (field[at] !== '"' || field[at + 1] === '"') at += field[at] === '"' ? 2 : 1;
  return field.slice(1, at);
}

/** The chosen address of a line or record (not of a field) that may contain several. */
export function oracleChosen(text: string, choice: "first" | "last" | "first-public"): OracleAddress | null {
  const all = text.split("\n").flatMap(oracleAddressesOf);
  if (choice === "last") return all.at(-1) ?? null;
  return (choice === "first" ? all[0] : all.find(oracleIsPublic)) ?? null;
}

/** The address of a field: the chosen item of a list, or none. */
export function oracleFieldAddress(field: string, choice: "first" | "last" | "first-public"): OracleAddress | null {
  const array = /^\[[ \t]*(".*)\][ \t"']*$/s.exec(field);
  const items = (array?.[1] ?? field).split(",").map(itemAddress);
  if (choice === "last") return items.at(-1) ?? null;
  return (choice === "first" ? items[0] : items.find((item) => item !== null && oracleIsPublic(item))) ?? null;
}

function itemAddress(item: string): OracleAddress | null {
  const whole = item.replace(/^\xef\xbb\xbf/, "").replace(MARGINS, "");
  const text = whole.includes("=") ? forOf(whole) : whole;
  const brackets = /^\[([^\]%]*)(?:%([^\]]*))?\](.*)$/s.exec(text);
  if (brackets)
    return /^(:\d{1,5}|\/\d{1,5})?$/.test(brackets[3]!) && isInRange(brackets[3]!, 128)
      ? zoned(brackets[1]!, brackets[2])
      : null;
  const withPort = /^([^:/%]*\.[^:/%]*)(:\d{1,5})$/.exec(text);
  if (withPort) return isInRange(withPort[2]!, 0) ? oracleExactAddress(withPort[1]!) : null;
  const [, address = "", zone, length = ""] = /^([^%/]*)(?:%([^/]*))?(\/.*)?$/s.exec(text) ?? [];
  if (!/^(\/\d{1,5})?$/.test(length) || !isInRange(length, address.includes(":") ? 128 : 32)) return null;
  return zoned(address, zone) ?? (zone === undefined && length === "" ? oracleAddressBeforePort(address) : null);
}

const MARGINS = /^[ \t"'+]+|[ \t"'+]+$/g;

/** RFC 7239: the value of the first parameter `for`. */
function forOf(element: string): string {
  const pairs = element.split(";").map((pair) => pair.replace(MARGINS, ""));
  const pair = pairs.find((text) => /^for=/i.test(text)) ?? "";
  return pair.slice(4).replace(MARGINS, "");
}

/** Whether the port or length that follows an address is in range. */
function isInRange(tail: string, mostLength: number): boolean {
  return tail === "" || Number(tail.slice(1)) <= (tail.startsWith(":") ? 65_535 : mostLength);
}

function zoned(address: string, zone: string | undefined): OracleAddress | null {
  return zone !== undefined && (zone === "" || !address.includes(":")) ? null : oracleExactAddress(address);
}

/** IANA's special-purpose registries, as far as the tests generate addresses from them. */
export function oracleIsPublic(address: OracleAddress): boolean {
  const [a = 0, b = 0, c = 0, d = 0] = address;
  if (address.length === 4) {
    if (a === 192 && b === 0 && c === 0) return d === 9 || d === 10;
    if (a === 192 && b === 0) return c !== 2;
    if (a === 192) return !(b === 168 || (b === 88 && c === 99));
    if (a === 198) return !(b === 18 || b === 19 || (b === 51 && c === 100));
    if (a === 100) return b < 64 || b > 127;
    if (a === 172) return b < 16 || b > 31;
    if (a === 169) return b !== 254;
    if (a === 203) return !(b === 0 && c === 113);
    return ![0, 10, 127].includes(a) && a < 224;
  }
  const groups = Array.from({ length: 8 }, (_, group) => (address[2 * group]! << 8) | address[2 * group + 1]!);
  if (groups[0] === 0x2001 && groups[1] === 0xdb8) return false;
  if (groups[0] === 0x2002 || (groups[0] === 0x3fff && groups[1]! < 0x1000)) return false;
  if ((groups[0]! & 0xfe00) === 0xfc00 || (groups[0]! & 0xffc0) === 0xfe80 || groups[0]! >= 0xff00) return false;
  return groups.slice(0, 7).some((group) => group !== 0) || groups[7]! > 1;
}
