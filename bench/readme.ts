/** Makes the tables of README.md and docs/operating.md, and bench/record/chart.svg, from the newest full records: `node bench/readme.ts`. */
import { readFileSync, writeFileSync } from "node:fs";
import { newestNeighbourRecord, summaryTable, worstTable } from "./api/neighbours-report.ts";
import { chart } from "./chart.ts";
import { figure, meanTimes, measured } from "./report.ts";
import { newestRecord } from "./record.ts";
import type { BenchRecord } from "./record.ts";
import type { Engine, Measurement } from "./figures/part.ts";
import type { MeanTime } from "./report.ts";

const README = new URL("../README.md", import.meta.url);
const OPERATING = new URL("../docs/operating.md", import.meta.url);
const CHART = new URL("./record/chart.svg", import.meta.url);

/** A row: the figure, its aim, what was measured. */
type Row = readonly [string, string, string];

export function updateReadme(): void {
  const record = newestRecord();
  if (record === undefined) throw new Error("bench/record/ holds no full record; make one with: npm run bench");
  const readme = withTable(readFileSync(README, "utf8"), record);
  const neighbours = newestNeighbourRecord();
  writeFileSync(README, neighbours === undefined ? readme : withPart(readme, "neighbours", summaryTable(neighbours)));
  if (neighbours !== undefined)
    writeFileSync(OPERATING, withPart(readFileSync(OPERATING, "utf8"), "worst-neighbours", worstTable(neighbours)));
  writeFileSync(CHART, chart(record));
}

/** The README with the table of the record between its two marks. */
export function withTable(readme: string, record: BenchRecord): string {
  return withPart(readme, "bench", table(record));
}

type PartName = "bench" | "neighbours" | "worst-neighbours";

function withPart(readme: string, name: PartName, text: string): string {
  const { begin, end } = marks(readme, name);
  return `${readme.slice(0, begin)}\n${text}${readme.slice(end)}`;
}

/** The text between the two marks of a part. */
export function partIn(readme: string, name: PartName): string {
  const { begin, end } = marks(readme, name);
  return readme.slice(begin, end).replace(/^\n/, "");
}

function marks(readme: string, name: PartName): { begin: number; end: number } {
  const [first, last] = [`<!-- ${name}:begin -->`, `<!-- ${name}:end -->`];
  const begin = readme.indexOf(first) + first.length;
  const end = readme.indexOf(last);
  if (begin < first.length || end < begin)
    throw new Error(`the document needs the marks ${first} and ${last}, in this order`);
  return { begin, end };
}

/** The table, followed by the measurement conditions. Every number comes from the record. */
export function table(record: BenchRecord): string {
  const rows = [
    ...batchRows(record),
    ...textRows(record),
    ...clickhouseRows(record),
    ...memoryRows(record),
    ...otherRows(record),
    ...countRows(record),
    ...logRows(record),
  ];
  const lines = rows.map((row) => `| ${row.join(" | ")} |`);
  return [
    "| figure | aim | measured |",
    "|---|---|---|",
    ...lines,
    "",
    ...footnotes(record),
    "",
    "![Nanoseconds per lookup of every contender](bench/record/chart.svg)",
    "",
  ].join("\n");
}

/** Our two engines, the faster one first, with the labels of their figures. */
const ENGINES = [
  { engine: "webassembly", contender: "ipsieve-kernel", label: "" },
  { engine: "typescript", contender: "ipsieve", label: "TypeScript " },
] as const;

type OurEngine = (typeof ENGINES)[number];

/** The figures of both engines beside each other; of one alone where the other could not be measured. */
function ofEngines(figureOf: (engine: OurEngine) => string | undefined): string {
  return ENGINES.flatMap((engine) => {
    const text = figureOf(engine);
    return text === undefined ? [] : [`${engine.label}${text}`];
  }).join("; ");
}

/** A row for figures of both engines; none where there are none. */
function rowOfEngines(name: string, aim: string, figureOf: (engine: OurEngine) => string | undefined): Row[] {
  const measured = ofEngines(figureOf);
  return measured === "" ? [] : [[name, aim, measured]];
}

function batchRows(record: BenchRecord): Row[] {
  const times4 = timesOf(record, "lpm4");
  const times6 = meanTimes(record.parts["lpm6"]!, ["hits", "skewed"]);
  const isPackage = ({ subject }: MeanTime): boolean => subject in record.versions;
  const others = ["nested4", "nested6", "blocklist"].map((part) => timesOf(record, part));
  return [
    ...rowOfEngines("batch lookup of words, IPv4", "≤ 4 ns", ({ contender }) =>
      nanoseconds(timeOf(times4, contender, "batch")),
    ),
    ...rowOfEngines("… against the fastest npm package, its fastest form", "≥ 40 ×", ({ contender }) =>
      ratiosTo(timeOf(times4, contender, "batch"), [times4.find(isPackage), timeOf(times4, "net.BlockList", "native")]),
    ),
    ...rowOfEngines("batch lookup of words, IPv6, hits and skewed", "≤ 12 ns", ({ contender }) =>
      nanoseconds(timeOf(times6, contender, "batch")),
    ),
    ...rowOfEngines("batch lookup in nested IPv4, nested IPv6, a blocklist", "", ({ contender }) => {
      const times = others.map((each) => timeOf(each, contender, "batch"));
      return times.includes(undefined) ? undefined : `${times.map((time) => figure(time!.median)).join(", ")} ns`;
    }),
  ];
}

function textRows(record: BenchRecord): Row[] {
  const lines = (["lpm4", "lpm6"] as const).flatMap((part) => {
    const times = timesOf(record, part);
    const [name, aim] =
      part === "lpm4"
        ? ["lines of one IPv4 address, text to id, per thread", "≤ 11 ns"]
        : ["lines of one IPv6 address", ""];
    return rowOfEngines(name!, aim!, ({ contender }) => nanoseconds(timeOf(times, contender, "lines")));
  });
  const strings = (["lpm4", "lpm6"] as const).map((part): Row => {
    const times = timesOf(record, part);
    const ours = timeOf(times, "ipsieve", "text");
    const hits = measured(record, part, "ipsieve", { form: "text", kind: "hits" })!.median;
    const onHits = ["net.BlockList", "mmdb-lib"].flatMap(
      (name) => measured(record, part, name, { form: "text", kind: "hits" })?.median ?? [],
    );
    return [
      `lookup from a string, ${part === "lpm4" ? "IPv4" : "IPv6"}`,
      part === "lpm4" ? "≥ 10 ×" : "≥ 4 ×",
      `${nanoseconds(ours)}; ${ratiosTo(
        ours,
        ["net.BlockList", "mmdb-lib"].map((name) => timeOf(times, name, "text")),
      )}; ` + `on hits ${onHits.map((theirs) => `${figure(theirs / hits)} ×`).join(" and ")}`,
    ];
  });
  return [...lines, ...strings];
}

/** Their best way beside ours, each with the same number of threads. */
function clickhouseRows(record: BenchRecord): Row[] {
  const rate = (subject: string, about: Partial<Measurement>): number | undefined =>
    measured(record, "clickhouse", subject, about)?.median;
  const millions = (rate: number): string => `${figure(rate / 1e6)} M/s`;
  return [2, 1].flatMap((threads) => {
    const theirs = rate("ClickHouse ip_trie, strings", { threads });
    const name =
      threads === 2 ? "lines of text against ClickHouse's `ip_trie`, in process, two threads" : "… one thread";
    return rowOfEngines(name, threads === 2 ? "≥ 5 ×" : "", ({ engine }) => {
      const ours = rate("ipsieve identifyLines", { engine, threads });
      if (ours === undefined) return undefined;
      return theirs === undefined
        ? millions(ours)
        : `${figure(ours / theirs)} × (${millions(ours)}, ${millions(theirs)})`;
    });
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
    const [ours, read] = ["openSnapshot", "readFileSync"].map(
      (name) => measured(record, "open", `${name} ${when}`)!.median,
    );
    return `${figure(ours! / read!)} × \`readFileSync\` (${figure(ours!)} ms)`;
  };
  const churn = measured(record, "churn", "trie churn")!;
  return [
    [
      `freeze of ${figure(record.inputs.routed4Prefixes + record.inputs.routed6Prefixes)} prefixes`,
      "≤ 0.5 s",
      `${figure(freeze.median / 1000)} s`,
    ],
    [
      "open of that snapshot, checksums included",
      "≤ 2 × reading it",
      `in a fresh process ${open("once")}; again, with the memory at hand, ${open("again")}`,
    ],
    [
      "trie insert and delete, 1,000,000 operations",
      "≥ 1 M/s, bounded memory",
      `${figure(churn.median / 1e6)} M/s, no byte more after ${churn.samples} more rounds`,
    ],
  ];
}

function countRows(record: BenchRecord): Row[] {
  const grepcidr = measured(record, "grepcidr", "grepcidr -c")?.median;
  const time = (engine: Engine, threads: number): number | undefined =>
    measured(record, "grepcidr", "ipsieve identify -c", { engine, threads })?.median;
  const rows = [1, 2].flatMap((threads) => {
    const name = threads === 1 ? "`identify -c`, 10 M addresses, one thread, against `grepcidr -c`" : "… two threads";
    return rowOfEngines(name, threads === 1 ? "≥ 10 ×" : "≥ 16 ×", ({ engine }) => {
      const ours = time(engine, threads);
      if (ours === undefined) return undefined;
      if (grepcidr === undefined) return `${seconds(ours)}; grepcidr was not measured: not installed`;
      return `${figure(grepcidr / ours)} × (${seconds(ours)}, ${seconds(grepcidr)})`;
    });
  });
  return [
    ...rows,
    ...rowOfEngines("… two threads against one", "≥ 1.7 ×", ({ engine }) => {
      const [one, two] = [time(engine, 1), time(engine, 2)];
      return one === undefined || two === undefined ? undefined : `${figure(one / two)} ×`;
    }),
  ];
}

function logRows(record: BenchRecord): Row[] {
  const wc = measured(record, "log", "wc -l")?.median;
  const [grepcidr, onTwentieth] = (["whole", "twentieth"] as const).map(
    (list) => measured(record, "log", "grepcidr", { list })?.median,
  );
  const ours = (engine: Engine, threads: number, list: "whole" | "twentieth" = "whole"): number | undefined =>
    measured(record, "log", "ipsieve identify", { engine, threads, list })?.median;
  const name = (threads: number): string =>
    threads === 1
      ? "`identify --format tsv` of a 381 MB access log, one thread, against `grepcidr` printing matches"
      : "… two threads";
  const { logBytes: bytes } = record.inputs;
  const rows = [1, 2].flatMap((threads) =>
    rowOfEngines(name(threads), "≥ 3 ×", ({ engine }) => {
      const time = ours(engine, threads);
      if (time === undefined) return undefined;
      const rate = `${seconds(time)}, ${figure(bytes / time / 1000)} MB/s`;
      if (grepcidr === undefined) return rate;
      return `${figure(grepcidr / time)} × (${rate}; ${seconds(grepcidr)}), ${figure(onTwentieth! / ours(engine, threads, "twentieth")!)} × with a twentieth of the list`;
    }),
  );
  if (wc === undefined) return rows;
  return [
    ...rows,
    ...rowOfEngines("… one and two threads against `wc -l`", "≤ 12 ×", ({ engine }) => {
      const times = [1, 2].map((threads) => ours(engine, threads));
      return times.includes(undefined)
        ? undefined
        : `${times.map((time) => `${figure(time! / wc)} ×`).join(", ")} (${seconds(wc)})`;
    }),
  ];
}

function seconds(milliseconds: number): string {
  return `${figure(milliseconds / 1000)} s`;
}

function footnotes({ machine, versions, startedAt, parts }: BenchRecord): string[] {
  const refused = [
    ...new Set(Object.values(parts).flatMap(({ refusals }) => refusals.map(({ contender }) => contender))),
  ];
  return [
    `${machine.cpu}, ${machine.cores} cores, ${machine.memoryGib} GiB, ${machine.system}, Node ${machine.node.slice(1)}, commit ${machine.commit}, ` +
      `${startedAt.slice(0, 10)}. Medians of several rounds, with the best round beside each in the record; ` +
      `times per lookup are geometric means over uniform, random-hit and skewed queries. All results of all contenders were checked` +
      `${refused.length > 0 ? `; rejected, for reasons given in the record: ${refused.join(", ")}` : ""}.`,
    "",
    "Batches, lines and commands run on the WebAssembly kernel; figures marked TypeScript are without it. ClickHouse's lines are already split " +
      "and in memory when timing starts; `identify` reads the file. The output of `identify` and `grepcidr` goes to /dev/null.",
    "",
    `Data: @ip-location-db/asn ${versions["@ip-location-db/asn"]}. All figures: \`bench/record/\`.`,
  ];
}

function timesOf(record: BenchRecord, part: string): MeanTime[] {
  return meanTimes(record.parts[part]!);
}

function timeOf(times: readonly MeanTime[], subject: string, form: string): MeanTime | undefined {
  return times.find((time) => time.subject === subject && time.form === form);
}

function nanoseconds(time: MeanTime | undefined): string | undefined {
  return time && `${figure(time.median)} ns`;
}

function ratiosTo(ours: MeanTime | undefined, peers: readonly (MeanTime | undefined)[]): string | undefined {
  if (ours === undefined) return undefined;
  return peers
    .flatMap((theirs) =>
      theirs === undefined
        ? []
        : [`${figure(theirs.median / ours.median)} × ${theirs.subject} (${figure(theirs.median)} ns)`],
    )
    .join(", ");
}

if (import.meta.main) updateReadme();
