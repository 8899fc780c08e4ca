/** Makes the README's table and bench/record/chart.svg from the newest full record: `node bench/readme.ts`. */
import { readFileSync, writeFileSync } from "node:fs";
import { chart } from "./chart.ts";
import { figure, meanTimes, measured } from "./report.ts";
import { newestRecord } from "./record.ts";
import type { BenchRecord } from "./record.ts";
import type { MeanTime } from "./report.ts";

const README = new URL("../README.md", import.meta.url);
const CHART = new URL("./record/chart.svg", import.meta.url);
const BEGIN = "<!-- bench:begin -->";
const END = "<!-- bench:end -->";

/** A row: the figure, its aim, what was measured. */
type Row = readonly [string, string, string];

export function updateReadme(): void {
  const record = newestRecord();
  if (record === undefined) throw new Error("bench/record/ holds no full record; make one with: npm run bench");
  writeFileSync(README, withTable(readFileSync(README, "utf8"), record));
  writeFileSync(CHART, chart(record));
}

/** The README with the table of the record between its two marks. */
export function withTable(readme: string, record: BenchRecord): string {
  return `${readme.slice(0, marks(readme).begin)}\n${table(record)}${readme.slice(marks(readme).end)}`;
}

/** What stands between the two marks. */
export function tableIn(readme: string): string {
  const { begin, end } = marks(readme);
  return readme.slice(begin, end).replace(/^\n/, "");
}

function marks(readme: string): { begin: number; end: number } {
  const begin = readme.indexOf(BEGIN) + BEGIN.length;
  const end = readme.indexOf(END);
  if (begin < BEGIN.length || end < begin) throw new Error(`README.md needs the marks ${BEGIN} and ${END}, in this order`);
  return { begin, end };
}

/** The table, and under it what it was measured on. Every number comes out of the record. */
export function table(record: BenchRecord): string {
  const rows = [...batchRows(record), ...textRows(record), ...memoryRows(record), ...otherRows(record), ...commandRows(record)];
  const lines = rows.map((row) => `| ${row.join(" | ")} |`);
  return ["| figure | aim | measured |", "|---|---|---|", ...lines, "", ...footnotes(record), "",
    "![Nanoseconds per lookup of every contender](bench/record/chart.svg)", ""].join("\n");
}

function batchRows(record: BenchRecord): Row[] {
  const [times4, times6] = [timesOf(record, "lpm4"), timesOf(record, "lpm6")];
  const [ours4, ours6] = [timeOf(times4, "ipsieve", "batch"), timeOf(times6, "ipsieve", "batch")];
  const isPackage = ({ subject }: MeanTime): boolean => subject in record.versions;
  const [bestPeer, node] = [times4.find(isPackage), timeOf(times4, "net.BlockList", "native")];
  const against = [ratioTo(ours4, bestPeer), ratioTo(ours4, node)].filter((each) => each !== undefined).join(", ");
  return [
    ["batch lookup of words, IPv4", "≤ 9 ns", nanoseconds(ours4)],
    ["… against the fastest npm package, its fastest form", "≥ 40 ×", against],
    ["batch lookup of words, IPv6", "", nanoseconds(ours6)],
  ];
}

function textRows(record: BenchRecord): Row[] {
  return (["lpm4", "lpm6"] as const).map((part) => {
    const times = timesOf(record, part);
    const ours = timeOf(times, "ipsieve", "text");
    const against = ["net.BlockList", "mmdb-lib"].map((name) => ratioTo(ours, timeOf(times, name, "text"))).filter((each) => each !== undefined);
    const hits = measured(record, part, "ipsieve", { form: "text", kind: "hits" })!.median;
    const onHits = ["net.BlockList", "mmdb-lib"].flatMap((name) => measured(record, part, name, { form: "text", kind: "hits" })?.median ?? []);
    return [
      `lookup from a string, ${part === "lpm4" ? "IPv4" : "IPv6"}`,
      part === "lpm4" ? "≥ 10 ×" : "≥ 4 ×",
      `${nanoseconds(ours)}; ${against.join(", ")}; on hits ${onHits.map((theirs) => `${figure(theirs / hits)} ×`).join(" and ")}`,
    ];
  });
}

function memoryRows(record: BenchRecord): Row[] {
  const { routed4Prefixes, routed6Prefixes, blocklist4Prefixes } = record.inputs;
  const shapes = [
    ["routed4", `${figure(routed4Prefixes)} routed IPv4 prefixes`, 12],
    ["routed6", `${figure(routed6Prefixes)} routed IPv6 prefixes`, 32],
    ["blocklist4", `${figure(blocklist4Prefixes)} single IPv4 addresses`, 24],
  ] as const;
  return shapes.map(([table, shape, aim]) => {
    const bytes = measured(record, "memory", "ipsieve", { table })!.median;
    return [`memory of a table of ${shape}`, `≤ ${aim} bytes each`, `${figure(bytes)} bytes each`];
  });
}

function otherRows(record: BenchRecord): Row[] {
  const freeze = measured(record, "freeze", "freeze")!;
  const open = (when: "once" | "again"): string => {
    const [ours, read] = ["openSnapshot", "readFileSync"].map((name) => measured(record, "open", `${name} ${when}`)!.median);
    return `${figure(ours! / read!)} × \`readFileSync\` (${figure(ours!)} ms)`;
  };
  const churn = measured(record, "churn", "trie churn")!;
  return [
    [`freeze of ${figure(record.inputs.routed4Prefixes + record.inputs.routed6Prefixes)} prefixes`, "≤ 0.5 s", `${figure(freeze.median / 1000)} s`],
    ["open of that snapshot, checksums included", "≤ 2 × reading it",
      `in a fresh process ${open("once")}; again, with the memory at hand, ${open("again")}`],
    ["trie insert and delete, 1,000,000 operations", "≥ 1 M/s, bounded memory", `${figure(churn.median / 1e6)} M/s, no byte more after ${churn.samples} more rounds`],
  ];
}

function commandRows(record: BenchRecord): Row[] {
  const [count1, count2] = [1, 2].map((threads) => measured(record, "grepcidr", "ipsieve identify -c", { threads })!.median);
  const [log1, log2] = [1, 2].map((threads) => measured(record, "log", "ipsieve identify", { threads })!.median);
  const grepcidr = measured(record, "grepcidr", "grepcidr -c")?.median;
  const { logBytes: bytes, logLines: lines } = record.inputs;
  const rate = (milliseconds: number): string =>
    `${figure(milliseconds / 1000)} s (${figure(bytes / milliseconds / 1000)} MB/s, ${figure(lines / milliseconds / 1000)} M lines/s)`;
  return [
    ["`identify -c`, 10 M addresses, one thread, against `grepcidr -c`", "≥ 4 ×",
      grepcidr === undefined ? `${figure(count1! / 1000)} s; grepcidr was not measured: not installed` :
        `${figure(grepcidr / count1!)} × (${figure(count1! / 1000)} s, ${figure(grepcidr / 1000)} s)`],
    ["… two threads against one", "≥ 1.7 ×", `${figure(count1! / count2!)} ×`],
    ["`identify` of a 381 MB access log, one thread", "", rate(log1!)],
    ["… two threads", "", rate(log2!)],
  ];
}

function footnotes({ machine, versions, startedAt, parts }: BenchRecord): string[] {
  const refused = [...new Set(Object.values(parts).flatMap(({ refusals }) => refusals.map(({ contender }) => contender)))];
  return [
    `${machine.cpu}, ${machine.cores} cores, ${machine.memoryGib} GiB, ${machine.system}, Node ${machine.node.slice(1)}, commit ${machine.commit}, ` +
      `${startedAt.slice(0, 10)}. Medians of several rounds; times per lookup are geometric means over uniform, ` +
      `random-hit and skewed queries. Every answer of every contender was compared with the right one` +
      `${refused.length > 0 ? `; refused, for reasons that the record gives: ${refused.join(", ")}` : ""}.`,
    "",
    `Data: @ip-location-db/asn ${versions["@ip-location-db/asn"]}. All figures and rounds: \`bench/record/\`.`,
  ];
}

function timesOf(record: BenchRecord, part: string): MeanTime[] {
  return meanTimes(record.parts[part]!);
}

function timeOf(times: readonly MeanTime[], subject: string, form: string): MeanTime | undefined {
  return times.find((time) => time.subject === subject && time.form === form);
}

function nanoseconds(time: MeanTime | undefined): string {
  return time === undefined ? "refused" : `${figure(time.median)} ns (best ${figure(time.best)})`;
}

function ratioTo(ours: MeanTime | undefined, theirs: MeanTime | undefined): string | undefined {
  if (ours === undefined || theirs === undefined) return undefined;
  return `${figure(theirs.median / ours.median)} × ${theirs.subject} (${figure(theirs.median)} ns)`;
}

if (import.meta.main) updateReadme();
