import { formatAddress } from "../address/format-address.ts";
import { maskWord, prefixOf } from "../address/prefix.ts";
import { withoutStacks } from "../address/without-stacks.ts";
import { afterBlanks, fieldsOf, isBlank, type ListField, looksLikeEntry } from "./_fields.ts";
import { peerRange } from "./_peer-range.ts";
import { type HostBits, type ListEntry, readEntry } from "./list-entry.ts";
import { ListLineError } from "./list-error.ts";

/** What may stand in a line besides one entry, and what becomes of host bits. */
export interface LineOptions {
  /** Whether labels may follow the entry, after commas. */
  readonly hasLabels?: boolean;
  /** Numbers of columns, from 2, whose text is neither an entry nor a label. With any, a line has one entry. */
  readonly columns?: readonly number[];
  readonly hostBits?: HostBits;
  /** The text is only the beginning of a line, with more than `MAX_LINE_LENGTH` characters. */
  readonly isCut?: boolean;
}

/** What a line says. */
export interface ListLine {
  readonly entries: readonly ListEntry[];
  /** All fields of a line with one entry, of which the first is that entry. */
  readonly fields: readonly ListField[];
}

/** Maximum characters of a line, not counting its comment and the labels of an entry. */
export const MAX_LINE_LENGTH = 8192;
export const LINE_TOO_LONG = `a line can have at most ${MAX_LINE_LENGTH} characters; write one entry per line`;

const NO_COLUMNS: readonly number[] = [];
const NO_FIELDS: readonly ListField[] = [];
/** Longer lines are judged by all of their fields. */
const MAX_PLAIN = 1024;
/** Most lines: an address or a prefix, and nothing else. */
const BARE = /^[0-9a-f.:]+(?:\/[0-9]+)?$/i;

/**
 * Reads one line of a list of addresses: the grammar of every list that is no publisher's own format.
 *
 *     192.0.2.1                           an address
 *     192.0.2.0/24                        a prefix
 *     192.0.2.1 - 192.0.2.9               a range
 *     192.0.2.0/24, 198.51.100.0/24       several entries, between commas or blanks
 *     192.0.2.0/24 # office               a comment, also after ; or //
 *     192.0.2.0/24,office                 labels, for those who read them
 *     192.0.2.1  7                        a count, which is ignored
 *
 * Undefined for a line without an entry. What could be meant in several ways, or is not understood to its end, is an
 * error. O(length). Throws ListLineError.
 */
export function readListLine(line: string, options: LineOptions = {}): ListLine | undefined {
  const { hasLabels = false, columns = NO_COLUMNS, hostBits = "reject", isCut = false } = options;
  const plain = line.length <= MAX_PLAIN ? plainEntry(line) : undefined;
  if (plain !== undefined) {
    const at = plain.length === line.length ? 0 : line.indexOf(plain);
    return { entries: [withoutStacks(() => readEntry(plain, at, hostBits))], fields: NO_FIELDS };
  }
  return withoutStacks(() => readFields(line, { hasLabels, columns, hostBits, isCut }));
}

function readFields(
  line: string,
  { hasLabels, columns, hostBits, isCut }: Required<LineOptions>,
): ListLine | undefined {
  const { fields, end } = fieldsOf(line);
  const isTooLong = end >= MAX_LINE_LENGTH || (isCut && end === line.length);
  // An entry may have any number of labels.
  if (isTooLong && !hasLabels) throw tooLong(line);
  if (fields.length === 0) return undefined;
  rejectUnreadable(fields);
  const tokens = tokensOf(fields[0]!);
  const others = othersIn(fields, columns);
  const maySeveral = tokens.length > 1 || others.some(({ text }) => looksLikeEntry(text));
  const entries = maySeveral ? wholeEntries([tokens, ...others.map(tokensOf)], hostBits) : undefined;
  if (entries !== undefined) {
    if (entries.length > 1 && isTooLong) throw tooLong(line);
    if (entries.length > 1) rejectAmbiguous(entries, columns.length > 0);
    return { entries, fields: entries.length > 1 ? NO_FIELDS : fields };
  }
  const entry = firstEntry(line, tokens[0]!, hostBits);
  if (tokens.length > 1) checkRest(entry, tokens.slice(1), others, hostBits);
  else if (others.length > 0) checkLabels(entry, others, { hasLabels, hostBits, mayBeEntries: maySeveral });
  return { entries: [entry], fields };
}

/** What an address or a prefix is made of: hexadecimal digits, dots, colons and the slash. */
const IN_ENTRY = new Uint8Array(128);
for (const character of "0123456789abcdefABCDEF.:/") IN_ENTRY[character.charCodeAt(0)] = 1;
const SLASH = 0x2f;

/** An address or a prefix with nothing but blanks and a comment beside it; undefined for all other lines. */
function plainEntry(line: string): string | undefined {
  if (BARE.test(line)) return line;
  let start = 0;
  while (isSpace(line.charCodeAt(start))) start++;
  let end = start;
  for (let code = line.charCodeAt(end); IN_ENTRY[code] === 1; code = line.charCodeAt(++end))
    if (code === SLASH && line.charCodeAt(end + 1) === SLASH) return undefined;
  let next = end;
  while (isSpace(line.charCodeAt(next))) next++;
  const isAlone = next === line.length || line[next] === "#" || line[next] === ";";
  return isAlone && end > start ? line.slice(start, end) : undefined;
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

/** The fields with something behind the first one, except those of the columns. */
function othersIn(fields: readonly ListField[], columns: readonly number[]): ListField[] {
  const others: ListField[] = [];
  for (let at = 1; at < fields.length; at++)
    if (fields[at]!.text !== "" && !columns.includes(at + 1)) others.push(fields[at]!);
  return others;
}

function tooLong(line: string): ListLineError {
  return new ListLineError("line-too-long", MAX_LINE_LENGTH, line, LINE_TOO_LONG);
}

function rejectUnreadable(fields: readonly ListField[]): void {
  const wrong = fields.find(({ text }) => text.includes("\ufffd"));
  if (wrong === undefined) return;
  const at = wrong.at + wrong.text.indexOf("\ufffd");
  throw new ListLineError("not-utf8", at, wrong.text, "the line is not UTF-8; convert the file");
}

/** The parts of a field between blanks; those around a hyphen are one. A field without text is one empty part. */
function tokensOf({ text, at }: ListField): ListField[] {
  const tokens: ListField[] = [];
  for (let start = 0; start < text.length;) {
    const end = endOfToken(text, start);
    tokens.push({ text: text.slice(start, end), at: at + start });
    start = afterBlanks(text, end);
  }
  return tokens.length === 0 ? [{ text, at }] : tokens;
}

function endOfToken(text: string, start: number): number {
  for (let at = start; ;) {
    while (at < text.length && !isBlank(text, at)) at++;
    const next = afterBlanks(text, at);
    if (next === text.length || (text[at - 1] !== "-" && text[next] !== "-")) return at;
    at = next;
  }
}

/** The entries of a line that has nothing else; undefined where something else is there. */
function wholeEntries(groups: readonly (readonly ListField[])[], hostBits: HostBits): ListEntry[] | undefined {
  const entries: ListEntry[] = [];
  for (const group of groups)
    for (const { text, at } of group) {
      const entry = looksLikeEntry(text) ? entryOrNone(text, at, hostBits) : undefined;
      if (entry === undefined) return undefined;
      entries.push(entry);
    }
  return entries;
}

function entryOrNone(text: string, at: number, hostBits: HostBits): ListEntry | undefined {
  try {
    return readEntry(text, at, hostBits);
  } catch (error) {
    if (error instanceof ListLineError) return undefined;
    throw error;
  }
}

function firstEntry(line: string, { text, at }: ListField, hostBits: HostBits): ListEntry {
  try {
    return readEntry(text, at, hostBits);
  } catch (error) {
    const range = peerRange(line);
    if (range === undefined || !(error instanceof ListLineError)) throw error;
    const problem = `this is a line of a list for peer-to-peer programs; write ${range}`;
    throw new ListLineError("peer-list", at, line.slice(at).trimEnd(), problem);
  }
}

/** Throws for entries that can be meant in several ways. */
function rejectAmbiguous(entries: readonly ListEntry[], isOneRule: boolean): void {
  const masked = entries.find((entry, at) => at > 0 && isBare(entry) && isMask(entry));
  if (masked !== undefined) throw twoAddresses(entries[entries.indexOf(masked) - 1]!, masked);
  const [first, second] = entries as [ListEntry, ListEntry];
  if (isBare(first) && (isMask(first) || (entries.length === 2 && isBare(second)))) throw twoAddresses(first, second);
  if (isOneRule) throw severalEntries(second.text, second.at);
}

function severalEntries(text: string, at: number): ListLineError {
  const problem = "a line with labels or columns has one entry; write this one on a line of its own";
  return new ListLineError("several-entries", at, text, problem);
}

/** An address, without a length. */
function isBare({ text }: ListEntry): boolean {
  return !text.includes("/") && !text.includes("-");
}

/** Ones, then zeros, or the other way round; also what is in no other block than 0.0.0.0/8 and 255.0.0.0/8. */
function isMask({ prefixes }: ListEntry): boolean {
  const { family, w0, w1, w2, w3 } = prefixes[0]!;
  if (family === 6) return w0 === 0xffff_ffff && isLeadingOnes([w0, w1, w2, w3]);
  return w0 >>> 24 === 0 || w0 >>> 24 === 255 || isLeadingOnes([w0]);
}

function isLeadingOnes(words: readonly number[]): boolean {
  const end = words.findIndex((word) => word !== 0xffff_ffff);
  if (end < 0) return true;
  const ones = Math.clz32(~words[end]!);
  return maskWord(0xffff_ffff, ones) === words[end] && words.slice(end + 1).every((word) => word === 0);
}

/** The cure shows the three spellings: an address with its length, a range, and two entries. */
function twoAddresses(first: ListEntry, second: ListEntry): ListLineError {
  const length = lengthOfMask(second);
  const { family } = first.prefixes[0]!;
  const network = length === undefined ? `${first.text}/LENGTH` : `${prefixText(first, length)}/${length}`;
  const range =
    length === undefined && family === second.prefixes[0]!.family ? `${first.text}-${second.text}` : "FIRST-LAST";
  const problem = `an address with its mask, a range, or two addresses? write ${network}, ${range}, or each address on a line of its own`;
  return new ListLineError("two-addresses", second.at, second.text, problem);
}

/** Undefined for an address that is no mask. */
function lengthOfMask({ prefixes }: ListEntry): number | undefined {
  const { family, w0 } = prefixes[0]!;
  if (family === 6) return undefined;
  if (isLeadingOnes([w0]) && w0 !== 0) return Math.clz32(~w0);
  return isLeadingOnes([~w0 >>> 0]) ? Math.clz32(w0) : undefined;
}

function prefixText({ prefixes, text }: ListEntry, length: number): string {
  const prefix = prefixes[0]!;
  return prefix.family === 4 ? formatAddress(prefixOf(prefix, length)) : text;
}

/** What may follow an entry after a blank: a count, unless it may be a length. Throws otherwise. */
function checkRest(
  entry: ListEntry,
  [next, ...more]: readonly ListField[],
  others: readonly ListField[],
  hostBits: HostBits,
): void {
  const { text, at } = next!;
  rejectAddress(entry, next!, hostBits);
  if (/^\/[0-9]{1,3}$/.test(text) && isBare(entry))
    throw new ListLineError("length-apart", at, text, `remove the blank: ${entry.text}${text}`);
  const isAlone = more.length === 0 && others.length === 0;
  if (!isAlone || !/^[0-9]{1,15}$/.test(text)) throw textAfter(at, text);
  if (isLengthOf(entry, text)) throw lengthApart(entry, text, at);
}

/** What may follow an entry after a comma: labels, where they are read. Throws otherwise. */
function checkLabels(
  entry: ListEntry,
  labels: readonly ListField[],
  {
    hasLabels,
    hostBits,
    mayBeEntries,
  }: { readonly hasLabels: boolean; readonly hostBits: HostBits; readonly mayBeEntries: boolean },
): void {
  const first = labels[0]!;
  const like = mayBeEntries ? labels.find(({ text }) => looksLikeEntry(text)) : undefined;
  if (like !== undefined) {
    rejectAddress(entry, like, hostBits);
    throw severalEntries(like.text, like.at);
  }
  if (isLengthOf(entry, first.text)) throw lengthApart(entry, first.text, first.at);
  if (!hasLabels) throw textAfter(first.at, first.text);
}

/** Throws if a text behind an entry is an address, or is meant to be an entry and is none. */
function rejectAddress(entry: ListEntry, { text, at }: ListField, hostBits: HostBits): void {
  if (!looksLikeEntry(text)) return;
  const other = readEntry(tokensOf({ text, at })[0]!.text, at, hostBits);
  if (isBare(entry) && isBare(other)) throw twoAddresses(entry, other);
}

/** Whether the number makes a prefix of an address, so that it may be its length. */
function isLengthOf(entry: ListEntry, text: string): boolean {
  if (!isBare(entry) || !/^[0-9]{1,3}$/.test(text)) return false;
  return isWholePrefix(`${entry.text}/${Number(text)}`);
}

function isWholePrefix(text: string): boolean {
  try {
    readEntry(text, 0, "reject");
    return true;
  } catch {
    return false;
  }
}

function lengthApart({ text: entry }: ListEntry, text: string, at: number): ListLineError {
  const problem = `it may be the prefix length of ${entry}; write ${entry}/${text}, or begin a comment with #`;
  return new ListLineError("length-apart", at, text, problem);
}

function textAfter(at: number, text: string): ListLineError {
  const problem =
    "this is neither an entry nor a comment; begin a comment with #, or give a table as CSV, with a first line that names the columns";
  return new ListLineError("text-after-entry", at, text, problem);
}
