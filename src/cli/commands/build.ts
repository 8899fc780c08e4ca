import { stat } from "node:fs/promises";
import { basename } from "node:path";
import type { Prefix } from "../../address/address.ts";
import { Catalogue, type CatalogueSource, CATALOGUE_KIND } from "../../cbs/catalogue.ts";
import { CatalogueBuilder } from "../../cbs/catalogue-builder.ts";
import { SOURCES } from "../../cbs/importers/sources.ts";
import type { Favour } from "../../table/freeze.ts";
import { writeSnapshot } from "../../snapshot/write-snapshot.ts";
import { type Arguments, type Command, EXIT } from "../runner/command.ts";
import { byteSize } from "../output/numbers.ts";
import { counted } from "../../words/numbers.ts";
import { standardError } from "../runner/standard-error.ts";
import { addPublishedFiles, type FileReport, publishedFile } from "../rule-lists/published-files.ts";
import { LineMessages } from "../rule-lists/line-messages.ts";
import { type ListColumns, listLabel, readList } from "../rule-lists/read-list.ts";
import { durationOf } from "../options/duration.ts";
import { wholeNumber } from "../runner/parse-arguments.ts";
import { UsageError } from "../runner/usage-error.ts";

const FAVOURS = ["speed", "size", "balance"] as const satisfies Favour[];

export const buildCommand: Command = {
  name: "build",
  summary: "build a catalogue from your own lists, for use with --snapshot",
  operands: "[LIST...]",
  options: [
    {
      name: "output",
      short: "o",
      value: "FILE",
      isPath: true,
      help: "the catalogue to write; replaced atomically",
    },
    {
      name: "label",
      value: "NAME",
      help: "label for lines without one; default: the list's file name without its extension",
    },
    {
      name: "source",
      value: "SOURCE=FILE",
      repeats: true,
      help: "a publisher's file, as in aws=ip-ranges.json; may be given several times",
    },
    {
      name: "expires-in",
      value: "DURATION",
      help: "how long from now the lines of the lists expire, such as 90m, 12h, 7d or 2w; default: never",
    },
    {
      name: "expiry-column",
      value: "N",
      help: "column N of the lists is not a label but the time when the line expires, such as 2026-12-01T00:00:00Z; if it is empty, --expires-in applies",
    },
    {
      name: "name-column",
      value: "N",
      help: "column N of the lists is not a label but the name that lookups and summaries show for the line's label",
    },
    {
      name: "favour",
      value: "WHAT",
      choices: FAVOURS,
      help: "what matters most in the file: speed of lookups, size, or balance (default); speed and size compare up to 14 layouts, which takes longer",
    },
    { name: "skip-invalid", help: "leave out and report lines of the lists that are invalid" },
    { name: "strict", help: "write nothing if a publisher's file has host bits set" },
  ],
  notes: [
    'Lines are prefix[,label...] or first-last[,label...], or several entries without labels; "-" is standard input; .gz and .zst files are unpacked (recognized by their content). "#", ";" or "//" starts a comment; in labels, only after white space or a comma. A field may stand in double quotes. A label is any word, or a path such as /saas/acme/api. A prefix listed more than once gets all its labels.',
    "The prefixes of a publisher's file get the nodes that the publisher has in every catalogue, such as /cloud/aws/by-service/ec2/us-east-1. The sources are " +
      SOURCES.map(({ id }) => id).join(", ") +
      ". If a source has several lists, the file's name says which one it is; for a file with another name, give the list's path as the source: googlebot/googlebot.json=FILE. The sources text, csv, geofeed and prefixes read lists from anyone; --label /TYPE/PROVIDER names the owner. A publisher's file is imported completely or not at all.",
    "An expired line no longer counts: identify and lookup skip it, and the next less specific prefix decides. If a list gives a prefix the same label more than once, the latest expiry applies.",
    "Invalid lines, such as those with host bits, are reported as file:line, and nothing is written, unless --skip-invalid leaves them out. In a publisher's file, host bits are reported and cleared. Exit code: 0 if the catalogue was written, 2 if not.",
  ],
  examples: [
    {
      command: "ipsieve build spamhaus.txt tor.txt.gz -o bad.ipsieve",
      what: "two lists, two labels: spamhaus and tor",
    },
    {
      command: "ipsieve build offices.csv -o offices.ipsieve",
      what: "lines like 203.0.113.0/24,/office/acme/berlin",
    },
    {
      command: "ipsieve build --source aws=ip-ranges.json offices.csv -o mine.ipsieve",
      what: "a publisher's list together with your own",
    },
    {
      command: "ipsieve build --label seen --expires-in 7d --expiry-column 2 seen.csv -o seen.ipsieve",
      what: "lines like 203.0.113.7,2026-12-01T00:00:00Z; those without a time expire after a week",
    },
    { command: "ipsieve build --favour speed tor.txt -o tor.ipsieve", what: "the layout with the fastest lookups" },
    { command: "curl -s https://example.com/list | ipsieve build --label feed -o feed.ipsieve -", what: "from a pipe" },
  ],
  run,
};

/** How many warnings about a publisher's file are reported individually. */
const MAX_WARNINGS = 20;

/** The totals of reading the lists. */
interface Tally {
  prefixes: number;
  skipped: number;
  masked: number;
  expired: number;
}

/** When the lines of lists expire. */
interface Expiry {
  /** The time at which the command began. */
  readonly now: number;
  /** For lines without an expiry of their own, in milliseconds since 1970; null: never. */
  readonly default: number | null;
}

async function run(args: Arguments): Promise<number> {
  const output = args.value("output");
  if (output === undefined) throw new UsageError("build needs -o FILE, the catalogue to write");
  const files = args.values("source").map(publishedFile);
  if (args.operands.length + files.length === 0)
    throw new UsageError("build needs LIST... or --source SOURCE=FILE; usage: ipsieve build [LIST...]");
  const inputs = [...args.operands, ...files.map(({ path }) => path)];
  if (inputs.filter((path) => path === "-").length > 1)
    throw new UsageError('"-" is given twice, and standard input can be read only once');
  await rejectOverwriting(output, inputs);
  const builder = new CatalogueBuilder();
  const tally: Tally = { prefixes: 0, skipped: 0, masked: 0, expired: 0 };
  const outcome = args.has("strict") ? "" : " (cleared)";
  const expiry = expiryOf(args);
  const columns = columnsOf(args);
  for (const list of args.operands)
    await addList(builder, list, { label: args.value("label") ?? listLabel(list), expiry, columns }, tally);
  const published = await addPublishedFiles(builder, files, args.value("label"));
  for (const each of published.reports) reportFile(each, outcome, tally);
  rejectSkipped(args, output, tally);
  if (tally.prefixes === 0) throw new UsageError(`${output} is not written: the lists contain no prefixes`);
  const favour = FAVOURS.find((each) => each === args.value("favour"));
  await write(output, builder, args.operands, published.sources, favour);
  if (tally.skipped + tally.masked + tally.expired > 0) standardError().write(`ipsieve: ${skippedText(tally)}\n`);
  return EXIT.matched;
}

/** Throws UsageError for lines that may not be left out, or changed. */
function rejectSkipped(args: Arguments, output: string, { skipped, masked }: Tally): void {
  if (skipped > 0 && !args.has("skip-invalid"))
    throw new UsageError(
      `${output} is not written: ${counted(skipped, "line")} cannot be read; correct ${skipped === 1 ? "it" : "them"}, or leave such lines out with --skip-invalid`,
    );
  if (masked > 0 && args.has("strict"))
    throw new UsageError(
      `${output} is not written: ${counted(masked, "line")} with host bits; correct the file or leave out --strict`,
    );
}

function expiryOf(args: Arguments): Expiry {
  const [duration, column] = [args.value("expires-in"), args.value("expiry-column")];
  const given = duration === undefined ? (column === undefined ? null : "expiry-column") : "expires-in";
  if (given !== null && args.operands.length === 0)
    throw new UsageError(`--${given} applies to LISTs, and none is given; a publisher's files have no expiries`);
  const now = Date.now();
  return {
    now,
    default: duration === undefined ? null : now + durationOf("expires-in", duration),
  };
}

function columnsOf(args: Arguments): ListColumns {
  const numberOf = (option: string): number | null => {
    const text = args.value(option);
    if (text === undefined) return null;
    if (args.operands.length === 0)
      throw new UsageError(
        `--${option} applies to LISTs, and none is given; a publisher's files have columns of their own`,
      );
    return wholeNumber(option, text, 1000, 2);
  };
  const columns = { expiry: numberOf("expiry-column"), name: numberOf("name-column") };
  if (columns.name === null || columns.name !== columns.expiry) return columns;
  throw new UsageError(`--name-column and --expiry-column are both ${columns.name}; give two different columns`);
}

/** How the lines of a list are read. */
interface ListReading {
  readonly label: string;
  readonly expiry: Expiry;
  readonly columns: ListColumns;
}

async function addList(
  builder: CatalogueBuilder,
  list: string,
  { label, expiry, columns }: ListReading,
  tally: Tally,
): Promise<void> {
  const source = basename(list);
  const messages = new LineMessages(list);
  const report = ({ line, message }: { line: number; message: string }): void => {
    messages.add(line, message);
    tally.skipped++;
  };
  await readList(
    list,
    ({ line, prefixes, labels, name, expiresAt: ownExpiry }) => {
      const ids = labels.length > 0 ? labels : [label];
      try {
        for (const id of ids) checkLabel(id, prefixes[0]!);
        if (name !== "") nameLabel(builder, ids, name);
      } catch (error) {
        report({ line, message: (error as Error).message });
        return;
      }
      const expiresAt = ownExpiry ?? expiry.default;
      for (const prefix of prefixes)
        for (const id of ids) {
          if (expiresAt === null) builder.append(prefix, id, source);
          else builder.add(prefix, id, source, expiresAt);
        }
      if (expiresAt !== null && expiresAt <= expiry.now) tally.expired++;
      tally.prefixes += prefixes.length;
    },
    report,
    columns,
    ({ family, length, words }) => {
      if (expiry.default !== null || !goodLabels.has(label)) return false;
      builder.appendWords(family, words[0]!, words[1]!, words[2]!, words[3]!, length, label, source);
      tally.prefixes++;
      return true;
    },
  );
  messages.end();
}

/** Reports what was read from a publisher's file. Repeats are only counted: in some lists, every other line is one. */
function reportFile({ path, ipv4, ipv6, warnings, warningCounts }: FileReport, outcome: string, tally: Tally): void {
  const shown = warnings.filter(({ code }) => code !== "repeat").slice(0, MAX_WARNINGS);
  for (const { code, message } of shown)
    standardError().write(`${path}: ${message}${code === "host-bits" ? outcome : ""}\n`);
  const { repeat = 0, "host-bits": masked = 0, ...others } = warningCounts;
  const more = Object.values(others).reduce((sum, count) => sum + count, masked) - shown.length;
  if (more > 0) standardError().write(`${path}: ... and ${counted(more, "more warning")}\n`);
  standardError().write(
    `${path}: ${counted(ipv4, "IPv4 prefix", "IPv4 prefixes")}, ${counted(ipv6, "IPv6 prefix", "IPv6 prefixes")}${repeat > 0 ? `, including ${counted(repeat, "repeat")}` : ""}\n`,
  );
  tally.prefixes += ipv4 + ipv6;
  tally.masked += masked;
}

const goodLabels = new Set<string>();

/**
 * Throws CatalogueError for a label that no catalogue takes. Checked against an empty catalogue, so that a bad line
 * adds nothing.
 */
function checkLabel(label: string, prefix: Prefix): void {
  if (goodLabels.has(label)) return;
  new CatalogueBuilder().add(prefix, label);
  goodLabels.add(label);
}

/** Throws UsageError if the label is ambiguous, CatalogueError if it already has another name. */
function nameLabel(builder: CatalogueBuilder, labels: readonly string[], name: string): void {
  if (labels.length > 1)
    throw new UsageError(
      `${JSON.stringify(name)} names only one label, but the line has several (${labels.join(", ")}); write a line for each`,
    );
  builder.addNode(labels[0]!, name);
}

async function write(
  output: string,
  builder: CatalogueBuilder,
  lists: readonly string[],
  published: readonly CatalogueSource[],
  favour: Favour | undefined,
): Promise<void> {
  const createdAt = new Date();
  const sources = [...published, ...lists.map(ownSource)];
  const title = sources.map(({ name }) => name).join(", ");
  const { table, metadata } = builder.finish({ title, createdAt, sources }, favour);
  const { nodeCount } = new Catalogue(metadata, table);
  const info = await writeSnapshot(output, { table, metadata, kind: CATALOGUE_KIND, createdAt });
  const parts = [
    counted(table.prefixCount(4) + table.prefixCount(6), "prefix", "prefixes"),
    counted(nodeCount, "node"),
    byteSize(info.byteLength),
  ];
  standardError().write(`${output}: ${parts.join(", ")}\n`);
}

/** Nothing but the name is known about a user's own list. */
function ownSource(list: string): CatalogueSource {
  return {
    id: null,
    name: basename(list),
    version: null,
    url: null,
    license: null,
    attribution: null,
    publishedAt: null,
    fetchedAt: null,
    changedAt: null,
  };
}

function skippedText({ skipped, masked, expired }: Tally): string {
  const parts = [];
  if (skipped > 0) parts.push(`${counted(skipped, "line")} left out`);
  if (masked > 0) parts.push(`${counted(masked, "line")} with host bits`);
  if (expired > 0) parts.push(`${counted(expired, "line")} already expired`);
  return parts.join(", ");
}

/** `ipsieve build *.txt -o list.txt` must not overwrite the list. */
async function rejectOverwriting(output: string, lists: readonly string[]): Promise<void> {
  const existing = await stat(output).catch(() => undefined);
  if (existing === undefined) return;
  for (const list of lists) {
    const { dev, ino } = (list === "-" ? undefined : await stat(list).catch(() => undefined)) ?? {};
    if (dev === existing.dev && ino === existing.ino)
      throw new UsageError(`-o ${output} is one of the lists; give another file`);
  }
}
