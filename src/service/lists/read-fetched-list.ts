import type { Family, Prefix } from "../../address/address.ts";
import { comparePrefixes, formatPrefix } from "../../address/prefix.ts";
import { errorText } from "../../rulesets/importers/imported-rule.ts";
import { type ImportedColumns, RuleImport } from "../../rulesets/importers/import-rules.ts";
import { prefixIn } from "../../rulesets/rule-columns.ts";
import {
  type ContentChange,
  type ExternalListDefinition,
  type FetchedContent,
  type FetchProblem,
  incompleteProblem,
} from "../../store/records/external-list.ts";
import { inSlices } from "../../turns/in-slices.ts";
import { digestingList, type ListText, packList, prefixesOfList, writingList } from "../sources/list-text.ts";

/** Maximum entries of an external list. */
const MAX_LIST_ENTRIES = 1_000_000;
/** Maximum lines left out, and maximum entries added or removed, that are kept as examples. */
const SHOWN = 20;
/** Bytes that are read in one step: about a millisecond. */
const BYTES_AT_ONCE = 1 << 14;
const ENTRIES_AT_ONCE = 1 << 10;
/** A list with fewer entries may change in any way. */
const FEW_ENTRIES = 20;
/** This many entries may be added to any list. */
const FEW_ADDED = 1000;

/** What is already published, and the digest of content that is accepted although it has changed too much. */
export interface Known {
  readonly content: FetchedContent | null;
  /** The prefixes of the content; null where there is none. */
  readonly text: ListText | null;
  readonly accepted: string | null;
}

export type ReadList =
  | { readonly content: Omit<FetchedContent, "number" | "at">; readonly packed: string }
  /** The prefixes are unchanged; other lines may not be. */
  | { readonly content: null; readonly rejected: FetchedContent["rejected"] }
  | { readonly problem: Omit<FetchProblem, "since"> };

/** Reads a fetched list and decides whether it replaces the previous content. O(n log n), in slices. */
export async function readFetchedList(
  bytes: Uint8Array,
  definition: ExternalListDefinition,
  known: Known,
): Promise<ReadList> {
  const read = await readLines(bytes, definition);
  const text = await inSlices(writingList((family) => prefixesIn(read, family)));
  const entries = { 4: countOf(read, 4), 6: countOf(read, 6) };
  const { count, lines } = read.skipped;
  const rejected = { count, lines: lines.map(({ line, text: shown, reason }) => ({ line, text: shown, reason })) };
  const problem = unfit(bytes, read, definition) ?? (await inSlices(findingWide(text, definition)));
  if (problem !== undefined) return { problem: refused(problem.code, problem.message) };
  const digest = await inSlices(digestingList(text));
  if (digest === known.content?.digest) return { content: null, rejected };
  const change = known.text === null ? null : await inSlices(comparing(known.text, text));
  const unusual = change === null ? undefined : unusualChange(known.content!, change, definition);
  if (unusual !== undefined && digest !== known.accepted)
    return { problem: { ...refused("changes", unusual), digest } };
  return { content: { digest, entries, rejected, change }, packed: await packList(text) };
}

function refused(code: string, message: string): Omit<FetchProblem, "since"> {
  return { kind: "refused", code, message, digest: null };
}

/** Bytes that are not UTF-8 may be in a comment; only lines that they make unreadable are left out. */
async function readLines(bytes: Uint8Array, { format }: ExternalListDefinition): Promise<ImportedColumns> {
  const file = new RuleImport(format, {
    allowSpecialPurpose: true,
    skipInvalid: true,
    maxSkipped: SHOWN,
    maxRules: MAX_LIST_ENTRIES,
  });
  await inSlices(feeding(bytes, file));
  return inSlices(file.endInSteps());
}

function* feeding(bytes: Uint8Array, file: RuleImport): Generator<undefined, void, undefined> {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  for (let at = 0; at < bytes.length && !file.hasEnded; at += BYTES_AT_ONCE) {
    file.write(decoder.decode(bytes.subarray(at, at + BYTES_AT_ONCE), { stream: true }));
    yield;
  }
}

function* prefixesIn({ parts }: ImportedColumns, family: Family): Generator<Prefix> {
  for (const part of parts)
    if (part.family === family) for (let at = 0; at < part.lengths.length; at++) yield prefixIn(part, at);
}

function countOf({ parts }: ImportedColumns, family: Family): number {
  return parts.reduce((sum, part) => sum + (part.family === family ? part.lengths.length : 0), 0);
}

interface Unfit {
  readonly code: string;
  readonly message: string;
}

/** Why it is not a list of this format, or may not replace the previous one. */
function unfit(bytes: Uint8Array, read: ImportedColumns, definition: ExternalListDefinition): Unfit | undefined {
  const entries = countOf(read, 4) + countOf(read, 6);
  const [error] = read.errors;
  const [bad] = read.skipped.lines;
  if (isMarkup(bytes)) return { code: "html", message: "it is a web page, not a list; open the URL in a browser" };
  if (error !== undefined) return { code: "unreadable", message: `line ${error.line}: ${errorText(error)}` };
  if (bad !== undefined && read.skipped.count > entries)
    return {
      code: "unreadable",
      message: `most of its lines cannot be read as ${definition.format}; line ${bad.line}: ${bad.reason}`,
    };
  if (bad !== undefined && definition.never_block === true) return incompleteProblem(bad.line, bad.reason);
  if (entries === 0 && !definition.allow_empty)
    return { code: "empty", message: "it has no addresses; set allow_empty if that is right" };
  return undefined;
}

function isMarkup(bytes: Uint8Array): boolean {
  return /^\ufeff?\s*</.test(new TextDecoder().decode(bytes.subarray(0, 1000)));
}

function* findingWide(
  text: ListText,
  { min_prefix_v4: shortest4, min_prefix_v6: shortest6 }: ExternalListDefinition,
): Generator<undefined, Unfit | undefined, undefined> {
  let seen = 0;
  for (const [family, shortest] of [[4, shortest4] as const, [6, shortest6] as const])
    for (const prefix of prefixesOfList(text[family])) {
      if (prefix.length < shortest)
        return {
          code: "too-wide",
          message: `it has ${formatPrefix(prefix)}; at most a /${shortest} is accepted (min_prefix_v${family})`,
        };
      if (++seen % ENTRIES_AT_ONCE === 0) yield;
    }
  return undefined;
}

/** Both are in the order of prefixes. Can be interrupted. */
function* comparing(before: ListText, after: ListText): Generator<undefined, ContentChange, undefined> {
  const [added, removed] = [new FirstOf(), new FirstOf()];
  let seen = 0;
  for (const family of [4, 6] as const) {
    const [old, now] = [prefixesOfList(before[family]), prefixesOfList(after[family])];
    let [one, other] = [old.next(), now.next()];
    while (one.done !== true || other.done !== true) {
      const order = one.done === true ? 1 : other.done === true ? -1 : comparePrefixes(one.value, other.value);
      if (order < 0) removed.add(one.value!);
      if (order > 0) added.add(other.value!);
      if (order <= 0) one = old.next();
      if (order >= 0) other = now.next();
      if (++seen % ENTRIES_AT_ONCE === 0) yield;
    }
  }
  return { added: added.count, removed: removed.count, firstAdded: added.first, firstRemoved: removed.first };
}

class FirstOf {
  count = 0;
  readonly first: string[] = [];

  add(prefix: Prefix): void {
    if (this.count++ < SHOWN) this.first.push(formatPrefix(prefix));
  }
}

function unusualChange(
  { entries }: FetchedContent,
  { added, removed }: ContentChange,
  { max_change: most }: ExternalListDefinition,
): string | undefined {
  const before = entries[4] + entries[6];
  if (before < FEW_ENTRIES) return undefined;
  const cure = `at most ${most} % may change (max_change); review the list, then accept it`;
  if (removed * 100 > most * before) return `${removed} of ${before} entries are gone; ${cure}`;
  if (added > FEW_ADDED && added * 100 > most * before) return `${added} entries are new to ${before}; ${cure}`;
  return undefined;
}
