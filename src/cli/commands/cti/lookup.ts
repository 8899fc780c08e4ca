import { AddressError } from "../../../address/address-error.ts";
import type { CtiDataset } from "../../../cti/dataset.ts";
import type { ExtendedCtiDocument } from "../../../cti/documents.ts";
import { type Arguments, type Command, EXIT } from "../../runner/command.ts";
import { DEFAULT_DATASET, defaultDataset } from "../../snapshots/default-datasets.ts";
import { openCtiDataset } from "../../../datasets/open-cti-dataset.ts";
import { withPath } from "../../../datasets/with-path.ts";
import { isOutputClosed, printText } from "../../runner/standard-output.ts";
import { oneLine } from "../../runner/one-line.ts";
import { type Style, styleFor } from "../../output/style.ts";
import { readOperands } from "../../input/read-operands.ts";
import { reportError } from "../../runner/report-error.ts";

export const ctiLookupCommand: Command = {
  name: "cti lookup",
  summary: "show what threat intelligence knows about addresses",
  operands: "ADDRESS|-...",
  operandWords: [],
  options: [
    { name: "extended", help: "show every member, not only the basic ones" },
    { name: "json", help: "print one JSON document per line, with every member" },
    { name: "snapshot", value: "FILE", isPath: true, help: `the dataset to use; default: ${DEFAULT_DATASET}` },
  ],
  notes: [
    "An address gets the document of the most specific prefix that covers it. Exit code: 0 if at least one address was seen, 1 if none was, 2 if an argument is malformed.",
  ],
  examples: [
    { command: "ipsieve cti lookup --extended 192.0.2.10", what: "from the sample" },
    { command: "ipsieve cti lookup --json --snapshot cti.ipsieve 198.51.100.7 | jq .tags", what: "for programs" },
  ],
  run,
};

async function run(args: Arguments): Promise<number> {
  const path = args.value("snapshot") ?? defaultDataset();
  const dataset = await openCtiDataset(path);
  let found = false;
  let failed = false;
  for await (const { text, location, error: lineError } of readOperands(args.operands)) {
    if (isOutputClosed()) break;
    try {
      if (lineError !== undefined) throw lineError;
      const document = withPath(path, () => documentOf(dataset, text, args));
      await printText(args.has("json") ? `${JSON.stringify(document)}\n` : card(document, styleFor(process.stdout)));
      found ||= document.seen;
    } catch (error) {
      if (!(error instanceof AddressError) && error !== lineError) throw error;
      reportError(error, location);
      failed = true;
    }
  }
  if (failed) return EXIT.error;
  return found ? EXIT.matched : EXIT.nothing;
}

function documentOf(
  dataset: CtiDataset,
  ip: string,
  args: Arguments,
): Partial<ExtendedCtiDocument> & { ip: string; seen: boolean } {
  return args.has("extended") ? dataset.lookupExtended(ip) : dataset.lookup(ip);
}

/** What is known, one item per line, for people. */
function card(
  { ip, seen, ...members }: Partial<ExtendedCtiDocument> & { ip: string; seen: boolean },
  style: Style,
): string {
  if (!seen) return `${style("bold", ip)}\n  ${style("yellow", "not seen")}\n`;
  const facts = [...factsOf(members, "")];
  const width = Math.max(...facts.map(([name]) => name.length));
  return `${[style("bold", ip), ...facts.map(([name, value]) => `  ${style("cyan", name.padEnd(width))}  ${value}`)].join("\n")}\n`;
}

/** The members with a value, those of objects by their paths. */
function* factsOf(object: object, path: string): Generator<[name: string, value: string]> {
  for (const [name, value] of Object.entries(object) as [string, unknown][]) {
    const fullName = path + name;
    if (Array.isArray(value)) {
      if (value.length > 0) yield [fullName, value.map(oneLine).join(", ")];
    } else if (typeof value === "object" && value !== null) yield* factsOf(value, `${fullName}.`);
    else if (value !== null && value !== "") yield [fullName, oneLine(value)];
  }
}
