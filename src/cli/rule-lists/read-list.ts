import { fstatSync, statSync } from "node:fs";
import { basename, extname } from "node:path";
import type { Prefix } from "../../address/address.ts";
import { inputChunks } from "../../batch/input/input-chunks.ts";
import { parseTimestamp } from "../../rulesets/timestamp.ts";
import { type LineOptions, type ListLine, readListLine } from "../../reading/list-line.ts";
import { PlainLine } from "../../reading/plain-line.ts";
import { rejectOwnOutput } from "../input/reject-own-output.ts";
import { UsageError } from "../runner/usage-error.ts";

const LF = 0x0a;

/** One line of a list. */
export interface ListEntry {
  readonly line: number;
  /** One, those that make up a range, or those of all entries of the line. */
  readonly prefixes: readonly Prefix[];
  /** As written after the prefix; often none. */
  readonly labels: readonly string[];
  /** The value of the name column; empty if there is none. */
  readonly name: string;
  /** The value of the expiry column, in milliseconds since 1970; null if there is none. */
  readonly expiresAt: number | null;
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
 * Reads a list: lines as `readListLine` reads them, with labels. The columns of `ListColumns` hold no labels. gzip and
 * zstd data are unpacked. Calls back for each line in order, also for those that cannot be read. A line that is a prefix
 * and nothing else is first offered to `onPlain`, and is no entry if that returns true. "-" is standard input. Throws
 * UsageError or BatchError for a file that is not there, cannot be read, or holds no text.
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
  const others = [columns.expiry, columns.name].filter((column) => column !== null);
  const options = { hasLabels: true, columns: others };
  const readText = (text: string): void => {
    try {
      const entry = entryOf(line === 1 ? text.replace(/^\ufeff/, "") : text, line, columns, options);
      if (entry !== undefined) onEntry(entry);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      onMalformed({ line, message: error.message });
    }
  };
  const read = (bytes: Buffer, from: number, end: number): void => {
    line++;
    if (plain.read(bytes, from, end) && onPlain(plain)) return;
    const text = decoder.decode(bytes.subarray(from, end));
    if (!text.includes("\r")) return readText(text);
    // Some lists have CR alone at the end of each line.
    const lines = text.endsWith("\r") ? text.slice(0, -1).split("\r") : text.split("\r");
    for (const [at, each] of lines.entries()) {
      if (at > 0) line++;
      readText(each);
    }
  };
  /** What stands before the first line end of the next chunk. */
  let rest: Buffer[] = [];
  let isFirst = true;
  for await (const chunk of inputChunks(path)) {
    if (isFirst) rejectBinary(path, chunk);
    isFirst = false;
    const end = chunk.lastIndexOf(LF) + 1;
    if (end === 0) {
      rest.push(Buffer.from(chunk)); // a copy: the chunk's memory is used again
      continue;
    }
    let from = 0;
    if (rest.length > 0) {
      from = chunk.indexOf(LF) + 1;
      const whole = Buffer.concat([...rest, chunk.subarray(0, from - 1)]);
      read(whole, 0, whole.length);
    }
    while (from < end) {
      let stop = from;
      while (chunk[stop] !== LF) stop++; // there is one before `end`
      read(chunk, from, stop);
      from = stop + 1;
    }
    rest = end < chunk.length ? [Buffer.from(chunk.subarray(end))] : [];
  }
  if (rest.length === 0) return;
  const last = Buffer.concat(rest);
  read(last, 0, last.length);
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

function entryOf(text: string, line: number, columns: ListColumns, options: LineOptions): ListEntry | undefined {
  const read = readListLine(text, options);
  if (read === undefined) return undefined;
  const { entries, fields } = read;
  const fieldIn = (column: number | null): string => (column === null ? "" : (fields[column - 1]?.text ?? ""));
  const expiry = fieldIn(columns.expiry);
  return {
    line,
    prefixes: entries.length === 1 ? entries[0]!.prefixes : entries.flatMap(({ prefixes }) => prefixes),
    labels: labelsIn(fields, options.columns!),
    name: fieldIn(columns.name),
    expiresAt: expiry === "" ? null : parseTimestamp(expiry),
  };
}

function labelsIn(fields: ListLine["fields"], others: readonly number[]): string[] {
  const labels: string[] = [];
  for (let at = 1; at < fields.length; at++) {
    const { text } = fields[at]!;
    if (text !== "" && !others.includes(at + 1)) labels.push(text);
  }
  return labels;
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
