import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { identify } from "../../batch/identify.ts";
import { Catalogue } from "../../cbs/catalogue.ts";
import { identifyText, type LookupDocument } from "../../cbs/identify.ts";
import { openCatalogueSnapshot } from "../catalogue-snapshot.ts";
import { type Command, EXIT } from "../command.ts";
import { counted, grouped } from "../output/numbers.ts";
import { type Style, styleFor } from "../output/style.ts";
import { summaryText } from "../output/summary.ts";

const SAMPLE_LOG = fileURLToPath(new URL("../../../data/sample.log", import.meta.url));
const EXAMPLE_ROWS = 8;

export const demoCommand: Command = {
  name: "demo",
  summary: "identify the bundled sample log with the bundled catalogue",
  operands: "",
  minOperands: 0,
  maxOperands: 0,
  operandWords: [],
  options: [],
  examples: [{ command: "ipsieve demo", what: "the first thing to try" }],
  run,
};

async function run(): Promise<number> {
  const style = styleFor(process.stdout);
  const snapshot = await openCatalogueSnapshot();
  const catalogue = new Catalogue(snapshot.metadata, snapshot.table);
  const result = await identify({ inputs: [SAMPLE_LOG], snapshot, format: "none", threads: 1, countMatches: true });
  const { prefixCount4, prefixCount6 } = snapshot.info;
  const speed = (result.lines * 1000) / result.elapsed;
  const width = Math.min(process.stdout.columns ?? 80, 100);
  process.stdout.write(
    [
      "",
      ...exampleRows(catalogue, style),
      "",
      summaryText(result, catalogue, width, style),
      `${counted(result.lines, "line")} against ${grouped(prefixCount4 + prefixCount6)} prefixes in ${result.elapsed.toFixed(0)} ms: ${style("bold", `${grouped(Math.round(speed / 1000) * 1000)} lines/s`)}, offline, on one thread.`,
      "",
      style("bold", "Now yours:"),
      `  ${style("green", "npx ipsieve identify --summary /var/log/nginx/access.log")}`,
      `  ${style("green", "npx ipsieve lookup 8.8.8.8 2606:4700::1111")}`,
      "",
    ].join("\n"),
  );
  return EXIT.matched;
}

/** The first lines of the log from as many providers, each with what its address was found to be. */
function exampleRows(catalogue: Catalogue, style: Style): string[] {
  const seen = new Set<string>();
  const rows: [ip: string, label: string, request: string][] = [];
  for (const line of readFileSync(SAMPLE_LOG, "utf8").split("\n")) {
    const document = identifyFirstWord(catalogue, line);
    const provider = document?.providers[0];
    if (document === undefined || provider === undefined || seen.has(provider)) continue;
    seen.add(provider);
    rows.push([document.ip, document.labels.join(", "), /"(\S+ \S+)/.exec(line)?.[1] ?? ""]);
    if (rows.length === EXAMPLE_ROWS) break;
  }
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map(([ip, label, request]) => {
    return `  ${ip.padEnd(widths[0]!)}  ${style("cyan", label.padEnd(widths[1]!))}  ${style("dim", request.slice(0, 32))}`;
  });
}

function identifyFirstWord(catalogue: Catalogue, line: string): LookupDocument | undefined {
  try {
    return identifyText(catalogue, line.slice(0, line.indexOf(" ")));
  } catch {
    return undefined; // the sample has lines without an address, as real logs do
  }
}
