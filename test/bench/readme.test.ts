import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { chart } from "../../bench/chart.ts";
import { fixtureRecord } from "./record-fixture.ts";
import { newestRecord } from "../../bench/record.ts";
import { table, tableIn, withTable } from "../../bench/readme.ts";

const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
const chartPath = new URL("../../bench/record/chart.svg", import.meta.url);

test("README.md holds exactly the table of the newest full record, and none where there is no record", () => {
  const record = newestRecord();
  assert.equal(tableIn(readme), record === undefined ? "" : table(record));
});

test("the chart is the one of the newest full record", () => {
  const record = newestRecord();
  if (record !== undefined) assert.equal(readFileSync(chartPath, "utf8"), chart(record));
});

test("the table's figures are worked out from the record", () => {
  const text = table(fixtureRecord());
  const measured = (figure: string): string => text.split("\n").find((line) => line.startsWith(`| ${figure}`))!.split(" | ")[2]!;
  assert.equal(measured("batch lookup of words, IPv4"), "8.8 ns (best 8) |");
  assert.equal(measured("… against the fastest npm"), "60 × mmdb-lib (528 ns), 50 × net.BlockList (440 ns) |");
  assert.equal(measured("lookup from a string, IPv6"), "110 ns (best 100); 5 × net.BlockList (550 ns), 10 × mmdb-lib (1,100 ns); on hits 5 × and 10 × |");
  assert.equal(measured("memory of a table of 564,579 routed IPv4"), "7.7 bytes each |");
  assert.equal(measured("open of that snapshot"), "in a fresh process 1.5 × `readFileSync` (6.6 ms); again, with the memory at hand, 2 × `readFileSync` (3.3 ms) |");
  assert.equal(measured("`identify -c`"), "5 × (0.55 s, 2.8 s) |");
  assert.equal(measured("… two threads against one"), "2 × |");
  assert.equal(measured("`identify` of a 381 MB"), "1.1 s (346 MB/s, 1.5 M lines/s) |");
});

test("a missing grepcidr and a refused contender are said", () => {
  const { parts, ...rest } = fixtureRecord();
  const { lpm4, grepcidr } = parts;
  const without = { ...grepcidr!, measurements: grepcidr!.measurements.filter(({ subject }) => subject !== "grepcidr -c") };
  const refused = { ...lpm4!, refusals: [{ contender: "hasty", reason: "1 of 1000 answers are wrong" }] };
  const text = table({ ...rest, parts: { ...parts, lpm4: refused, grepcidr: without } });
  assert.match(text, /grepcidr was not measured: not installed/);
  assert.match(text, /refused, for reasons that the record gives: hasty/);
});

test("the table goes between the two marks and replaces what was there", () => {
  const marked = "# ipsieve\n<!-- bench:begin -->\nold\n<!-- bench:end -->\nmore\n";
  const record = fixtureRecord();
  const updated = withTable(marked, record);
  assert.equal(updated, `# ipsieve\n<!-- bench:begin -->\n${table(record)}<!-- bench:end -->\nmore\n`);
  assert.equal(withTable(updated, record), updated);
  assert.throws(() => withTable("no marks", record), /needs the marks/);
});

test("the chart has a labelled bar for every form, the longer the slower, in ours and theirs", () => {
  const svg = chart(fixtureRecord());
  const widths = [...svg.matchAll(/<rect class="(ours|peer)"[^>]* width="([\d.]+)"/g)].map(([, kind, width]) => ({ kind, width: Number(width) }));
  assert.deepEqual(widths.map(({ kind }) => kind), ["ours", "ours", "peer", "peer", "peer"]);
  assert.deepEqual(widths.map(({ width }) => width), widths.map(({ width }) => width).toSorted((a, b) => a - b));
  assert.match(svg, /Test &lt;CPU> &amp; more/);
  assert.match(svg, /prefers-color-scheme: dark/);
});
