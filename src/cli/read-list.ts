import { createReadStream } from "node:fs";
import { basename, extname } from "node:path";
import type { Prefix } from "../address/address.ts";
import { AddressError } from "../address/address-error.ts";
import { parsePrefix } from "../address/prefix.ts";
import { parseRange, rangeToPrefixes } from "../address/range.ts";
import { UsageError } from "./usage-error.ts";

/** One line of a list. */
export interface ListEntry {
  readonly line: number;
  /** One, or those that make up a range. */
  readonly prefixes: readonly Prefix[];
  /** As written behind the prefix; often none. */
  readonly labels: readonly string[];
  /** Why the line is doubtful, where it is: its prefix had host bits, which are cleared now. */
  readonly doubt: string | undefined;
}

/** A line that cannot be read. */
export interface ListFault {
  readonly line: number;
  readonly message: string;
}

/**
 * Reads a list: lines `prefix[,label...]`, a range `first-last` in place of the prefix; `#` and `;` begin a comment at the
 * start of a line or behind white space; a byte order mark and CRLF are fine. Calls back for each line in order, also for
 * those that cannot be read. "-" is standard input. Throws UsageError for a file that holds no text.
 */
export async function readList(path: string, onEntry: (entry: ListEntry) => void, onFault: (fault: ListFault) => void): Promise<void> {
  let line = 0;
  const read = (text: string): void => {
    line++;
    try {
      const entry = parseListLine(text);
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
  for await (const chunk of path === "-" ? process.stdin : createReadStream(path, { highWaterMark: 1 << 20 })) {
    if (isFirst) refuseBinary(path, chunk as Buffer);
    isFirst = false;
    const lines = (rest + decoder.decode(chunk as Buffer, { stream: true })).split("\n");
    rest = lines.pop()!;
    for (const text of lines) read(text);
  }
  rest += decoder.decode();
  if (rest !== "") read(rest);
}

/** The label of lines without one: the file's name without its extension. */
export function listLabel(path: string): string {
  return path === "-" ? "stdin" : basename(path, extname(path));
}

function parseListLine(text: string): Omit<ListEntry, "line"> | undefined {
  const [first, ...labels] = text.replace(/(^|\s)[#;].*$/s, "").split(",").map((part) => part.trim());
  if (first === undefined || (first === "" && labels.length === 0)) return undefined;
  if (text.includes("\ufffd")) throw new UsageError("the line is not UTF-8; convert the file");
  return { ...parsePrefixes(first), labels: labels.filter((label) => label !== "") };
}

function parsePrefixes(text: string): { prefixes: readonly Prefix[]; doubt: string | undefined } {
  if (text.includes("-")) {
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

function refuseBinary(path: string, start: Buffer): void {
  const cure = `unpack it first: zcat LIST | ipsieve build - --label NAME -o FILE`;
  const magic = start.subarray(0, 4).toString("hex");
  if (magic.startsWith("1f8b") || magic === "28b52ffd") throw new UsageError(`${path}: a compressed file; ${cure}`);
  if (start.includes(0)) throw new UsageError(`${path}: no text (it holds zero bytes); give a list in UTF-8`);
}
