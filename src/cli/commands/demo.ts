import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { identify } from "../../batch/identify.ts";
import type { Catalogue } from "../../cbs/catalogue.ts";
import { identifyText } from "../../cbs/identify.ts";
import type { LookupDocument } from "../../cbs/lookup-document.ts";
import { catalogueOf } from "../../datasets/catalogue-from-bytes.ts";
import { BUNDLED_CATALOGUE, openCatalogueSnapshot } from "../../datasets/open-catalogue.ts";
import { type Command, EXIT } from "../runner/command.ts";
import { short } from "../output/numbers.ts";
import { grouped } from "../../words/numbers.ts";
import { type Style, styleFor } from "../output/style.ts";
import { catalogueCounts } from "../output/catalogue-counts.ts";
import { countsOf } from "../output/counts.ts";
import { summaryText } from "../output/summary.ts";

const SAMPLE_LOG = fileURLToPath(new URL("../../../data/sample.log", import.meta.url));
const ROWS_PER_TYPE = 2;
const SUMMARY_ROWS = 8;
/** One run over the sample is too short to measure, so it is repeated. */
const REPEATS = 250;

export const demoCommand: Command = {
  name: "demo",
  summary: "identify the bundled sample log with the bundled catalogue",
  operands: "",
  operandWords: [],
  options: [],
  examples: [{ command: "ipsieve demo", what: "the first thing to try" }],
  run,
};

async function run(): Promise<number> {
  const style = styleFor(process.stdout);
  const snapshot = await openCatalogueSnapshot();
  const catalogue = catalogueOf(snapshot, BUNDLED_CATALOGUE);
  const options = { snapshot, format: "none", threads: 1 } as const;
  const result = await identify({ ...options, inputs: [SAMPLE_LOG], countMatches: true });
  const { lines, elapsed, bytesRead } = await identify({ ...options, inputs: Array<string>(REPEATS).fill(SAMPLE_LOG) });
  const { prefixCount4, prefixCount6 } = snapshot.info;
  const counts = countsOf(result, [{ label: "", counts: catalogueCounts(catalogue) }], { isSummary: true });
  const perSecond = (amount: number): string => short((amount * 1000) / elapsed);
  process.stdout.write(`
${exampleRows(catalogue, style).join("\n")}

${summaryText(counts, { width: process.stdout.columns ?? 80, rows: SUMMARY_ROWS }, style)}
${style("bold", `${perSecond(lines)} lines/s`)} (${perSecond(bytesRead)}B/s) against ${grouped(prefixCount4 + prefixCount6)} prefixes: one thread, offline,
measured just now on ${grouped(lines)} lines.

${style("bold", "Now try your own:")}
  ${style("green", "npx ipsieve identify --summary /var/log/nginx/access.log")}
  ${style("green", "npx ipsieve lookup 8.8.8.8 2606:4700::1111")}
`);
  return EXIT.matched;
}

/** The first log lines of each type, from different providers, with the result for their addresses. */
function exampleRows(catalogue: Catalogue, style: Style): string[] {
  const providers = new Set<string>();
  const perType = new Map<string, number>();
  const rows: [ip: string, label: string, request: string][] = [];
  for (const line of readFileSync(SAMPLE_LOG, "utf8").split("\n")) {
    const {
      ip,
      providers: [provider],
      types: [type],
      labels,
    } = identifyFirstWord(catalogue, line) ?? { ip: "", providers: [], types: [], labels: [] };
    if (provider === undefined || type === undefined || providers.has(provider)) continue;
    const ofType = perType.get(type) ?? 0;
    if (ofType === ROWS_PER_TYPE) continue;
    perType.set(type, ofType + 1);
    providers.add(provider);
    rows.push([ip, labels.join(", "), /"(\S+ \S+)/.exec(line)?.[1] ?? ""]);
  }
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map(([ip, label, request]) => {
    const columns = `  ${ip.padEnd(widths[0]!)}  ${style("cyan", label.padEnd(widths[1]!))}`;
    const left = (process.stdout.columns ?? 100) - widths[0]! - widths[1]! - 7;
    return left < 8 ? columns : `${columns}  ${style("dim", request.slice(0, left))}`;
  });
}

function identifyFirstWord(catalogue: Catalogue, line: string): LookupDocument | undefined {
  try {
    return identifyText(catalogue, line.slice(0, line.indexOf(" ")));
  } catch {
    return undefined; // the sample has lines without an address, as real logs do
  }
}
