import assert from "node:assert/strict";
import { createWriteStream } from "node:fs";
import { once } from "node:events";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Random } from "../../../bench/data/random.ts";
import { writeSnapshot } from "../../../src/snapshot/write-snapshot.ts";
import { crawlerLog, freshCatalogue } from "../../cbs/crawler-log.ts";
import { takingTurns, rounds } from "../../rounds.ts";
import { run, temporaryFolder } from "../run-command.ts";

const LINES = rounds({ short: 20_000, long: 60_000 });
const expected: string[] = [];
let folder: ReturnType<typeof temporaryFolder>;

before(async () => {
  folder = temporaryFolder({});
  const catalogue = await freshCatalogue(Date.now());
  const { metadata, table } = catalogue;
  const createdAt = new Date(metadata.createdAt);
  await writeSnapshot(join(folder.path, "fresh.ipsieve"), { table, metadata, kind: "catalogue", createdAt });
  const old = (await freshCatalogue(Date.now() - 31 * 86_400_000)).metadata;
  await writeSnapshot(join(folder.path, "old.ipsieve"), { table, metadata: old, kind: "catalogue", createdAt });
  const log = createWriteStream(join(folder.path, "access.log"));
  for (const each of crawlerLog(catalogue, new Random(7))) {
    expected.push(each.expected);
    if (!log.write(`${each.line}\n`)) await once(log, "drain");
    if (expected.length === LINES) break;
  }
  log.end();
  await once(log, "close");
});
after(() => folder.remove());

const identify = (...args: string[]) =>
  run(["identify", "--snapshot", "fresh.ipsieve", ...args, "access.log"], { cwd: folder.path });
const rowsOf = ({ stdout }: { stdout: string }): string[] => stdout.split("\n").slice(0, -1);

test("--crawlers: every line has the verdict that is true of it", async (context) => {
  const { code, stderr, ...output } = await identify("--crawlers");
  assert.deepEqual([code, stderr], [0, ""]);
  const verdicts = rowsOf(output).map((row) => row.split("\t")[3]!.split(" ")[0] || "none");
  assert.equal(verdicts.length, LINES);
  assert.deepEqual(
    verdicts.flatMap((verdict, line) => (verdict === expected[line] ? [] : [line + 1])),
    [],
    "lines with a wrong verdict",
  );
  context.diagnostic(`${LINES} lines, ${expected.filter((verdict) => verdict === "impostor").length} impostors`);
});

test("--columns with crawler: the others are those of a run without it", { skip: takingTurns(2, 1) }, async () => {
  const columns = "country,address,primary,services,asn,network,region,type,provider,service,prefix";
  const judged = rowsOf(await identify("--columns", `crawler,${columns}`));
  const others = rowsOf(await identify("--columns", columns));
  assert.deepEqual(
    judged.map((row) => row.slice(row.indexOf("\t") + 1)),
    others,
  );
  assert.deepEqual(
    judged.map((row) => row.split(/[ \t]/)[0] || "none"),
    expected,
  );
  const [csv] = rowsOf(await identify("--columns", "crawler,country", "--format", "csv"));
  assert.equal(csv, judged[0]!.split("\t").slice(0, 2).join(","));
});

test("rows that are judged have the chosen columns in their order, with the crawler anywhere or nowhere", async () => {
  const all = ["address", "prefix", "services", "crawler"];
  const rows = rowsOf(await identify("--only-impostors", "--columns", all.join())).map((row) => row.split("\t"));
  assert.ok(rows.length > 0);
  for (const columns of [
    ["address"],
    ["services", "address"],
    ["crawler"],
    ["crawler", "prefix"],
    ["prefix", "crawler", "address"],
  ])
    assert.deepEqual(
      rowsOf(await identify("--only-impostors", "--columns", columns.join())),
      rows.map((row) => columns.map((name) => row[all.indexOf(name)]).join("\t")),
      columns.join(),
    );
});

test("--only-impostors: the rows, documents, count and summary of these alone", { skip: takingTurns(2) }, async () => {
  const impostors = expected.flatMap((verdict, line) => (verdict === "impostor" ? [line + 1] : []));
  assert.ok(impostors.length > LINES / 20);
  const documents = rowsOf(await identify("--only-impostors", "--format", "jsonl")).map((row) => JSON.parse(row));
  assert.deepEqual(
    documents.map(({ line }) => line),
    impostors,
  );
  assert.ok(documents.every(({ crawler, text }) => crawler.verdict === "impostor" && text === undefined));
  assert.equal((await identify("--only-impostors", "-c")).stdout, `${impostors.length}\n`);
  const { crawlers } = JSON.parse((await identify("--crawlers", "--summary", "--format", "json")).stdout);
  for (const verdict of ["verified", "impostor", "unlisted"]) {
    const lines = crawlers.filter((each: { verdict: string }) => each.verdict === verdict);
    assert.equal(
      lines.reduce((sum: number, each: { lines: number }) => sum + each.lines, 0),
      expected.filter((each) => each === verdict).length,
      verdict,
    );
  }
});

test("by lists that are 31 days old, nobody is called an impostor, and that is said", async () => {
  const args = ["identify", "--only-impostors", "--snapshot", "old.ipsieve", "access.log"];
  const { code, stdout, stderr } = await run(args, { cwd: folder.path });
  assert.deepEqual([code, stdout], [1, ""]);
  assert.match(stderr, /^ipsieve: no list of a crawler is complete and at most 30 days old.*"ipsieve cbs update"/);
  assert.equal((await identify("--only-impostors", "-c")).stderr, "");
});

test("what cannot be combined is refused, with the cure", async () => {
  for (const [args, message] of [
    [["--crawlers", "--format", "append"], /--crawlers has no rows for --format append; choose tsv, csv or jsonl/],
    [["--only-impostors", "-o", "x.tsv"], /--only-impostors prints its rows; write them to a file with > FILE/],
    [["--crawlers", "--snapshot", "fresh.ipsieve"], /--crawlers takes one catalogue; give one --snapshot/],
  ] as const) {
    const { code, stderr } = await identify(...args);
    assert.equal(code, 2);
    assert.match(stderr, message);
  }
});
