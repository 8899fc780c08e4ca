import { fstatSync, statSync } from "node:fs";
import { basename, extname } from "node:path";
import type { Prefix } from "../address/address.ts";
import { AddressError, quoted } from "../address/address-error.ts";
import { isPrefix, parsePrefix } from "../address/prefix.ts";
import { parseRange, rangeToPrefixes } from "../address/range.ts";
import { inputChunks } from "../batch/input/input-chunks.ts";
import { parseTimestamp } from "../rulesets/timestamp.ts";
import { UsageError } from "./usage-error.ts";

/** One line of a list. */
export interface ListEntry {
  readonly line: number;
  /** One, or those that make up a range. */
  readonly prefixes: readonly Prefix[];
  /** As written after the prefix; often none. */
  readonly labels: readonly string[];
  /** What the column of expiries says, in milliseconds since 1970; null where it says nothing, or there is none. */
  readonly expiresAt: number | null;
  /** Why the line is doubtful, where it is: its prefix had host bits, which are cleared now. */
  readonly doubt: string | undefined;
}

/** A line that cannot be read. */
export interface ListFault {
  readonly line: number;
  readonly message: string;
}

/**
 * Reads a list: lines `prefix[,label...]`, a range `first-last` in place of the prefix; `#` and `;` begin a comment at
 * the start of a line or behind white space or a comma; fields may stand in double quotes; a byte order mark and CRLF
 * are fine. The column `expiryColumn`, counted from 1, holds no label but the time of expiry. gzip and zstd data are unpacked. Calls back for each line in order, also for those that cannot be read. "-"
 * is standard input. Throws UsageError or BatchError for a file that is not there, cannot be read, or holds no text.
 */
export async function readList(
  path: string,
  onEntry: (entry: ListEntry) => void,
  onFault: (fault: ListFault) => void,
  expiryColumn: number | null = null,
): Promise<void> {
  rejectUnreadable(path);
  let line = 0;
  const read = (text: string): void => {
    line++;
    try {
      const entry = parseListLine(text, expiryColumn);
      if (entry !== undefined) onEntry({ line, ...entry });
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      onFault({ line, message: error.message });
    }
  };
  // The decoder drops a byte order mark. What is not UTF-8 becomes U+FFFD, which no line may hold.
  const decoder = new TextDecoder();
  let rest = "";
  let isFirst = true;
  for await (const chunk of inputChunks(path)) {
    if (isFirst) rejectBinary(path, chunk);
    isFirst = false;
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop()!;
    for (const text of lines) read(text);
  }
  rest += decoder.decode();
  if (rest !== "") read(rest);
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

/** The path without the extension of a compressed file: what `gunzip` would make of it. */
export function unpackedName(path: string): string {
  return path.replace(/(?<=[^/])\.(gz|zst)$/i, "");
}

function parseListLine(text: string, expiryColumn: number | null): Omit<ListEntry, "line"> | undefined {
  const content = text.replace(/(^|[\s,])[#;].*$/s, "").trim();
  if (content === "") return undefined;
  if (text.includes("\ufffd")) throw new UsageError("the line is not UTF-8; convert the file");
  const [first, ...labels] = fieldsOf(content);
  const [expiry = ""] = expiryColumn === null ? [] : labels.splice(expiryColumn - 2, 1);
  const expiresAt = expiry === "" ? null : parseTimestamp(expiry);
  return { ...parseFirst(first!), labels: labels.filter((label) => label !== ""), expiresAt };
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

/** As `parsePrefixes`; for a list with more columns than one, as many feeds are, says how to get the one. */
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

function parsePrefixes(text: string): { prefixes: readonly Prefix[]; doubt: string | undefined } {
  // 192.0.2.1/-1 is a prefix with a wrong length.
  if (text.includes("-") && !text.includes("/-")) {
    const { first, last } = parseRange(text);
    return { prefixes: rangeToPrefixes(first, last), doubt: undefined };
  }
  try {
    return { prefixes: [parsePrefix(text)], doubt: undefined };
  } catch (error) {
    if (!(error instanceof AddressError) || error.code !== "host-bits-set") throw error;
    return { prefixes: [parsePrefix(text, "mask")], doubt: error.message };
  }
}

/** Throws UsageError unless there is something that can be read; a folder on standard input would count as empty. */
export function rejectUnreadable(path: string): void {
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
  if (code === "EACCES" || code === "EPERM")
    return new UsageError(`${name}: reading it is not permitted; check its permissions`);
  return code === undefined ? cause : new UsageError(`${name}: it cannot be read (${code})`);
}

/** Throws UsageError for the start of a file that is no text. */
export function rejectBinary(path: string, start: Buffer): void {
  if (start.includes(0)) throw new UsageError(`${path}: no text (it holds zero bytes); give a list in UTF-8`);
}
