import { fstatSync, statSync } from "node:fs";
import { basename, extname } from "node:path";
import type { Prefix } from "../../address/address.ts";
import { AddressError, quoted } from "../../address/address-error.ts";
import { isPrefix, parsePrefix } from "../../address/prefix.ts";
import { parseRange, rangeToPrefixes } from "../../address/range.ts";
import { inputChunks } from "../../batch/input/input-chunks.ts";
import { parseTimestamp } from "../../rulesets/timestamp.ts";
import { PlainLine } from "./plain-line.ts";
import { rejectOwnOutput } from "../input/reject-own-output.ts";
import { UsageError } from "../runner/usage-error.ts";

const LF = 0x0a;

/** One line of a list. */
export interface ListEntry {
  readonly line: number;
  /** One, or those that make up a range. */
  readonly prefixes: readonly Prefix[];
  /** As written after the prefix; often none. */
  readonly labels: readonly string[];
  /** The value of the name column; empty if there is none. */
  readonly name: string;
  /** The value of the expiry column, in milliseconds since 1970; null if there is none. */
  readonly expiresAt: number | null;
  /** A warning about the line: its prefix had host bits, which have been cleared. */
  readonly warning: string | undefined;
}

/** The columns of a list, from 1, that hold something other than the prefix and labels; null: none does. */
export interface ListColumns {
  /** The time of expiry. */
  readonly expiry: number | null;
  /** The name of the line's label. */
  readonly name: number | null;
}

/** A line that cannot be read. */
export interface MalformedLine {
  readonly line: number;
  readonly message: string;
}

/**
 * Reads a list: lines `prefix[,label...]`, a range `first-last` in place of the prefix; `#` and `;` begin a comment at
 * the start of a line or after white space or a comma; fields may stand in double quotes; a byte order mark and CRLF
 * are fine. The columns of `ListColumns` hold no labels. gzip and zstd data are unpacked. Calls back for each line in
 * order, also for those that cannot be read. A line that is a prefix and nothing else is first offered to `onPlain`, and
 * is no entry if that returns true. "-" is standard input. Throws UsageError or BatchError for a file that is not there,
 * cannot be read, or holds no text.
 */
export async function readList(
  path: string,
  onEntry: (entry: ListEntry) => void,
  onMalformed: (line: MalformedLine) => void,
  columns: ListColumns = { expiry: null, name: null },
  onPlain: (line: PlainLine) => boolean = () => false,
): Promise<void> {
  rejectUnreadable(path);
  let line = 0;
  const plain = new PlainLine();
  // Bytes that are not UTF-8 become U+FFFD, which no line may contain. A byte order mark is one only at the very start.
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const read = (bytes: Buffer, from: number, end: number): void => {
    line++;
    if (plain.read(bytes, from, end) && onPlain(plain)) return;
    const text = decoder.decode(bytes.subarray(from, end));
    try {
      const entry = parseListLine(line === 1 ? text.replace(/^\ufeff/, "") : text, columns);
      if (entry !== undefined) onEntry({ line, ...entry });
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      onMalformed({ line, message: error.message });
    }
  };
  let rest = Buffer.alloc(0);
  let isFirst = true;
  for await (const chunk of inputChunks(path)) {
    if (isFirst) rejectBinary(path, chunk);
    isFirst = false;
    const end = chunk.lastIndexOf(LF) + 1;
    if (end === 0) {
      rest = Buffer.concat([rest, chunk]);
      continue;
    }
    let from = 0;
    if (rest.length > 0) {
      from = chunk.indexOf(LF) + 1;
      read(Buffer.concat([rest, chunk.subarray(0, from - 1)]), 0, rest.length + from - 1);
    }
    while (from < end) {
      let stop = from;
      while (chunk[stop] !== LF) stop++; // there is one before `end`
      read(chunk, from, stop);
      from = stop + 1;
    }
    rest = Buffer.from(chunk.subarray(end)); // a copy: the chunk's memory is used again
  }
  if (rest.length > 0) read(rest, 0, rest.length);
}

/**
 * The bytes of a file, "-" of standard input, unpacked. Throws UsageError or BatchError for a file that is not there or
 * cannot be read.
 */
export async function readBytes(path: string): Promise<Buffer> {
  rejectUnreadable(path);
  const chunks: Buffer[] = [];
  for await (const chunk of inputChunks(path)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** The label of lines without one: the file's name without its extension. */
export function listLabel(path: string): string {
  const name = unpackedName(path);
  return name === "-" ? "stdin" : basename(name, extname(name));
}

/** The path without the extension of a compressed file, as `gunzip` would name the result. */
export function unpackedName(path: string): string {
  return path.replace(/(?<=[^/])\.(gz|zst)$/i, "");
}

function parseListLine(text: string, columns: ListColumns): Omit<ListEntry, "line"> | undefined {
  const content = text.replace(/(^|[\s,])[#;].*$/s, "").trim();
  if (content === "") return undefined;
  if (text.includes("\ufffd")) throw new UsageError("the line is not UTF-8; convert the file");
  const fields = fieldsOf(content);
  const fieldIn = (column: number | null): string => (column === null ? "" : (fields[column - 1] ?? ""));
  const [expiry, name] = [fieldIn(columns.expiry), fieldIn(columns.name)];
  const labels = fields.filter((label, at) => at > 0 && label !== "" && !isOther(columns, at + 1));
  return { ...parseFirst(fields[0]!), labels, name, expiresAt: expiry === "" ? null : parseTimestamp(expiry) };
}

function isOther({ expiry, name }: ListColumns, column: number): boolean {
  return column === expiry || column === name;
}

/** The fields between the commas, without white space around them and without the double quotes they stand in. */
function fieldsOf(text: string): string[] {
  if (!text.includes('"')) return text.split(",").map((part) => part.trim());
  const field = /(?:\s*"([^"]*)"\s*|([^",]*))(,|$)/y;
  const fields: string[] = [];
  for (let comma = ","; comma === ",";) {
    const found = field.exec(text);
    if (found === null) throw new UsageError(`${quoted(text)}: a label cannot contain a double quote; remove it`);
    const [, inQuotes, plain] = found;
    if (inQuotes?.includes(","))
      throw new UsageError(
        `${quoted(inQuotes)}: a label cannot contain a comma; remove it, or write two labels without the quotes`,
      );
    fields.push((inQuotes ?? plain!).trim());
    comma = found[3]!;
  }
  return fields;
}

/**
 * As `parsePrefixes`; for a list with several columns, as many feeds have, the error says how to extract the right one.
 */
function parseFirst(text: string): ReturnType<typeof parsePrefixes> {
  try {
    return parsePrefixes(text);
  } catch (error) {
    const space = text.search(/\s/);
    if (space < 0 || !isPrefix(text.slice(0, space))) throw error;
    const cure = text[space] === "\t" ? "cut -f1" : "awk '{print $1}'";
    throw new UsageError(
      `${quoted(text)} at position ${space}: there is more text after the prefix; keep the first column: ${cure} LIST | ipsieve build -`,
    );
  }
}

function parsePrefixes(text: string): { prefixes: readonly Prefix[]; warning: string | undefined } {
  // Not a range: 192.0.2.1/-1 is a prefix with an invalid length.
  if (text.includes("-") && !text.includes("/-")) {
    const { first, last } = parseRange(text);
    return { prefixes: rangeToPrefixes(first, last), warning: undefined };
  }
  try {
    return { prefixes: [parsePrefix(text)], warning: undefined };
  } catch (error) {
    if (!(error instanceof AddressError) || error.code !== "host-bits-set") throw error;
    return { prefixes: [parsePrefix(text, "mask")], warning: error.message };
  }
}

/** Throws UsageError unless the input can be read; a folder on standard input would count as empty. */
export function rejectUnreadable(path: string): void {
  rejectOwnOutput(path);
  try {
    const isFolder = (path === "-" ? fstatSync(0) : statSync(path)).isDirectory();
    if (!isFolder) return;
  } catch (cause) {
    throw unreadable(path, cause);
  }
  throw new UsageError(`${path === "-" ? "standard input" : path}: this is a folder; name the lists in it`);
}

function unreadable(path: string, cause: unknown): unknown {
  const name = path === "-" ? "standard input" : path;
  const { code } = cause as NodeJS.ErrnoException;
  if (code === "ENOENT" || code === "ENOTDIR") return new UsageError(`${name}: no such file; check the path`);
  if (code === "EACCES" || code === "EPERM") return new UsageError(`${name}: permission denied; check its permissions`);
  return code === undefined ? cause : new UsageError(`${name}: cannot be read (${code})`);
}

/** Throws UsageError for the start of a file that is not text. */
export function rejectBinary(path: string, start: Buffer): void {
  if (start.includes(0)) throw new UsageError(`${path}: not text (it contains zero bytes); give a list in UTF-8`);
}
