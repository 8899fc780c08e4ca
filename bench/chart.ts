import { figure, meanTimes } from "./report.ts";
import type { BenchRecord } from "./record.ts";
import type { MeanTime } from "./report.ts";

const WIDTH = 760;
const LABELS = 220;
const RIGHT = 70;
const ROW = 24;
const TOP = 64;
const FORM_NAMES: Readonly<Record<string, string>> = {
  batch: "batch of words",
  lines: "lines of text",
  native: "native address",
  text: "string",
};

/**
 * The chart: a bar per contender and form, IPv4, on a logarithmic scale. Its colours follow the reader's light or dark
 * theme; the figures are written beside the bars, so that they can be read without colour or scale.
 */
export function chart(record: BenchRecord): string {
  const times = meanTimes(record.parts["lpm4"]!);
  const highest = 10 ** Math.ceil(Math.log10(Math.max(...times.map(({ median }) => median))));
  const x = (nanoseconds: number): number =>
    LABELS + (Math.log10(nanoseconds) / Math.log10(highest)) * (WIDTH - LABELS - RIGHT);
  const height = TOP + times.length * ROW + 30;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-labelledby="title">
<title id="title">Nanoseconds per lookup, IPv4, of every contender</title>
<style>
text { font: 13px system-ui, sans-serif; fill: #1f2328; }
.title { font-weight: 600; font-size: 15px; }
.quiet { fill: #59636e; }
.grid { stroke: #d1d9e0; }
.ours { fill: #0969da; }
.peer { fill: #8c959f; }
@media (prefers-color-scheme: dark) {
  text { fill: #f0f6fc; }
  .quiet { fill: #9198a1; }
  .grid { stroke: #3d444d; }
  .ours { fill: #4493f8; }
  .peer { fill: #656c76; }
}
</style>
<text class="title" x="0" y="18">Nanoseconds per lookup, IPv4 (logarithmic scale, less is better)</text>
<text class="quiet" x="0" y="38">${escape(caption(record))}</text>
${gridLines(highest, x, height)}
${times.map((time, row) => bar(time, row, x)).join("\n")}
</svg>
`;
}

function caption({ machine, startedAt }: BenchRecord): string {
  return `Routed prefixes; geometric mean of uniform, hits, skewed; ${machine.cpu}, Node ${machine.node.slice(1)}, ${startedAt.slice(0, 10)}`;
}

function gridLines(highest: number, x: (nanoseconds: number) => number, height: number): string {
  const lines: string[] = [];
  for (let at = 1; at <= highest; at *= 10) {
    lines.push(`<line class="grid" x1="${round(x(at))}" y1="${TOP - 8}" x2="${round(x(at))}" y2="${height - 24}"/>`);
    lines.push(
      `<text class="quiet" x="${round(x(at))}" y="${height - 8}" text-anchor="middle">${at.toLocaleString("en-US")}</text>`,
    );
  }
  return lines.join("\n");
}

function bar({ subject, form, median }: MeanTime, row: number, x: (nanoseconds: number) => number): string {
  const y = TOP + row * ROW;
  const end = round(x(Math.max(median, 1)));
  return `<text x="${LABELS - 8}" y="${y + 12}" text-anchor="end">${escape(subject)}, <tspan class="quiet">${FORM_NAMES[form] ?? form}</tspan></text>
<rect class="${subject.startsWith("ipsieve") ? "ours" : "peer"}" x="${LABELS}" y="${y}" width="${round(end - LABELS)}" height="${ROW - 8}" rx="2"/>
<text x="${round(end + 6)}" y="${y + 12}">${figure(median)}</text>`;
}

function round(number: number): number {
  return Math.round(number * 10) / 10;
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
