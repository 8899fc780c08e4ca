import { stat } from "node:fs/promises";
import { basename } from "node:path";
import { inputChunks } from "../../../batch/input/input-chunks.ts";
import { CtiBuilder } from "../../../cti/dataset-builder.ts";
import { CTI_KIND } from "../../../cti/cti-kind.ts";
import { CtiDataset, type CtiSource } from "../../../cti/dataset.ts";
import { buildingIndex } from "../../../cti/search/build-index.ts";
import { CLASSIFICATIONS, type Classification, type CtiRecord, recordOf } from "../../../cti/fields.ts";
import { FEED_FORMATS, type FeedFormat, FeedImport, type FeedOptions } from "../../../cti/import-feed.ts";
import type { FeedReport } from "../../../cti/importers/feed.ts";
import { FeedError } from "../../../cti/importers/feed-error.ts";
import {
  type ImportedFeed,
  type ImportRejection,
  MAX_REPORTED_LINES,
  type ReplacedDataset,
  type WrittenDataset,
} from "../../../cti/import-report.ts";
import { BatchError } from "../../../batch/batch-error.ts";
import { FeedFiles } from "../../../service/datasets/feed-files.ts";
import { openSnapshot } from "../../../snapshot/open-snapshot.ts";
import { SnapshotError } from "../../../snapshot/snapshot-error.ts";
import { writeSnapshot } from "../../../snapshot/write-snapshot.ts";
import { freeze } from "../../../table/freeze.ts";
import { finished } from "../../../turns/finished.ts";
import { type Arguments, type Command, EXIT } from "../../runner/command.ts";
import { wholeNumber } from "../../runner/parse-arguments.ts";
import { byteSize } from "../../output/numbers.ts";
import { counted, grouped } from "../../../words/numbers.ts";
import { createProgress, PROGRESS_MODES, type ProgressMode } from "../../output/progress.ts";
import { standardError } from "../../runner/standard-error.ts";
import { endWithParent } from "../../runner/end-with-parent.ts";
import { UsageError } from "../../runner/usage-error.ts";

export const importCommand: Command = {
  name: "cti import",
  summary: "build a threat-intelligence dataset from feeds",
  operands: "FILE...",
  options: [
    {
      name: "output",
      short: "o",
      value: "FILE",
      isPath: true,
      help: "the dataset to write; replaced atomically",
    },
    {
      name: "format",
      value: "FORMAT",
      choices: FEED_FORMATS,
      help: "the format of all files; default: detected from the first line of each",
    },
    { name: "tag", value: "TAG", repeats: true, help: "a tag for every entry; may be given several times" },
    { name: "classification", value: "CLASS", choices: CLASSIFICATIONS, help: "for entries whose feed has none" },
    { name: "actor", value: "NAME", help: "for entries whose feed has none" },
    { name: "spoofable", value: "true|false", choices: ["true", "false"], help: "for entries whose feed does not say" },
    { name: "skip-invalid", help: "leave out and report lines that are invalid" },
    {
      name: "max-shrink",
      value: "PERCENT",
      help: "write nothing if more than this share of the prefixes in the existing dataset would be removed; default: 100",
    },
    { name: "max-bytes", value: "N", help: "reject a feed larger than N bytes when unpacked" },
    {
      name: "source",
      value: "NAME",
      help: "the feed's name in the dataset, if only one feed is given; default: its file's name",
    },
    { name: "json", help: "print what was read, skipped and written as JSON, even if nothing was written" },
    {
      name: "progress",
      value: "MODE",
      choices: PROGRESS_MODES,
      help: "progress on stderr: auto (default; a bar on a terminal), bar, json (one line per second), none",
    },
  ],
  notes: [
    'Formats: ndjson (a document with "ip" and the members that "cti lookup --extended" shows), csv (a table whose first line names these members as columns, such as ip, tags or src.asn.number, with lists separated by "|"), list (addresses, prefixes and FIRST-LAST ranges; "#", ";" or "//" begins a comment). .gz and .zst files are unpacked; "-" is standard input.',
    "If several feeds list the same address, their entries are merged: tags and other lists are combined; the most serious classification and the first and last day are kept; the address is not spoofable if any entry says so; of any other text, the value that sorts first is kept. An entry for an address itself takes precedence over one for a network that contains it.",
    "Host bits are cleared and counted in ndjson and csv, and invalid in a list. Invalid lines are reported as file:line:column, and nothing is written, unless --skip-invalid leaves them out. Exit code: 0 if the dataset was written, 2 if not.",
  ],
  examples: [
    {
      command: "ipsieve cti import --tag tor --classification promiscuous tor.txt -o cti.ipsieve",
      what: "one list, one tag",
    },
    { command: "ipsieve cti import sensors.ndjson.gz partners.csv -o cti.ipsieve", what: "feeds with more details" },
  ],
  run,
};

/** What `--json` prints at the end; filled in as it becomes known. */
interface Report {
  readonly feeds: ImportedFeed[];
  replaced: ReplacedDataset | null;
  dataset: WrittenDataset | null;
  refusal: ImportRejection | null;
}

async function run(args: Arguments): Promise<number> {
  const report: Report = { feeds: [], replaced: null, dataset: null, refusal: null };
  try {
    await importFeeds(args, report);
  } catch (error) {
    report.refusal = rejectionOf(error);
    throw error;
  } finally {
    const isKnown = report.dataset !== null || report.refusal !== null;
    if (args.has("json") && isKnown) process.stdout.write(`${JSON.stringify(report)}\n`);
  }
  return EXIT.matched;
}

/** An import that writes nothing; `refusal` gives the reason, without a file path. */
class RejectedImport extends UsageError {
  readonly refusal: ImportRejection;

  constructor(text: string, refusal: ImportRejection) {
    super(text);
    this.refusal = refusal;
  }
}

/** Null for errors that neither the feeds nor the disk cause: an option, or a bug. */
function rejectionOf(error: unknown): ImportRejection | null {
  if (error instanceof RejectedImport) return error.refusal;
  if (error instanceof SnapshotError && error.code === "unwritable")
    return { reason: "unwritable", line: null, message: withoutPath(error.message, error.path) };
  return null;
}

function withoutPath(message: string, path: string): string {
  return message.startsWith(`${path}: `) ? message.slice(path.length + 2) : message;
}

async function importFeeds(args: Arguments, report: Report): Promise<void> {
  const output = args.value("output");
  if (output === undefined) throw new UsageError("cti import needs -o FILE, the dataset to write");
  const checkParent = endWithParent(() => new FeedFiles(output).removeDrafts(process.pid));
  const maxShrink = wholeNumber("max-shrink", args.value("max-shrink") ?? "100", 100, 0);
  const sourceNames = sourceNamesOf(args);
  await rejectOverwriting(output, args.operands);
  const builder = new CtiBuilder();
  await readFeeds(args, sourceNames, builder, report);
  const left = report.feeds.reduce((sum, { skipped }) => sum + skipped, 0);
  const isNotWritten = `${output} is not written: `;
  if (builder.size === 0) refuse("no-entries", "no feed holds an entry that can be read", isNotWritten);
  if (left > 0 && !args.has("skip-invalid"))
    refuse(
      "skipped",
      `${counted(left, "line")} cannot be read; correct ${left === 1 ? "it" : "them"}, or leave such lines out with --skip-invalid`,
      isNotWritten,
      report.feeds.flatMap(({ skippedLines }) => skippedLines)[0]?.line,
    );
  const sources = report.feeds.map(({ source, entries }) => ({ name: source, entries }));
  checkParent();
  await write(output, builder, sources, { maxShrink, isCompared: args.has("json") || maxShrink < 100 }, report);
}

function refuse(
  reason: ImportRejection["reason"],
  message: string,
  location: string,
  line: number | null = null,
): never {
  throw new RejectedImport(location + message, { reason, line, message });
}

function sourceNamesOf(args: Arguments): readonly string[] {
  const source = args.value("source");
  if (source === undefined) return args.operands.map((path) => (path === "-" ? "standard input" : basename(path)));
  if (args.operands.length > 1) throw new UsageError("--source names one feed; give one FILE, or leave it out");
  return [source];
}

function defaultsOf(args: Arguments): CtiRecord {
  const spoofable = args.value("spoofable");
  return recordOf({
    tags: args.values("tag"),
    classification: (args.value("classification") ?? "unknown") as Classification,
    actor: args.value("actor") ?? "",
    spoofable: spoofable === undefined ? null : spoofable === "true",
  });
}

async function readFeeds(
  args: Arguments,
  sources: readonly string[],
  builder: CtiBuilder,
  { feeds }: Report,
): Promise<void> {
  const paths = args.operands;
  const totalBytes = await sizeOf(paths);
  const progress = createProgress((args.value("progress") ?? "auto") as ProgressMode, false);
  const maxBytes = args.value("max-bytes");
  const options: FeedReading = {
    format: args.value("format") as FeedFormat | undefined,
    defaults: defaultsOf(args),
    maxBytes: maxBytes === undefined ? Infinity : wholeNumber("max-bytes", maxBytes, MAX_WHOLE_NUMBER),
  };
  const start = performance.now();
  let bytesRead = 0;
  let lines = 0;
  for (const [index, path] of paths.entries()) {
    const read = await readFeed(path, options, builder, (bytes, linesOfFeed) => {
      bytesRead += bytes;
      progress?.update({ bytesRead, totalBytes, lines: lines + linesOfFeed, elapsed: performance.now() - start });
    }).finally(() => progress?.end());
    reportFeed(path, read);
    lines += read.lines;
    feeds.push({
      source: sources[index]!,
      lines: read.lines,
      entries: read.entries,
      skipped: read.skippedCount,
      skippedLines: read.skippedLines.slice(0, MAX_REPORTED_LINES),
      warnings: read.warnings,
    });
  }
}

const MAX_WHOLE_NUMBER = 999_999_999;

interface FeedReading extends FeedOptions {
  readonly maxBytes: number;
}

async function readFeed(
  path: string,
  { maxBytes, ...options }: FeedReading,
  builder: CtiBuilder,
  onPiece: (bytes: number, lines: number) => void,
): Promise<FeedReport> {
  const feed = new FeedImport(options, (prefix, record) => builder.add(prefix, record));
  // Bytes that are not UTF-8 become U+FFFD, which no line may contain. A byte order mark is dropped.
  const decoder = new TextDecoder();
  let bytes = 0;
  let unpacked = 0;
  try {
    for await (const chunk of inputChunks(path, (more) => (bytes += more))) {
      unpacked += chunk.length;
      if (unpacked > maxBytes)
        refuse("too-long", `the feed holds more than ${grouped(maxBytes)} bytes, unpacked`, `${path}: `);
      feed.push(decoder.decode(chunk, { stream: true }));
      onPiece(bytes, feed.lines);
      bytes = 0;
    }
    feed.push(decoder.decode());
    return feed.end();
  } catch (error) {
    if (error instanceof FeedError) refuse("feed", error.problem, `${path}:${error.line}: `, error.line);
    if (!(error instanceof BatchError)) throw error;
    // Such as a gzip file that ends too early: the lines before that were read.
    throw new RejectedImport(error.message, {
      reason: "feed",
      line: error.line ?? feed.lines + 1,
      message: withoutPath(error.message, path),
    });
  }
}

/** The size of all files, null where one is a stream or a pipe. */
async function sizeOf(paths: readonly string[]): Promise<number | null> {
  const found = await Promise.all(paths.map((path) => (path === "-" ? undefined : stat(path).catch(() => undefined))));
  return found.every((file) => file?.isFile()) ? found.reduce((sum, file) => sum + file!.size, 0) : null;
}

function reportFeed(path: string, { entries, lines, skippedLines, skippedCount, warnings }: FeedReport): void {
  const shown = skippedLines
    .slice(0, MAX_REPORTED_LINES)
    .map(({ line, column, message }) => `${path}:${line}:${column}: ${message}`);
  if (skippedCount > shown.length)
    shown.push(`${path}: ... and ${counted(skippedCount - shown.length, "more line")} like these`);
  for (const { message, count, line } of warnings)
    shown.push(`${path}:${line}: ${message} (${counted(count, "line")})`);
  const left = skippedCount === 0 ? "" : `; ${counted(skippedCount, "line")} cannot be read`;
  standardError().write(
    [...shown, `${path}: ${counted(entries, "entry", "entries")} in ${counted(lines, "line")}${left}`, ""].join("\n"),
  );
}

async function write(
  output: string,
  builder: CtiBuilder,
  sources: readonly CtiSource[],
  { maxShrink, isCompared }: { readonly maxShrink: number; readonly isCompared: boolean },
  report: Report,
): Promise<void> {
  const createdAt = new Date();
  const { trie, metadata } = builder.build({ title: sources.map(({ name }) => name).join(", "), createdAt, sources });
  if (isCompared) report.replaced = await compare(output, trie);
  if (report.replaced !== null) rejectShrinking(output, report.replaced, maxShrink);
  const table = freeze(trie);
  const index = finished(buildingIndex(new CtiDataset(metadata, table)));
  const info = await writeSnapshot(output, { table, metadata: { ...metadata, index }, kind: CTI_KIND, createdAt });
  const documents = metadata.documents.ends.length / 4;
  const { generation, byteLength } = info;
  report.dataset = {
    createdAt: createdAt.toISOString(),
    generation,
    ipv4: trie.sizeOf(4),
    ipv6: trie.sizeOf(6),
    documents,
    bytes: byteLength,
  };
  const parts = [
    counted(trie.size, "prefix", "prefixes"),
    counted(documents, "distinct document"),
    byteSize(byteLength),
  ];
  standardError().write(`${output}: ${parts.join(", ")}\n`);
}

type BuiltTrie = ReturnType<CtiBuilder["build"]>["trie"];

/** What the new dataset has in common with the one it replaces; null if there is no readable one. */
async function compare(output: string, trie: BuiltTrie): Promise<ReplacedDataset | null> {
  const before = await openSnapshot(output).catch(() => undefined);
  if (before === undefined || before.info.kind !== CTI_KIND) return null;
  let [kept, prefixes] = [0, 0];
  for (const family of [4, 6] as const) {
    prefixes += before.table.prefixCount(family);
    for (const { prefix } of before.table.entries(family)) if (trie.has(prefix)) kept++;
  }
  return { prefixes, kept, added: trie.size - kept, removed: prefixes - kept };
}

/** A truncated or wrong feed must not destroy the dataset in use. */
function rejectShrinking(output: string, { prefixes, removed }: ReplacedDataset, maxShrink: number): void {
  if (removed <= Math.floor((prefixes * maxShrink) / 100)) return;
  const removedPercent = Math.ceil((100 * removed) / prefixes);
  const message = `it would lose ${grouped(removed)} of ${counted(prefixes, "prefix", "prefixes")} (${removedPercent} %), and at most ${maxShrink} % may be removed`;
  throw new RejectedImport(
    `${output} is not written: ${message}; check the feed, and give --max-shrink ${removedPercent} if it is right`,
    { reason: "shrinks", line: null, message, removedPercent, maxShrink },
  );
}

/** `ipsieve cti import *.txt -o list.txt` must not overwrite the list. */
async function rejectOverwriting(output: string, feeds: readonly string[]): Promise<void> {
  const existing = await stat(output).catch(() => undefined);
  if (existing === undefined) return;
  for (const feed of feeds) {
    const { dev, ino } = (feed === "-" ? undefined : await stat(feed).catch(() => undefined)) ?? {};
    if (dev === existing.dev && ino === existing.ino)
      throw new UsageError(`-o ${output} is one of the feeds; give another file`);
  }
}
