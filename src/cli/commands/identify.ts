import { type Engine, identify, type IdentifyOptions, type IdentifyResult, prepareThreads, type RowSelection } from "../../batch/identify.ts";
import type { Catalogue } from "../../cbs/catalogue.ts";
import type { Snapshot } from "../../snapshot/open-snapshot.ts";
import { AS_OF_OPTION, chosenSnapshot } from "../catalogue-history.ts";
import { catalogueOf, DEFAULT_CATALOGUE, openCatalogueSnapshot } from "../catalogue-snapshot.ts";
import { type Arguments, type Command, EXIT } from "../command.ts";
import { RENDERER } from "../identify-renderer.ts";
import { createProgress, PROGRESS_MODES, type ProgressMode } from "../output/progress.ts";
import { standardError } from "../output/standard-error.ts";
import { guardStandardOutput, printShortly } from "../output/standard-output.ts";
import { styleFor } from "../output/style.ts";
import { summaryText } from "../output/summary.ts";
import { wholeNumber } from "../parse-arguments.ts";
import { UsageError } from "../usage-error.ts";

const FORMATS = ["tsv", "jsonl", "csv", "append"] as const;
const FIELD_SYNTAXES = ["csv", "tsv", "jsonl", "space"] as const;
const ENGINES = ["auto", "webassembly", "typescript"] as const;
const MOST_THREADS = 256;
const SUMMARY_ROWS = 15;
/** Milliseconds that an interrupted run has to remove its unfinished output. */
const GRACE = 1000;
/** What ends a run before its time, and the exit codes by which shells tell it: 128 and the signal's number. */
const SIGNALS = new Map<NodeJS.Signals, number>([["SIGINT", EXIT.interrupted], ["SIGTERM", 143], ["SIGHUP", 129]]);

export const identifyCommand: Command = {
  name: "identify",
  summary: "tell for every line of a log which services its address belongs to",
  operands: "[FILE...]",
  minOperands: 0,
  maxOperands: Infinity,
  options: [
    { name: "format", value: "FORMAT", choices: FORMATS, help: "rows as tsv (default: address, most specific prefix, node ids), csv, jsonl (lookup documents), or append (the line, then the ids)" },
    { name: "count", short: "c", help: "print only the number of lines that match" },
    { name: "invert-match", short: "v", help: "only the lines that do not match" },
    { name: "matched", help: "only the lines that match" },
    { name: "summary", help: "count by type, provider and service, with bars; with -o, rows are written as well" },
    { name: "output", short: "o", value: "FILE", isPath: true, help: "write rows to FILE, all or nothing; .gz and .zst compress" },
    { name: "field", value: "N|NAME", help: "where the address stands: a column from 1, or the name of a column or JSON member" },
    { name: "input", value: "FORMAT", choices: FIELD_SYNTAXES, help: "how --field cuts lines; else the first line tells" },
    { name: "snapshot", value: "FILE", isPath: true, help: `the catalogue to use, as written by ipsieve build; default: ${DEFAULT_CATALOGUE}` },
    AS_OF_OPTION,
    { name: "threads", value: "N", help: "default: one for each processor" },
    { name: "engine", value: "ENGINE", choices: ENGINES, help: "auto (default), webassembly, or typescript: slower, with the same answers" },
    { name: "progress", value: "MODE", choices: PROGRESS_MODES, help: "auto (default: a bar on a terminal), bar, json, none; on stderr" },
  ],
  notes: [
    "Reads standard input without FILE or for \"-\"; .gz and .zst inputs are recognized by their content. Without --field the first address of a line counts. Lines out = lines in: a line without a match has empty columns.",
    "Exit code: 0 if a line was selected, 1 if none was, 2 after an error, 130 when interrupted.",
  ],
  examples: [
    { command: "ipsieve identify access.log", what: "address, prefix and services of every line" },
    { command: "ipsieve identify --summary access.log.gz", what: "who the visitors are" },
    { command: "ipsieve identify --format append -o out.log.zst *.log", what: "the lines themselves with the ids behind them" },
    { command: "ipsieve identify --field client_ip --format jsonl events.csv", what: "one document per line, from a named column" },
    { command: "ipsieve identify -c --snapshot blocklist.ipsieve access.log", what: "how many lines are on a list of your own" },
  ],
  guardsItsOutput: true,
  run,
};

async function run(args: Arguments): Promise<number> {
  checkCombination(args);
  if (!args.has("count")) guardStandardOutput();
  const threads = args.has("threads") ? wholeNumber("threads", args.value("threads")!, MOST_THREADS) : undefined;
  const inputs = args.operands.length === 0 ? ["-"] : args.operands;
  prepareThreads(inputs, threads);
  const readsTerminal = (args.operands.length === 0 || args.operands.includes("-")) && process.stdin.isTTY;
  if (readsTerminal) standardError().write("ipsieve: reading lines from the terminal; end with Ctrl-D\n");
  const path = await chosenSnapshot(args);
  const snapshot = await openCatalogueSnapshot(path);
  const result = await identifyInterruptibly(args, { ...optionsFor(args, snapshot), inputs, ...(threads !== undefined && { threads }) });
  if (typeof result === "number") return result;
  if (args.has("field")) warnOfEmptyField(args.value("field")!, result);
  const selected = selectedLines(result, selection(args));
  if (args.has("count")) printShortly(`${selected}\n`);
  if (args.has("summary")) printSummary(result, catalogueOf(snapshot, path));
  return selected > 0 ? EXIT.matched : EXIT.nothing;
}

/** After a signal, the exit code that stands for it; the unfinished output is gone then. A second signal ends the process at once. */
async function identifyInterruptibly(args: Arguments, options: IdentifyOptions): Promise<IdentifyResult | number> {
  const abort = new AbortController();
  const interrupt = (signal: NodeJS.Signals): void => {
    abort.abort(signal);
    // Opening a FIFO that nobody writes cannot be cancelled, and even process.exit waits for it: the signal itself ends it.
    setTimeout(() => process.kill(process.pid, signal), GRACE).unref();
  };
  for (const signal of SIGNALS.keys()) process.once(signal, interrupt);
  const rowsOnTerminal = options.format !== "none" && options.output === process.stdout && process.stdout.isTTY;
  const progress = createProgress((args.value("progress") ?? "auto") as ProgressMode, rowsOnTerminal);
  try {
    return await identify({ ...options, signal: abort.signal, ...(progress && { onProgress: progress.update }) });
  } catch (error) {
    if (abort.signal.aborted) return SIGNALS.get(abort.signal.reason) ?? EXIT.interrupted;
    throw error;
  } finally {
    progress?.end();
    for (const signal of SIGNALS.keys()) process.off(signal, interrupt);
  }
}

function optionsFor(args: Arguments, snapshot: Snapshot): Omit<IdentifyOptions, "inputs" | "threads"> {
  const path = args.value("output");
  const printsRows = path !== undefined || !(args.has("count") || args.has("summary"));
  const field = args.value("field");
  return {
    snapshot,
    format: printsRows ? ((args.value("format") ?? "tsv") as (typeof FORMATS)[number]) : "none",
    rows: selection(args),
    ...(printsRows && { renderer: RENDERER, output: path === undefined ? process.stdout : { path } }),
    ...(field !== undefined && { field: fieldOf(field) }),
    ...(args.has("input") && { fieldSyntax: args.value("input") as (typeof FIELD_SYNTAXES)[number] }),
    engine: (args.value("engine") ?? "auto") as Engine,
    countMatches: args.has("summary"),
  };
}

function fieldOf(text: string): string | number {
  return /^[0-9]+$/.test(text) ? wholeNumber("field", text, 1_000_000) : text;
}

function selection(args: Arguments): RowSelection {
  if (args.has("invert-match")) return "unmatched";
  return args.has("matched") ? "matched" : "all";
}

/** A field that no line has gives empty rows only, which may stay unseen. */
function warnOfEmptyField(field: string, { lines, addresses, outputClosed }: IdentifyResult): void {
  if (lines === 0 || addresses > 0 || outputClosed) return;
  const cure = `check the column or name, and how lines are cut: --input ${FIELD_SYNTAXES.join("|")}`;
  standardError().write(`ipsieve: --field ${JSON.stringify(field)}: no line has an address there; ${cure}\n`);
}

/** As in grep: -v turns around what counts as a match. */
function selectedLines({ lines, matched }: IdentifyResult, rows: RowSelection): number {
  return rows === "unmatched" ? lines - matched : matched;
}

/** Refuses flags that would have no effect together, rather than ignoring one of them. */
function checkCombination(args: Arguments): void {
  const refuse = (first: string, second: string, cure: string): void => {
    if (args.has(first) && args.has(second)) throw new UsageError(`--${first} and --${second} do not go together; ${cure}`);
  };
  refuse("invert-match", "matched", "leave one of them out");
  refuse("count", "summary", "the summary has the count");
  refuse("count", "format", "a count has no rows");
  refuse("count", "output", "write the count to a file with > FILE");
  if (args.has("input") && !args.has("field")) throw new UsageError("--input says how --field cuts lines; add --field N|NAME");
  if (!args.has("summary") || args.has("output")) return;
  for (const option of ["format", "invert-match", "matched"]) {
    if (args.has(option)) throw new UsageError(`--summary prints no rows for --${option}; add -o FILE for the rows`);
  }
}

function printSummary(result: IdentifyResult, catalogue: Catalogue): void {
  const layout = { width: process.stdout.columns ?? 80, rows: SUMMARY_ROWS };
  process.stdout.write(summaryText(result, catalogue, layout, styleFor(process.stdout)));
}
