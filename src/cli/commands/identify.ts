import type { Engine } from "../../batch/engine/engine.ts";
import { DEFAULT_APPENDED_NAME, type IdentifyOptions, type WorkPerByte } from "../../batch/identify-options.ts";
import type { RowSelection } from "../../batch/engine/messages.ts";
import type { AddressChoice } from "../../batch/lines/fields/field-address.ts";
import { FIELD_SYNTAXES } from "../../batch/lines/fields/resolve-field.ts";
import { identify, prepareThreads } from "../../batch/identify.ts";
import { TIME_UNITS, type TimeUnit } from "../../batch/engine/time-counter.ts";
import type { IdentifyResult } from "../../batch/identify-result.ts";
import type { DatasetOptions } from "../address-sets/dataset-options.ts";
import { AS_OF_OPTION, chosenMoment, NOW_OPTION } from "../snapshots/catalogue-history.ts";
import { type ChosenSnapshot, chosenSnapshots, namingBadFile } from "../snapshots/chosen-snapshots.ts";
import { DEFAULT_NETWORKS, ShownNetworks } from "../snapshots/chosen-networks.ts";
import { CELLS_RENDERER } from "../../datasets/cells-renderer.ts";
import {
  COLUMN_RENDERER,
  type ColumnName,
  COLUMNS,
  CRAWLER_COLUMN,
  DEFAULT_COLUMNS,
} from "../../datasets/column-renderer.ts";
import { CATALOGUE_KIND } from "../../cbs/catalogue.ts";
import { nearest } from "../../words/nearest.ts";
import type { SnapshotCounts } from "../output/snapshot-counts.ts";
import { DEFAULT_CATALOGUE, DEFAULT_DATASET } from "../snapshots/default-datasets.ts";
import { type Arguments, type Command, EXIT } from "../runner/command.ts";
import type { CrawlerRowFormat, CrawlerRows } from "../output/crawler-rows.ts";
import { CATALOGUE_LIST } from "../list-kinds/catalogue-list.ts";
import { createProgress, PROGRESS_MODES, type ProgressMode } from "../output/progress.ts";
import { standardError } from "../runner/standard-error.ts";
import { guardStandardOutput, printShortly, printText } from "../runner/standard-output.ts";
import { styleFor } from "../output/style.ts";
import { counted } from "../../words/numbers.ts";
import { reportMalformed } from "../output/malformed-lines.ts";
import { wholeNumber } from "../runner/parse-arguments.ts";
import { rejectOwnOutput } from "../input/reject-own-output.ts";
import { UsageError } from "../runner/usage-error.ts";

const COLUMN_NAMES = [...(Object.keys(COLUMNS) as ColumnName[]), CRAWLER_COLUMN] as const;
const ROW_FORMATS = ["tsv", "jsonl", "csv", "append"] as const;
const FORMATS = [...ROW_FORMATS, "arrow", "json"] as const;
const ADDRESS_CHOICES = ["first", "last", "first-public"] as const;
const ENGINES = ["auto", "webassembly", "typescript"] as const;
const MAX_THREADS = 256;
const MAX_TOP = 1_000_000;
const SUMMARY_ROWS = 15;
/** Milliseconds that an interrupted run has to remove its unfinished output. */
const GRACE = 1000;
/** The signals that interrupt a run, with the exit codes that shells expect: 128 plus the signal's number. */
const SIGNALS = new Map<NodeJS.Signals, number>([
  ["SIGINT", EXIT.interrupted],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
]);

export const identifyCommand: Command = {
  name: "identify",
  summary: "label every line of a log with the services its address belongs to",
  operands: "[FILE...]",
  options: [
    {
      name: "format",
      value: "FORMAT",
      choices: FORMATS,
      help: "rows as tsv (default: address, most specific prefix, node ids), csv, jsonl (lookup documents with line numbers), append (the line itself with the ids added: as the last column of a table, as a member of a JSON object, otherwise after a tab), or arrow (reads an Arrow IPC stream and writes it with the columns cidr and cbs_ids); with --summary, --top or --by and no -o: json or csv",
    },
    {
      name: "columns",
      value: "LIST",
      help: `the columns of tsv, csv and append, in order, separated by commas: ${COLUMN_NAMES.join(", ")}; default: ${DEFAULT_COLUMNS.join(",")} (append: services). asn, network and country look addresses up in the networks, too`,
    },
    {
      name: "networks",
      value: "FILE|default|none",
      isPath: true,
      help: `look addresses up in these networks (AS number, organisation, country): rows of jsonl have the member network, and --summary and --top count by network and country; none: --summary and --top leave them out; "default": ${DEFAULT_NETWORKS}`,
    },
    { name: "count", short: "c", help: "print only the number of lines that match" },
    { name: "invert-match", short: "v", help: "only the lines that do not match" },
    { name: "matched", help: "only the lines that match" },
    {
      name: "summary",
      help: "counts with bars: by type, provider and service; of rulesets by rule; of threat intelligence by classification, actor and tag. Rows are written too if -o is given",
    },
    {
      name: "by",
      value: "UNIT",
      choices: Object.keys(TIME_UNITS),
      help: "lines by the minute, hour or day of their own time, in UTC: the first time in a line, as web servers, syslog, proxies and JSON write it",
    },
    {
      name: "top",
      value: "N",
      help: "the N addresses with the most lines, matched and unmatched; uses up to 64 bytes of memory per distinct address and thread",
    },
    {
      name: "output",
      short: "o",
      value: "FILE",
      isPath: true,
      help: "write rows to FILE, completely or not at all; .gz and .zst compress them",
    },
    {
      name: "field",
      value: "N|NAME",
      help: "where the address is: a column number from 1, or the name of a column, JSON member or key (as in src=192.0.2.1)",
    },
    {
      name: "address",
      value: "WHICH",
      choices: ADDRESS_CHOICES,
      help: "which address to use if a line or field has several, as in X-Forwarded-For: first (default), last, or first-public (the first that is reachable from the internet)",
    },
    {
      name: "input",
      value: "FORMAT",
      choices: FIELD_SYNTAXES,
      help: "the input format: csv, tsv, jsonl, space (text with columns separated by spaces), or keys (text with key=value); default: detected from the file's name and first line",
    },
    {
      name: "header",
      value: "yes|no",
      choices: ["yes", "no"],
      help: "whether CSV or TSV input starts with a header line; default: detected from the first line",
    },
    {
      name: "append-as",
      value: "NAME",
      help: `with --format append: the name of the new column or JSON member; default: ${DEFAULT_APPENDED_NAME}`,
    },
    { name: "text", help: "with --format jsonl: include the line itself, as the member text" },
    {
      name: "snapshot",
      value: "[NAME=]FILE",
      isPath: true,
      repeats: true,
      help: `the catalogue to use, as written by "ipsieve build"; or a ruleset file, whose rows show the prefix, name and expiry of the deciding rule; or threat intelligence, as written by "ipsieve cti import", whose rows show the prefix, classification, actor and tags; default: ${DEFAULT_CATALOGUE}. May be given several times: rows and counts then show what each of them says, labelled with NAME or the file's name; the word "default" stands for the default catalogue`,
    },
    {
      name: "only",
      value: "NAME|SET",
      isPath: true,
      help: 'with several snapshots: only the lines that match in this one (its NAME, otherwise its file name without the extension); or only the lines of these addresses: a set as for "sets", such as asn:15169, country:DE, cbs:NODE, cti:QUERY, a list or a prefix',
    },
    {
      name: "threats",
      value: "FILE",
      isPath: true,
      help: `the dataset for --only cti:...; default: ${DEFAULT_DATASET}`,
    },
    {
      name: "crawlers",
      help: 'judge who calls itself a crawler, by the user agent in the line: a last column, or a member of documents, says verified, impostor (elsewhere than the crawler\'s complete list of the last 30 days says) or unlisted; --summary counts them. "ipsieve cbs update" fetches the lists',
    },
    {
      name: "only-impostors",
      help: "only the lines of those who call themselves a crawler and are not; implies --crawlers",
    },
    AS_OF_OPTION,
    NOW_OPTION,
    {
      name: "threads",
      value: "N",
      help: "number of threads; default: one per processor; small inputs always take one",
    },
    {
      name: "engine",
      value: "ENGINE",
      choices: ENGINES,
      help: "auto (default), webassembly, or typescript (slower, same results)",
    },
    {
      name: "progress",
      value: "MODE",
      choices: PROGRESS_MODES,
      help: "progress on stderr: auto (default; a bar on a terminal), bar, json, none",
    },
  ],
  notes: [
    'Without FILE, or if FILE is "-", standard input is read; .gz and .zst input is recognized by its content. Without --field, addresses are found anywhere in a line. Every input line gives one row: a line without a match has empty columns.',
    "A field holds one address (with or without brackets, port, length, zone, quotes), a comma-separated list of them, or Forwarded (RFC 7239); a field whose first item is anything else has no address. A name is that of a column in the header, in #Fields: (W3C) or #fields (Zeek), of a JSON member, or of a key (src=192.0.2.1).",
    "CSV (a file name ending in .csv, a first line of column names, --field NAME or --input csv): quoted fields may contain newlines, and the header becomes the header of the rows. JSON (a first line that starts with a brace, or a bracket and a brace): each object is a record, one a line, several on a line or in an array; a line that is not an object is reported with its number; append keeps it in an object, as the member text. A record with more fields than the header is reported by append, too: what is added to it has no column name.",
    "An empty input is reported on stderr. Exit code: 0 if a line was selected, 1 if none was, 2 after an error or a malformed line, such as a record with more fields than the header, 130 when interrupted.",
  ],
  examples: [
    { command: "ipsieve identify access.log", what: "address, prefix and services of every line" },
    { command: "ipsieve identify --summary access.log.gz", what: "who the visitors are" },
    {
      command: "ipsieve identify --format append -o out.log.zst *.log",
      what: "each line, followed by its ids",
    },
    {
      command: "ipsieve identify --field client_ip --format jsonl events.csv",
      what: "one document per line, from a named column",
    },
    {
      command: "ipsieve identify --field xff --address first-public --format append events.jsonl",
      what: "the same objects, with one member added",
    },
    { command: "ipsieve identify --by hour access.log", what: "when there were how many lines" },
    { command: "ipsieve identify --summary --top 10 --format json access.log", what: "counts for programs" },
    {
      command: "ipsieve identify --format arrow --field client_ip < in.arrows > out.arrows",
      what: "an Arrow IPC stream with two more columns, for pandas, Polars and Spark",
    },
    {
      command: "ipsieve identify --snapshot default --snapshot bad.ipsieve --only bad access.log",
      what: "only the lines whose address is on your own list, and what else is known about them",
    },
    { command: "ipsieve identify --only country:DE access.log", what: "only the visitors from networks in Germany" },
    {
      command: "ipsieve identify --summary --snapshot default --snapshot bad.ipsieve --snapshot cti.ipsieve a.log",
      what: "who the visitors are, which rules cover them, and what is known about them",
    },
    {
      command: "ipsieve identify --only-impostors access.log",
      what: "who calls itself Googlebot, Bingbot or GPTBot, and is not",
    },
    {
      command: "ipsieve identify -c --snapshot blocklist.ipsieve access.log",
      what: "how many lines match your own list",
    },
  ],
  guardsItsOutput: true,
  run,
};

async function run(args: Arguments): Promise<number> {
  checkCombination(args);
  if (args.value("format") === "arrow") return runArrow(args);
  if (!args.has("count")) guardStandardOutput();
  const threads = args.has("threads") ? wholeNumber("threads", args.value("threads")!, MAX_THREADS) : undefined;
  const inputs = args.operands.length === 0 ? ["-"] : args.operands;
  inputs.forEach(rejectOwnOutput);
  prepareThreads(inputs, workOf(args), threads);
  const readsTerminal = (args.operands.length === 0 || args.operands.includes("-")) && process.stdin.isTTY;
  if (readsTerminal) standardError().write("ipsieve: reading lines from the terminal; end with Ctrl-D\n");
  const now = chosenMoment(args);
  const opening = asksForNetworks(args) ? ShownNetworks.open(args) : null; // read while the catalogue is
  const chosen = await chosenSnapshots(args);
  const isCatalogue = chosen[0].snapshot.info.kind === CATALOGUE_KIND;
  const networks = isCatalogue ? ((await opening)?.opened ?? null) : null;
  if (args.has("columns") && !isCatalogue)
    throw new UsageError(`--columns is for catalogues, and ${chosen[0].path} is none; leave it out`);
  return namingBadFile(chosen, () =>
    identifyIn(chosen, args, networks, { inputs, now, ...(threads !== undefined && { threads }) }),
  );
}

/** Whether rows or counts show networks. */
function asksForNetworks(args: Arguments): boolean {
  const given = args.value("networks");
  if (given === "none" || args.values("snapshot").length > 1) return false;
  const ofColumns = chosenColumns(args).some(needsNetworks);
  return ofColumns || given !== undefined || args.has("summary") || args.has("top");
}

/** The columns that are asked for; none: those of the renderer. Throws UsageError. */
function chosenColumns(args: Arguments): (ColumnName | typeof CRAWLER_COLUMN)[] {
  const text = args.value("columns");
  if (text === undefined) return [];
  const names = text.split(",").map((name) => name.trim());
  for (const [index, name] of names.entries()) {
    if (!(COLUMN_NAMES as readonly string[]).includes(name)) {
      const meant = nearest(name, COLUMN_NAMES);
      throw new UsageError(
        `--columns: there is no column ${JSON.stringify(name)}; ${meant === undefined ? `choose from ${COLUMN_NAMES.join(", ")}` : `did you mean ${meant}?`}`,
      );
    }
    if (names.indexOf(name) !== index) throw new UsageError(`--columns: ${name} is given twice; leave one out`);
  }
  return names as ColumnName[];
}

function needsNetworks(name: ColumnName | typeof CRAWLER_COLUMN): boolean {
  return name !== CRAWLER_COLUMN && "needsNetworks" in COLUMNS[name];
}

async function identifyIn(
  chosen: readonly [ChosenSnapshot, ...ChosenSnapshot[]],
  args: Arguments,
  networks: ShownNetworks["opened"],
  given: Pick<IdentifyOptions, "inputs" | "threads"> & { readonly now: number },
): Promise<number> {
  const [{ snapshot, kind, label }, ...further] = chosen;
  const crawlers = judgesCrawlers(args) ? await crawlerRows(args, chosen[0], given.now) : undefined;
  const result = await identifyInterruptibly(args, {
    snapshot,
    ...kind.rows,
    ...optionsFor(args),
    ...columnOptions(args, networks),
    ...(further.length > 0 && { label, further: further.map(({ kind: { rows }, ...one }) => ({ ...one, ...rows })) }),
    ...(await onlyOf(args, chosen, given.now)),
    ...given,
    ...(crawlers !== undefined && { format: "jsonl", rowText: true, output: crawlers }),
    ...(crawlers !== undefined && judgedRows(args, networks)),
  });
  if (typeof result === "number") return result;
  if (args.has("field")) warnOfEmptyField(args.value("field")!, result);
  warnOfRepeatedAddress(result);
  warnOfEmptyInputs(result);
  if (args.has("only-impostors")) warnOfOldLists(crawlers!);
  const selected = args.has("only-impostors") ? crawlers!.selected : selectedLines(result, selection(args));
  if (args.has("count")) printShortly(`${selected}\n`);
  if (isCounting(args)) await printCounts(args, result, chosen, networks, given.now, crawlers);
  if (result.malformed > 0) {
    reportMalformed(result, args.value("format") === "append");
    return EXIT.error;
  }
  return selected > 0 ? EXIT.matched : EXIT.nothing;
}

/** Nobody is called an impostor by lists that are old or incomplete: no rows would look like no impostors. */
function warnOfOldLists({ canTellImpostors }: CrawlerRows): void {
  if (canTellImpostors) return;
  const why = "no list of a crawler is complete and at most 30 days old, so nobody can be called an impostor";
  standardError().write(`ipsieve: ${why}; "ipsieve cbs update" fetches current lists\n`);
}

function judgesCrawlers(args: Arguments): boolean {
  return args.has("crawlers") || args.has("only-impostors") || chosenColumns(args).includes(CRAWLER_COLUMN);
}

/** What the rows that are judged have: whole documents, or the cells of the columns that are written. */
function judgedRows(args: Arguments, networks: ShownNetworks["opened"]): Partial<IdentifyOptions> {
  const isWritten = printsRows(args);
  if (isWritten && args.value("format") === "jsonl")
    return networks === null ? {} : { renderer: COLUMN_RENDERER, chosenColumns: DEFAULT_COLUMNS };
  return {
    renderer: CELLS_RENDERER,
    chosenColumns: isWritten ? judgedColumns(args).filter((name) => name !== CRAWLER_COLUMN) : [],
  };
}

function judgedColumns(args: Arguments): readonly string[] {
  return args.has("columns") ? chosenColumns(args) : [...DEFAULT_COLUMNS, CRAWLER_COLUMN];
}

/** What takes the rows and judges each line. Loaded only when needed. */
async function crawlerRows(args: Arguments, chosen: ChosenSnapshot, now: number): Promise<CrawlerRows> {
  const { snapshot, kind, path } = chosen;
  if (kind !== CATALOGUE_LIST)
    throw new UsageError("crawlers are judged by a catalogue; leave --snapshot out, or name a catalogue");
  const { catalogueOf } = await import("../../datasets/catalogue-from-bytes.ts");
  const { CrawlerRows } = await import("../output/crawler-rows.ts");
  return new CrawlerRows({
    catalogue: catalogueOf(snapshot, path, now),
    format: printsRows(args) ? ((args.value("format") ?? "tsv") as CrawlerRowFormat) : null,
    columns: judgedColumns(args),
    onlyImpostors: args.has("only-impostors"),
    keepsText: args.has("text"),
    write: printText,
  });
}

/** apache-arrow takes a tenth of a second to load: only this format needs it. */
async function runArrow(args: Arguments): Promise<number> {
  checkArrow(args);
  guardStandardOutput();
  const [input = "-"] = args.operands;
  rejectOwnOutput(input);
  const now = chosenMoment(args);
  const [chosen] = await chosenSnapshots(args);
  const output = args.value("output");
  const { identifyArrow } = await import("../../batch/arrow/identify-arrow.ts");
  const { address, engine, field } = workOf(args);
  const result = await namingBadFile([chosen], () =>
    interruptibly((signal) =>
      identifyArrow({
        snapshot: chosen.snapshot,
        columns: chosen.kind.arrowColumns(chosen.snapshot, chosen.path, now),
        input,
        output: output === undefined ? process.stdout : { path: output },
        ...(field !== undefined && { field }),
        address: address!,
        engine: engine!,
        now,
        signal,
      }),
    ),
  );
  if (typeof result === "number") return result;
  return result.matched > 0 ? EXIT.matched : EXIT.nothing;
}

/** Options about lines of text and counts, which a stream of batches does not have. */
const NOT_FOR_ARROW = [
  "columns",
  "networks",
  "only",
  "summary",
  "top",
  "by",
  "invert-match",
  "matched",
  "input",
  "header",
  "threads",
  "progress",
] as const;

function checkArrow(args: Arguments): void {
  for (const name of NOT_FOR_ARROW)
    if (args.has(name)) throw new UsageError(`--${name} and --format arrow cannot be combined; leave one of them out`);
  if (args.values("snapshot").length > 1)
    throw new UsageError("--format arrow takes one snapshot; run it once for each --snapshot");
  if (args.operands.length > 1) throw new UsageError("--format arrow takes one FILE; run it once for each stream");
}

const SETS = "asn:NUMBER, country:CODE, cbs:NODE, cti:SELECTION, cti:QUERY, a file, or a prefix";

/** The snapshot, or the addresses, whose lines are the only ones. Sets are read only when one is named. */
async function onlyOf(
  args: Arguments,
  chosen: readonly ChosenSnapshot[],
  now: number,
): Promise<Pick<IdentifyOptions, "only" | "within">> {
  const text = args.value("only");
  if (text === undefined) return {};
  const labels = chosen.map(({ label }) => label);
  if (labels.length > 1 && labels.includes(text)) return { only: text };
  const { addressesOf, isSetOperand } = await import("../address-sets/address-operand.ts");
  if (!isSetOperand(text)) {
    const name = JSON.stringify(text);
    throw new UsageError(
      labels.length > 1
        ? `--only ${name}: no snapshot has this name; choose from ${labels.join(", ")}, or write ${SETS}`
        : `--only chooses one of several snapshots, or a set, and ${name} is none; give --snapshot twice or more, or write ${SETS}`,
    );
  }
  const { snapshotOfAddresses } = await import("../address-sets/addresses-snapshot.ts");
  return { within: await snapshotOfAddresses(await addressesOf(datasetsOf(args, chosen), text, now)) };
}

/** The datasets of a set are those of the run, as far as it has them. */
function datasetsOf(args: Arguments, chosen: readonly ChosenSnapshot[]): DatasetOptions {
  const catalogue = chosen.find(({ kind }) => kind === CATALOGUE_LIST)?.path;
  const networks = args.value("networks");
  const isFile = networks !== undefined && networks !== "none" && networks !== "default";
  const paths: Readonly<Record<string, string | undefined>> = {
    snapshot: catalogue,
    networks: isFile ? networks : undefined,
    threats: args.value("threats"),
  };
  return { value: (name) => paths[name] };
}

async function identifyInterruptibly(args: Arguments, options: IdentifyOptions): Promise<IdentifyResult | number> {
  const rowsOnTerminal = options.format !== "none" && options.output === process.stdout && process.stdout.isTTY;
  const progress = createProgress((args.value("progress") ?? "auto") as ProgressMode, rowsOnTerminal);
  try {
    return await interruptibly((signal) =>
      identify({ ...options, signal, ...(progress && { onProgress: progress.update }) }),
    );
  } finally {
    progress?.end();
  }
}

/**
 * After a signal, its exit code; by then the unfinished output has been removed. A second signal ends the process at
 * once.
 */
async function interruptibly<Result>(start: (signal: AbortSignal) => Promise<Result>): Promise<Result | number> {
  const abort = new AbortController();
  const interrupt = (signal: NodeJS.Signals): void => {
    abort.abort(signal);
    // Opening a FIFO that no one writes cannot be cancelled, and even process.exit waits for it: the signal itself ends
    // it.
    setTimeout(() => process.kill(process.pid, signal), GRACE).unref();
  };
  for (const signal of SIGNALS.keys()) process.once(signal, interrupt);
  try {
    return await start(abort.signal);
  } catch (error) {
    if (abort.signal.aborted) return SIGNALS.get(abort.signal.reason) ?? EXIT.interrupted;
    throw error;
  } finally {
    for (const signal of SIGNALS.keys()) process.off(signal, interrupt);
  }
}

function optionsFor(args: Arguments): Omit<IdentifyOptions, "inputs" | "threads" | "snapshot"> {
  const path = args.value("output");
  return {
    ...workOf(args),
    rows: selection(args),
    ...(printsRows(args) && { output: path === undefined ? process.stdout : { path } }),
    ...(args.has("header") && { header: args.value("header") === "yes" }),
    ...(args.has("append-as") && { appendAs: appendedName(args.value("append-as")!) }),
    countMatches: args.has("summary"),
    ...(args.has("by") && { countTimes: args.value("by") as TimeUnit }),
  };
}

/** What rows of chosen columns, and documents with networks, need. */
function columnOptions(args: Arguments, networks: ShownNetworks["opened"]): Partial<IdentifyOptions> {
  const columns = chosenColumns(args);
  const isShown = printsRows(args) && (columns.length > 0 || networks !== null);
  return {
    ...(networks !== null && { beside: networks.snapshot }),
    ...(isShown && {
      renderer: COLUMN_RENDERER,
      chosenColumns: columns.length > 0 ? columns : args.value("format") === "append" ? ["services"] : DEFAULT_COLUMNS,
    }),
  };
}

/** The options that decide how long a line takes: they are known before a snapshot is opened. */
export function workOf(args: Arguments): WorkPerByte {
  const field = args.value("field");
  const top = args.value("top");
  return {
    format: printsRows(args) ? ((args.value("format") ?? "tsv") as (typeof ROW_FORMATS)[number]) : "none",
    ...(field !== undefined && { field: fieldOf(field) }),
    ...(args.has("input") && { fieldSyntax: args.value("input") as (typeof FIELD_SYNTAXES)[number] }),
    ...(top !== undefined && { topAddresses: wholeNumber("top", top, MAX_TOP) }),
    address: (args.value("address") ?? "first") as AddressChoice,
    rowText: args.has("text"),
    engine: (args.value("engine") ?? "auto") as Engine,
  };
}

function printsRows(args: Arguments): boolean {
  return args.has("output") || !(args.has("count") || isCounting(args));
}

function fieldOf(text: string): string | number {
  return /^[0-9]+$/.test(text) ? wholeNumber("field", text, 1_000_000) : text;
}

function appendedName(name: string): string {
  // oxlint-disable-next-line no-control-regex -- they are what it looks for
  if (/[\u0000-\u001f]/.test(name))
    throw new UsageError(`--append-as ${JSON.stringify(name)}: a name cannot contain control characters; remove them`);
  if (name === "text")
    throw new UsageError('--append-as "text": that member holds lines that are not JSON objects; give another name');
  return name;
}

/** Whether counts are requested: with -o in addition to the rows, otherwise instead of them. */
function isCounting(args: Arguments): boolean {
  return COUNTS.some((name) => args.has(name));
}

const COUNTS = ["summary", "top", "by"] as const;

function selection(args: Arguments): RowSelection {
  if (args.has("invert-match")) return "unmatched";
  return args.has("matched") || args.has("only") ? "matched" : "all";
}

/** If no line has the field, all rows are empty, which is easy to overlook. */
function warnOfEmptyField(field: string, { lines, addresses, outputClosed }: IdentifyResult): void {
  if (lines === 0 || addresses > 0 || outputClosed) return;
  const cure = `check the column or name, and how lines are split into columns: --input ${FIELD_SYNTAXES.join("|")}`;
  standardError().write(`ipsieve: --field ${JSON.stringify(field)}: no line has an address there; ${cure}\n`);
}

/** The address of the server that wrote the log, for example, which is easy to overlook as well. */
function warnOfRepeatedAddress({ repeatedAddress: repeated, outputClosed }: IdentifyResult): void {
  if (repeated === null || outputClosed) return;
  const file = repeated.file === "-" ? "standard input" : repeated.file;
  standardError().write(
    `ipsieve: ${file}: the first address of nearly all lines is ${repeated.address}, which is private or reserved; others follow it. If one of them is meant, say where it is: --field N|NAME\n`,
  );
}

/** A log that was rotated or a pipe that failed, for example: "no match" would be true, and say nothing. */
function warnOfEmptyInputs({ emptyInputs, lines, outputClosed }: IdentifyResult): void {
  if (outputClosed) return;
  const texts = emptyInputs.slice(0, MAX_EMPTY).map((file) => `${file === "-" ? "standard input" : file} is empty`);
  const more = emptyInputs.length - texts.length;
  if (more > 0) texts.push(`... and ${counted(more, "more input")}`);
  if (lines === 0 && emptyInputs.length === 0) texts.push("there are no lines behind the header");
  standardError().write(texts.map((text) => `ipsieve: ${text}\n`).join(""));
}

/** How many empty inputs are named. */
const MAX_EMPTY = 20;

/** As in grep, -v inverts what counts as a match. */
function selectedLines({ lines, matched }: IdentifyResult, rows: RowSelection): number {
  return rows === "unmatched" ? lines - matched : matched;
}

/** Rejects flags that would have no effect together, rather than ignoring one of them. */
function checkCombination(args: Arguments): void {
  const refuse = (first: string, second: string, cure: string): void => {
    if (args.has(first) && args.has(second))
      throw new UsageError(`--${first} and --${second} cannot be combined; ${cure}`);
  };
  refuse("invert-match", "matched", "leave one of them out");
  refuse("count", "summary", "the summary has the count");
  refuse("count", "top", "write the count with --summary --top N");
  refuse("count", "by", "the lines of each time are counted with --by alone");
  refuse("count", "format", "a count has no rows");
  refuse("count", "output", "write the count to a file with > FILE");
  if (args.has("only") && args.has("invert-match"))
    throw new UsageError("--only and --invert-match cannot be combined; leave one of them out");
  if (args.has("threats") && !args.has("only"))
    throw new UsageError(
      "--threats is for --only cti:SELECTION and cti:QUERY; add that option, or give the dataset as --snapshot",
    );
  checkSeveral(args);
  checkColumns(args);
  if (judgesCrawlers(args)) checkCrawlers(args);
  const format = args.value("format");
  if (args.has("text") && format !== "jsonl")
    throw new UsageError("--text is only for --format jsonl; add that option");
  if (args.has("append-as") && format !== "append")
    throw new UsageError("--append-as is only for --format append; add that option");
  if (isCounting(args)) checkCounting(args, format);
  else if (format === "json")
    throw new UsageError("--format json is for --summary, --top and --by; for rows as JSON use --format jsonl");
}

/** Lines are judged one by one, by one catalogue, and their rows are written to standard output. */
function checkCrawlers(args: Arguments): void {
  const name = ["only-impostors", "crawlers"].find((option) => args.has(option)) ?? `columns ${CRAWLER_COLUMN}`;
  const format = args.value("format") ?? "tsv";
  if (printsRows(args) && !["tsv", "csv", "jsonl"].includes(format))
    throw new UsageError(`--${name} has no rows for --format ${format}; choose tsv, csv or jsonl`);
  if (args.values("snapshot").length > 1) throw new UsageError(`--${name} takes one catalogue; give one --snapshot`);
  if (args.has("output")) throw new UsageError(`--${name} prints its rows; write them to a file with > FILE`);
}

/** Options that cannot be combined with several snapshots, and why. */
const OF_ONE_SNAPSHOT = {
  "as-of": "it chooses from one folder of catalogues; name the generation of each with --snapshot FILE",
  "append-as": "of several, each has a column of its own; name them with --snapshot NAME=FILE",
} as const;

function checkSeveral(args: Arguments): void {
  if (args.values("snapshot").length < 2) return;
  for (const [name, why] of Object.entries(OF_ONE_SNAPSHOT))
    if (args.has(name)) throw new UsageError(`--${name} takes one snapshot: ${why}`);
}

/** What columns and networks cannot be combined with. */
function checkColumns(args: Arguments): void {
  const columns = chosenColumns(args);
  const format = args.value("format") ?? "tsv";
  if (columns.length > 0 && !printsRows(args))
    throw new UsageError("--columns is for rows, and none are printed; add -o FILE for them, or leave it out");
  if (columns.length > 0 && (format === "jsonl" || format === "arrow"))
    throw new UsageError(
      `--columns is for tsv, csv and append; ${format === "jsonl" ? "jsonl has all members: add --networks default for the network" : "arrow has columns of its own"}`,
    );
  if (args.value("networks") === "none" && columns.some(needsNetworks))
    throw new UsageError("--networks none: the columns asn, network and country need them; leave one of them out");
  if (args.values("snapshot").length > 1)
    for (const name of ["columns", "networks"])
      if (args.has(name)) throw new UsageError(`--${name} takes one snapshot; run it once for each --snapshot`);
  if (
    args.has("networks") &&
    args.value("networks") !== "none" &&
    columns.length === 0 &&
    !isCounting(args) &&
    !args.has("only") &&
    format !== "jsonl"
  )
    throw new UsageError("--networks is for --columns, --format jsonl, --summary, --top and --only; add one of them");
}

/** Without -o only counts are printed, and --format is theirs. */
function checkCounting(args: Arguments, format: string | undefined): void {
  const name = `--${COUNTS.find((each) => args.has(each))}`;
  if (args.has("output")) {
    if (format === "json")
      throw new UsageError(
        `with -o, --format is the format of the rows: ${ROW_FORMATS.join(", ")}; use two runs to write rows and ${name}`,
      );
    return;
  }
  if (format !== undefined && format !== "json" && format !== "csv")
    throw new UsageError(
      `${name} prints no rows for --format ${format}; add -o FILE for the rows, or choose json or csv`,
    );
  for (const option of ["invert-match", "matched"]) {
    if (args.has(option)) throw new UsageError(`${name} prints no rows for --${option}; add -o FILE for the rows`);
  }
}

/** The modules that draw and write counts are loaded only when needed. */
async function printCounts(
  args: Arguments,
  result: IdentifyResult,
  chosen: readonly ChosenSnapshot[],
  networks: ShownNetworks["opened"],
  now: number,
  crawlers: CrawlerRows | undefined,
): Promise<void> {
  const { countsCsv, countsJson, countsOf } = await import("../output/counts.ts");
  const lists: { label: string; counts: SnapshotCounts }[] = [];
  for (const { path, snapshot, kind, label } of chosen)
    lists.push({ label, counts: await kind.counts(snapshot, path, now) });
  if (networks !== null) {
    const { countsWithNetworks } = await import("../output/network-counts.ts");
    const perMatch = result.perMatchOfFurther.at(-1) ?? new Float64Array(0);
    lists[0]!.counts = countsWithNetworks(lists[0]!.counts, networks.networks, perMatch);
  }
  if (crawlers !== undefined) lists[0]!.counts = crawlers.counts(lists[0]!.counts);
  const counts = countsOf(result, lists, {
    isSummary: args.has("summary"),
    unit: args.value("by") as TimeUnit | undefined,
  });
  const format = args.has("output") ? undefined : args.value("format");
  if (format === undefined) {
    const layout = { width: process.stdout.columns ?? 80, rows: SUMMARY_ROWS };
    const { summaryText } = await import("../output/summary.ts");
    process.stdout.write(summaryText(counts, layout, styleFor(process.stdout)));
    return;
  }
  process.stdout.write(format === "json" ? countsJson(counts) : countsCsv(counts));
}
