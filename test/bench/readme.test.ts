import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { chart } from "../../bench/chart.ts";
import { fixtureRecord } from "./record-fixture.ts";
import { newestNeighbourRecord, summaryTable, worstTable } from "../../bench/api/neighbours-report.ts";
import { newestRecord } from "../../bench/record.ts";
import { partIn, table, withTable } from "../../bench/readme.ts";

const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
const operating = readFileSync(new URL("../../docs/operating.md", import.meta.url), "utf8");
const chartPath = new URL("../../bench/record/chart.svg", import.meta.url);

test("README.md contains exactly the table of the newest full record, and none without a record", () => {
  const record = newestRecord();
  assert.equal(partIn(readme, "bench"), record === undefined ? "" : table(record));
});

test("README.md contains exactly the table of the newest record about neighbours, and none without a record", () => {
  const record = newestNeighbourRecord();
  assert.equal(partIn(readme, "neighbours"), record === undefined ? "" : summaryTable(record));
  assert.equal(partIn(operating, "worst-neighbours"), record === undefined ? "" : worstTable(record));
});

test("the chart is that of the newest full record", () => {
  const record = newestRecord();
  if (record !== undefined) assert.equal(readFileSync(chartPath, "utf8"), chart(record));
});

test("the figures of the table are computed from the record", () => {
  const text = table(fixtureRecord());
  const measured = (figure: string): string =>
    text
      .split("\n")
      .find((line) => line.startsWith(`| ${figure}`))!
      .split(" | ")[2]!;
  assert.equal(measured("batch lookup of words, IPv4"), "4.4 ns; TypeScript 8.8 ns |");
  assert.equal(
    measured("… against the fastest npm"),
    "120 × mmdb-lib (528 ns), 100 × net.BlockList (440 ns); TypeScript 60 × mmdb-lib (528 ns), 50 × net.BlockList (440 ns) |",
  );
  assert.equal(measured("batch lookup of words, IPv6, hits and skewed"), "18.7 ns; TypeScript 24.9 ns |");
  assert.equal(measured("batch lookup in nested"), "5.5, 11, 3.3 ns; TypeScript 22, 44, 33 ns |");
  assert.equal(measured("lines of one IPv4 address"), "8.8 ns; TypeScript 17.6 ns |");
  assert.equal(
    measured("lookup from a string, IPv6"),
    "110 ns; 5 × net.BlockList (550 ns), 10 × mmdb-lib (1,100 ns); on hits 5 × and 10 × |",
  );
  assert.equal(measured("memory of a table of 564,579 routed IPv4"), "7.7 bytes each |");
  assert.equal(
    measured("open of that snapshot"),
    "in a fresh process 1.5 × `readFileSync` (6.6 ms); again, with the memory at hand, 2 × `readFileSync` (3.3 ms) |",
  );
  assert.equal(
    measured("lines of text against ClickHouse"),
    "6 × (132 M/s, 22 M/s); TypeScript 2 × (44 M/s, 22 M/s) |",
  );
  assert.equal(measured("`identify -c`"), "25 × (0.11 s, 2.8 s); TypeScript 5 × (0.55 s, 2.8 s) |");
  assert.equal(measured("… two threads against one"), "2 ×; TypeScript 2 × |");
  assert.equal(
    measured("`identify --format tsv` of a 381 MB"),
    "5 × (0.22 s, 1,732 MB/s; 1.1 s), 16 × with a twentieth of the list; " +
      "TypeScript 1 × (1.1 s, 346 MB/s; 1.1 s), 2 × with a twentieth of the list |",
  );
  assert.equal(
    measured("… one and two threads against `wc -l`"),
    "4 ×, 2 × (0.055 s); TypeScript 20 ×, 10 × (0.055 s) |",
  );
});

test("if the kernel could not be measured, there are only the figures of TypeScript", () => {
  const { parts, ...rest } = fixtureRecord();
  const lpm4 = {
    ...parts["lpm4"]!,
    measurements: parts["lpm4"]!.measurements.filter(({ subject }) => subject !== "ipsieve-kernel"),
  };
  assert.match(
    table({ ...rest, parts: { ...parts, lpm4 } }),
    /^\| batch lookup of words, IPv4 \| ≤ 4 ns \| TypeScript 8.8 ns \|$/m,
  );
});

test("a missing grepcidr and a rejected contender are mentioned", () => {
  const { parts, ...rest } = fixtureRecord();
  const { lpm4, grepcidr } = parts;
  const without = {
    ...grepcidr!,
    measurements: grepcidr!.measurements.filter(({ subject }) => subject !== "grepcidr -c"),
  };
  const refused = { ...lpm4!, refusals: [{ contender: "hasty", reason: "1 of 1000 answers are wrong" }] };
  const text = table({ ...rest, parts: { ...parts, lpm4: refused, grepcidr: without } });
  assert.match(text, /grepcidr was not measured: not installed/);
  assert.match(text, /rejected, for reasons given in the record: hasty/);
});

test("the table goes between the two marks and replaces what was there", () => {
  const marked = "# ipsieve\n<!-- bench:begin -->\nold\n<!-- bench:end -->\nmore\n";
  const record = fixtureRecord();
  const updated = withTable(marked, record);
  assert.equal(updated, `# ipsieve\n<!-- bench:begin -->\n${table(record)}<!-- bench:end -->\nmore\n`);
  assert.equal(withTable(updated, record), updated);
  assert.throws(() => withTable("no marks", record), /needs the marks/);
});

test("the chart has a labelled bar for every form of ours and theirs; longer is slower", () => {
  const svg = chart(fixtureRecord());
  const widths = [...svg.matchAll(/<rect class="(ours|peer)"[^>]* width="([\d.]+)"/g)].map(([, kind, width]) => ({
    kind,
    width: Number(width),
  }));
  assert.deepEqual(
    widths.map(({ kind }) => kind),
    ["ours", "ours", "ours", "ours", "ours", "peer", "peer", "peer"],
  );
  assert.deepEqual(
    widths.map(({ width }) => width),
    widths.map(({ width }) => width).toSorted((a, b) => a - b),
  );
  assert.match(svg, /Test &lt;CPU> &amp; more/);
  assert.match(svg, /prefers-color-scheme: dark/);
});
