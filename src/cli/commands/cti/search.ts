import { formatPrefix } from "../../../address/prefix.ts";
import { countedField } from "../../../cti/search/field-names.ts";
import type { CtiSearch, FoundRows } from "../../../cti/search/cti-search.ts";
import { SEARCH_FIELDS, type SearchField } from "../../../cti/search/search-fields.ts";
import { withPath } from "../../../datasets/with-path.ts";
import { finished } from "../../../turns/finished.ts";
import { openSearch, queryIn } from "../../address-sets/threat-operand.ts";
import { momentOf } from "../../options/moment.ts";
import { grouped } from "../../../words/numbers.ts";
import { oneLine } from "../../runner/one-line.ts";
import { standardError } from "../../runner/standard-error.ts";
import { isOutputClosed, printText } from "../../runner/standard-output.ts";
import { type Style, styleFor } from "../../output/style.ts";
import { type Arguments, type Command, EXIT } from "../../runner/command.ts";
import { wholeNumber } from "../../runner/parse-arguments.ts";
import { UsageError } from "../../runner/usage-error.ts";
import { NETWORKS_OPTION } from "../../snapshots/chosen-networks.ts";
import { DEFAULT_DATASET, defaultDataset } from "../../snapshots/default-datasets.ts";

const MAX_VALUES = 1000;
const DEFAULT_VALUES = 10;
/** Documents that are printed at a time. */
const STEP = 1000;

export const ctiSearchCommand: Command = {
  name: "cti search",
  summary: "find addresses in threat intelligence by a query",
  operands: "QUERY...",
  operandWords: [],
  options: [
    { name: "count", short: "c", help: "print only how many documents match" },
    {
      name: "facets",
      value: "FIELD,...",
      help: "print the most frequent values of these fields among what matches, with counts",
    },
    { name: "limit", value: "N", help: `with --facets: values of each field; default: ${DEFAULT_VALUES}` },
    { name: "json", help: "print one JSON document per line, with every member; with --facets one per field" },
    { name: "snapshot", value: "FILE", isPath: true, help: `the dataset to search; default: ${DEFAULT_DATASET}` },
    NETWORKS_OPTION,
    { name: "now", value: "TIME", help: "what relative times such as last_seen:7d count from; default: now" },
  ],
  notes: [
    'A query is FIELD OP VALUE, joined by AND, OR (looser), NOT and parentheses: classification:malicious AND (country:CN OR port IN (23, 2323)). ":" is the value or, on ip, what a prefix covers, and takes "*" as wildcard in texts; "~:" the words of a text; "!:" and "!~:" their opposites; = != > >= < <=; FIELD:[a TO b]; "FIELD exists" and "FIELD not_exists"; last_seen:7d within the last seven days (h, d, w, m of 30 days, y). An address, a prefix, AS13335 and CVE-2024-3400 are queries by themselves. Values with spaces are in quotes. Words are joined by spaces; a shell needs quotes around parentheses, stars and quotes.',
    `Fields: ${SEARCH_FIELDS.filter(({ isAvailable }) => isAvailable)
      .map(({ name, aliases }) => [name, ...aliases].join(" = "))
      .join(", ")}. Other fields of the language match nothing, and are named.`,
    "Addresses are in order; a document of a prefix counts once. Networks say to which AS and country an address belongs if its document does not. Exit code: 0 if something was found, 1 if not, 2 for a malformed query.",
  ],
  examples: [
    { command: "ipsieve cti search 'tag:mirai AND last_seen:7d'", what: "seen within a week" },
    { command: "ipsieve cti search --facets tag,country 'classification:malicious'", what: "what it is about" },
    { command: "ipsieve cti search --json 'rdns:\"*.example.com\"' | jq -r .ip", what: "for programs" },
  ],
  run,
};

async function run(args: Arguments): Promise<number> {
  const query = queryIn(args.operands.join(" "));
  const fields = facetFields(args);
  const path = args.value("snapshot") ?? defaultDataset();
  const now = args.value("now");
  const search = await openSearch(path, fields.length === 0 ? query : null, args.value("networks"));
  const found = withPath(path, () =>
    finished(search.finding(query, now === undefined ? Date.now() : +momentOf("now", now))),
  );
  if (found.unavailable.length > 0)
    standardError().write(
      `ipsieve: the dataset does not hold ${found.unavailable.join(", ")}; clauses about that match nothing\n`,
    );
  if (args.has("count")) await printText(`${found.count}\n`);
  else if (fields.length > 0) await printFacets(args, path, found, fields);
  else await printDocuments(args, path, search, found);
  return found.count > 0 ? EXIT.matched : EXIT.nothing;
}

function facetFields(args: Arguments): SearchField[] {
  const names = args.value("facets")?.split(",") ?? [];
  if (args.has("limit") && names.length === 0) throw new UsageError("--limit is for --facets; add that option");
  if (args.has("count") && names.length > 0)
    throw new UsageError("--count and --facets cannot be combined; leave one out");
  return names.map((name) => {
    const field = countedField(name);
    if (typeof field === "string") throw new UsageError(`--facets: ${field}`);
    return field;
  });
}

async function printFacets(
  args: Arguments,
  path: string,
  found: FoundRows,
  fields: readonly SearchField[],
): Promise<void> {
  const limit = wholeNumber("limit", args.value("limit") ?? String(DEFAULT_VALUES), MAX_VALUES);
  const style = styleFor(process.stdout);
  for (const field of fields) {
    const { values, distinct } = withPath(path, () => finished(found.counting(field, limit)));
    if (args.has("json")) {
      await printText(`${JSON.stringify({ field: field.name, distinct, values })}\n`);
      continue;
    }
    const counts = values.map(({ count }) => grouped(count));
    const width = Math.max(0, ...counts.map(({ length }) => length));
    const lines = values.map(({ value }, i) => `  ${counts[i]!.padStart(width)}  ${oneLine(String(value))}`);
    const more = distinct - values.length;
    if (more > 0) lines.push(`  ${style("dim", `and ${grouped(more)} more; --limit shows them`)}`);
    await printText(`${[style("bold", field.name), ...lines].join("\n")}\n`);
  }
}

async function printDocuments(args: Arguments, path: string, search: CtiSearch, found: FoundRows): Promise<void> {
  const write = args.has("json") ? jsonLine(search) : textLine(search, styleFor(process.stdout));
  let lines: string[] = [];
  for (const row of found.rows()) {
    lines.push(withPath(path, () => write(row)));
    if (lines.length < STEP) continue;
    if (isOutputClosed()) return;
    await printText(lines.join(""));
    lines = [];
  }
  if (lines.length > 0) await printText(lines.join(""));
}

function jsonLine(search: CtiSearch): (row: number) => string {
  const { dataset } = search.index;
  return (row) => {
    const prefix = search.prefixAt(row);
    return `${JSON.stringify(dataset.extendedDocumentOf(formatPrefix(prefix), dataset.table.get(prefix)))}\n`;
  };
}

function textLine(search: CtiSearch, style: Style): (row: number) => string {
  const { dataset } = search.index;
  return (row) => {
    const prefix = search.prefixAt(row);
    const { classification, actor, tags } = dataset.recordOf(dataset.table.get(prefix));
    const about = [classification, ...(actor === "" ? [] : [actor]), ...tags].map(oneLine).join(", ");
    return `${formatPrefix(prefix)}  ${style("dim", about)}\n`;
  };
}
