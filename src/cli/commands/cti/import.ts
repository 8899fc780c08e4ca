import { stat } from "node:fs/promises";
import { basename } from "node:path";
import { inputChunks } from "../../../batch/input/input-chunks.ts";
import { CtiBuilder } from "../../../cti/dataset-builder.ts";
import type { CtiSource } from "../../../cti/dataset.ts";
import { CLASSIFICATIONS, type Classification, type CtiRecord, recordOf } from "../../../cti/fields.ts";
import { FEED_FORMATS, type FeedFormat, FeedImport, type FeedOptions } from "../../../cti/import-feed.ts";
import type { FeedReport } from "../../../cti/importers/feed.ts";
import { FeedError } from "../../../cti/importers/feed-error.ts";
import { writeSnapshot } from "../../../snapshot/write-snapshot.ts";
import { freeze } from "../../../table/freeze.ts";
import { type Arguments, type Command, EXIT } from "../../command.ts";
import { CTI_KIND } from "../../cti-snapshot.ts";
import { byteSize, counted } from "../../output/numbers.ts";
import { createProgress, PROGRESS_MODES, type ProgressMode } from "../../output/progress.ts";
import { standardError } from "../../output/standard-error.ts";
import { UsageError } from "../../usage-error.ts";

export const importCommand: Command = {
  name: "cti import",
  summary: "make a threat-intelligence dataset of feeds",
  operands: "FILE...",
  minOperands: 1,
  maxOperands: Infinity,
  options: [
    {
      name: "output",
      short: "o",
      value: "FILE",
      isPath: true,
      help: "the dataset to write; readers see the old file or the new one",
    },
    {
      name: "format",
      value: "FORMAT",
      choices: FEED_FORMATS,
      help: "of all files; default: told by the first line of each",
    },
    { name: "tag", value: "TAG", repeats: true, help: "a tag for every entry; may be given several times" },
    { name: "classification", value: "CLASS", choices: CLASSIFICATIONS, help: "of entries whose feed says none" },
    { name: "actor", value: "NAME", help: "of entries whose feed names none" },
    { name: "spoofable", value: "true|false", choices: ["true", "false"], help: "of entries whose feed does not say" },
    { name: "strict", help: "write nothing if any line cannot be read" },
    {
      name: "progress",
      value: "MODE",
      choices: PROGRESS_MODES,
      help: "auto (a bar on a terminal), bar, json (a line a second), none",
    },
  ],
  notes: [
    'Each line names one address or prefix: ndjson, a document with "ip" and the members of "cti lookup --extended"; csv, a table whose first line names those as columns (ip, tags, src.asn.number), lists parted by "|"; list, nothing else, "#" or ";" before a comment. .gz and .zst files are unpacked, "-" is standard input.',
    "What several feeds say about one address is united: all tags and other lists, the gravest classification, the first and the last day; not spoofable if one of them knows it; of other texts the one that sorts first. What is said about an address itself beats what is said about a network around it.",
    "Host bits are cleared and counted. A line that cannot be read is reported as file:line:column and left out. Exit code: 0 if the dataset was written, 2 if not.",
  ],
  examples: [
    {
      command: "ipsieve cti import --tag tor --classification promiscuous tor.txt -o cti.ipsieve",
      what: "one list, one tag",
    },
    { command: "ipsieve cti import sensors.ndjson.gz partners.csv -o cti.ipsieve", what: "feeds that say more" },
  ],
  run,
};

async function run(args: Arguments): Promise<number> {
  const output = args.value("output");
  if (output === undefined) throw new UsageError("cti import needs -o FILE, the dataset to write");
  await refuseOverwriting(output, args.operands);
  const builder = new CtiBuilder();
  const options = { format: args.value("format") as FeedFormat | undefined, defaults: defaultsOf(args) };
  const reports = await readFeeds(args.operands, options, builder, (args.value("progress") ?? "auto") as ProgressMode);
  const left = reports.reduce((sum, { faultCount }) => sum + faultCount, 0);
  if (left > 0 && args.has("strict"))
    throw new UsageError(
      `${output} is not written: ${counted(left, "line")} cannot be read; correct the feeds or leave out --strict`,
    );
  if (builder.size === 0) throw new UsageError(`${output} is not written: no feed holds an entry that can be read`);
  const sources = args.operands.map((path, i) => ({
    name: path === "-" ? "standard input" : basename(path),
    entries: reports[i]!.entries,
  }));
  await write(output, builder, sources);
  return EXIT.matched;
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
  paths: readonly string[],
  options: FeedOptions,
  builder: CtiBuilder,
  mode: ProgressMode,
): Promise<FeedReport[]> {
  const totalBytes = await sizeOf(paths);
  const progress = createProgress(mode, false);
  const start = performance.now();
  let bytesRead = 0;
  let lines = 0;
  const reports: FeedReport[] = [];
  for (const path of paths) {
    const report = await readFeed(path, options, builder, (bytes, linesOfFeed) => {
      bytesRead += bytes;
      progress?.update({ bytesRead, totalBytes, lines: lines + linesOfFeed, elapsed: performance.now() - start });
    }).finally(() => progress?.end());
    tell(path, report);
    lines += report.lines;
    reports.push(report);
  }
  return reports;
}

async function readFeed(
  path: string,
  options: FeedOptions,
  builder: CtiBuilder,
  onPiece: (bytes: number, lines: number) => void,
): Promise<FeedReport> {
  const feed = new FeedImport(options, (prefix, record) => builder.add(prefix, record));
  // What is not UTF-8 becomes U+FFFD, which no line may hold. A byte order mark is dropped.
  const decoder = new TextDecoder();
  let bytes = 0;
  try {
    for await (const chunk of inputChunks(path, (more) => (bytes += more))) {
      feed.push(decoder.decode(chunk, { stream: true }));
      onPiece(bytes, feed.lines);
      bytes = 0;
    }
    feed.push(decoder.decode());
    return feed.end();
  } catch (error) {
    throw error instanceof FeedError ? new UsageError(`${path}:${error.line}: ${error.problem}`) : error;
  }
}

/** The size of all files, null where one is a stream or a pipe. */
async function sizeOf(paths: readonly string[]): Promise<number | null> {
  const found = await Promise.all(paths.map((path) => (path === "-" ? undefined : stat(path).catch(() => undefined))));
  return found.every((file) => file?.isFile()) ? found.reduce((sum, file) => sum + file!.size, 0) : null;
}

/** Lines of one feed that are reported one by one: a file that is no feed has as many bad ones as lines. */
const MOST_COMPLAINTS = 20;

function tell(path: string, { entries, lines, faults, faultCount, warnings }: FeedReport): void {
  const told = faults
    .slice(0, MOST_COMPLAINTS)
    .map(({ line, column, message }) => `${path}:${line}:${column}: ${message}`);
  if (faultCount > told.length)
    told.push(`${path}: ... and ${counted(faultCount - told.length, "more line")} like these`);
  for (const { message, count, line } of warnings) told.push(`${path}:${line}: ${message} (${counted(count, "line")})`);
  const left = faultCount === 0 ? "" : `, ${counted(faultCount, "line")} left out`;
  standardError().write(
    [...told, `${path}: ${counted(entries, "entry", "entries")} in ${counted(lines, "line")}${left}`, ""].join("\n"),
  );
}

async function write(output: string, builder: CtiBuilder, sources: readonly CtiSource[]): Promise<void> {
  const createdAt = new Date();
  const { trie, metadata } = builder.build({ title: sources.map(({ name }) => name).join(", "), createdAt, sources });
  const info = await writeSnapshot(output, { table: freeze(trie), metadata, kind: CTI_KIND, createdAt });
  const documents = metadata.documents.ends.length / 4;
  const parts = [
    counted(trie.size, "prefix", "prefixes"),
    counted(documents, "distinct document"),
    byteSize(info.byteLength),
  ];
  standardError().write(`${output}: ${parts.join(", ")}\n`);
}

/** `ipsieve cti import *.txt -o list.txt` must not cost the list. */
async function refuseOverwriting(output: string, feeds: readonly string[]): Promise<void> {
  const existing = await stat(output).catch(() => undefined);
  if (existing === undefined) return;
  for (const feed of feeds) {
    const { dev, ino } = (feed === "-" ? undefined : await stat(feed).catch(() => undefined)) ?? {};
    if (dev === existing.dev && ino === existing.ino)
      throw new UsageError(`-o ${output} is one of the feeds; give another file`);
  }
}
