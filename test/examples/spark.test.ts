/** The Spark example, on a cluster of a master and two workers: every row is as the library says, also after a kill. */
import assert from "node:assert/strict";
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { Int32, Table, tableFromIPC, tableToIPC, Utf8, vectorFromArray } from "apache-arrow";
import { formatAddress } from "../../src/address/format-address.ts";
import type { Catalogue } from "../../src/cbs/catalogue.ts";
import { identifyText } from "../../src/cbs/identify.ts";
import { openCatalogue } from "../../src/datasets/open-catalogue.ts";
import { catalogueOf } from "../cbs/catalogues.ts";
import { run as runCommand, temporaryFolder } from "../cli/run-command.ts";
import { COMMAND_FILE } from "../command-file.ts";
import { probes } from "../formats/subjects.ts";
import { onlyLong } from "../rounds.ts";
import { missingCommand, type Run, run } from "../tools.ts";
import { until } from "../until.ts";
import { PYTHON, type SparkCluster, startSpark } from "./spark-cluster.ts";

const EXAMPLES = join(import.meta.dirname, "../../examples/spark");
const PARQUET = join(import.meta.dirname, "parquet.py");
const CATALOGUE = join(import.meta.dirname, "../../data/catalogue.ipsieve");
const ROWS = 1_000_000;
const PARTITIONS = 16;
/**
 * Milliseconds for each test: on a machine that is busy with other tests, an application of Spark takes minutes to
 * start.
 */
const TIMEOUT = 900_000;
const SETTINGS = {
  // Each file is a partition.
  "spark.sql.files.maxPartitionBytes": "1m",
  // No task starts before both executors are there.
  "spark.scheduler.minRegisteredResourcesRatio": "1",
  "spark.scheduler.maxRegisteredResourcesWaitingTime": "120s",
};

const missing =
  (existsSync(PYTHON) ? false : "PySpark is not installed; install it with: npm run examples:setup") ||
  missingCommand("java", "-version", "default-jre-headless");

/** Texts of a column, and the address that each contains; null if it contains none. */
const FIELDS: readonly (readonly [text: string | null, address: string | null])[] = [
  [null, null],
  ["", null],
  ["-", null],
  ["no address", null],
  ["seen 1.1.1.1", null],
  ["1.1.1.1:443", "1.1.1.1"],
  [" [2606:4700::1]:80", "2606:4700::1"],
  ["10.0.0.1, 1.1.1.1", "10.0.0.1"],
  ["::ffff:1.1.1.1", "1.1.1.1"],
  ["é\u0000\n💡", null],
];
const ADDRESS_OF = new Map(FIELDS);

const folder = temporaryFolder();
const path = (name: string) => join(folder.path, name);
let spark: SparkCluster;
let catalogue: Catalogue;
let texts: (string | null)[];

before(async () => {
  if (missing !== false || onlyLong() !== false) return;
  catalogue = await openCatalogue(CATALOGUE);
  texts = textsOf(catalogue);
  await writeLog(texts);
  spark = await startSpark(folder.path, { workers: 2 });
});
after(async () => {
  await spark?.close();
  folder.remove();
});

/**
 * The first partition has no rows, the second only nulls, the third no addresses; the others have rows of every kind.
 */
const isIn = (row: number, partition: number): boolean => Math.floor((row * (PARTITIONS - 1)) / ROWS) === partition - 1;

function textsOf(of: Catalogue): (string | null)[] {
  const addresses = Array.from(probes(of, 8), formatAddress);
  const withoutAddress = FIELDS.filter(([, address]) => address === null);
  return Array.from({ length: ROWS }, (_, row) => {
    if (isIn(row, 1)) return null;
    if (isIn(row, 2)) return withoutAddress[row % withoutAddress.length]![0];
    return row % 10 === 0 ? FIELDS[(row / 10) % FIELDS.length]![0] : addresses[(row * 7919) % addresses.length]!;
  });
}

async function writeLog(of: readonly (string | null)[]): Promise<void> {
  mkdirSync(path("streams"));
  const rows = Array.from(of.keys());
  for (let partition = 0; partition < PARTITIONS; partition++) {
    const chosen = rows.filter((row) => isIn(row, partition));
    const row = vectorFromArray(chosen, new Int32());
    const ip = vectorFromArray(
      chosen.map((each) => of[each]!),
      new Utf8(),
    );
    writeFileSync(path(`streams/${partition}.arrows`), tableToIPC(new Table({ row, ip }), "stream"));
  }
  const { code, output } = await run(PYTHON, [PARQUET, "write", path("streams"), path("log.parquet")]);
  assert.equal(code, 0, output);
}

/** Runs an example; each start of ipsieve adds a line to the file `starts`. */
function identified(
  output: string,
  { example = "identify.py", snapshot = CATALOGUE, log = "log.parquet", settings = {} } = {},
): Promise<Run> {
  const script = path("ipsieve");
  writeFileSync(path("starts"), "");
  writeFileSync(script, `echo start >>'${path("starts")}'; exec '${process.execPath}' '${COMMAND_FILE}' "$@"\n`);
  const args = ["--snapshot", snapshot, "--ipsieve", `sh ${script}`, path(log), path(output)];
  return spark.submit(join(EXAMPLES, example), args, { ...SETTINGS, ...settings });
}

/** Kills one of these processes of the cluster, as soon as there is one. */
async function kill(what: string): Promise<void> {
  await until(
    `${what} is killed`,
    () => {
      const [id] = spark.processes(what);
      try {
        return id !== undefined && process.kill(id, "SIGKILL");
      } catch {
        return false; // it has just ended
      }
    },
    { every: 5, within: TIMEOUT },
  );
}

const starts = (): number => readFileSync(path("starts"), "utf8").split("\n").length - 1;

/** Compares every row with the library, and checks that each is there once; returns how many have services. */
async function compare(output: string, expected: Catalogue): Promise<number> {
  const file = path("read.arrows");
  const { code, output: said } = await run(PYTHON, [PARQUET, "read", path("log.parquet"), path(output), file]);
  assert.equal(code, 0, said);
  const table = tableFromIPC(readFileSync(file));
  const [numbers, cidrs, ids] = ["row", "cidr", "ids"].map((name) => table.getChild(name)!);
  assert.equal(table.numRows, ROWS);
  let found = 0;
  for (const [row, text] of texts.entries()) {
    const address = ADDRESS_OF.has(text) ? ADDRESS_OF.get(text)! : text;
    const document = address === null ? null : identifyText(expected, address);
    const services = document?.cbs_ids.join(" ") ?? "";
    if (numbers!.get(row) !== row || cidrs!.get(row) !== (document?.cidr ?? null) || ids!.get(row) !== services)
      assert.fail(`row ${row}, ${text}: ${numbers!.get(row)}, ${cidrs!.get(row)}, ${ids!.get(row)}`);
    if (services !== "") found++;
  }
  return found;
}

const partsOf = (output: string): string[] => globSync(join(path(output), "part-*.parquet"));
const committedTasks = (output: string) => globSync(join(path(output), "_temporary/0/task_*/part-*")).length;

describe("Spark, a cluster of two workers", { skip: missing || onlyLong() }, () => {
  test(
    "every row equals the library's result, and the snapshot is on every node once",
    { timeout: TIMEOUT },
    async (t) => {
      const { code, output } = await identified("out.parquet");
      assert.equal(code, 0, output);
      const found = await compare("out.parquet", catalogue);
      t.diagnostic(`${ROWS} rows of ${PARTITIONS} partitions, ${found} with services`);
      assert.ok(found > ROWS / 3 && found < ROWS);
      assert.equal(starts(), 2, "one ipsieve for each executor");
      await until("no ipsieve is left behind", () => spark.processes("identify\0--format").length === 0);
      assert.equal(globSync(join(folder.path, "worker-*/app-*/*/catalogue.ipsieve")).length, 2);
    },
  );

  test(
    "negative controls: another catalogue, a lost part, and a repeated part are detected",
    { timeout: TIMEOUT },
    async () => {
      await assert.rejects(compare("out.parquet", catalogueOf([["1.0.0.0/8", "/cloud/aws"]])), /row \d+, /);
      const [part] = partsOf("out.parquet");
      cpSync(part!, join(path("out.parquet"), `again-${basename(part!)}`));
      await assert.rejects(compare("out.parquet", catalogue), new RegExp(`\\d+ rows of ${ROWS}`));
      rmSync(join(path("out.parquet"), `again-${basename(part!)}`));
      rmSync(part!);
      await assert.rejects(compare("out.parquet", catalogue), new RegExp(`\\d+ rows of ${ROWS}`));
    },
  );

  test(
    "an executor and an ipsieve process are killed, and the snapshot is replaced: nothing is lost, repeated or mixed",
    { timeout: TIMEOUT },
    async (t) => {
      const within = TIMEOUT;
      cpSync(CATALOGUE, path("changing.ipsieve"));
      writeFileSync(path("other.csv"), "0.0.0.0/0,/cloud/aws\n");
      const { code: built } = await runCommand(["build", path("other.csv"), "-o", path("other.ipsieve")]);
      assert.equal(built, 0);
      const job = identified("killed.parquet", { snapshot: path("changing.ipsieve") });
      await until("tasks are committed", () => committedTasks("killed.parquet") >= 2, { every: 5, within });
      renameSync(path("other.ipsieve"), path("changing.ipsieve"));
      await kill("CoarseGrainedExecutorBackend");
      const before = committedTasks("killed.parquet");
      await until("a task more is committed", () => committedTasks("killed.parquet") > before, { every: 5, within });
      await kill("identify\0--format");
      const { code, output } = await job;
      assert.equal(code, 0, output);
      assert.match(output, /Lost executor/);
      assert.match(output, /ipsieve failed: .*exit code -9/);
      const found = await compare("killed.parquet", catalogue);
      t.diagnostic(`killed after ${before} of ${PARTITIONS} tasks; ${found} rows with services`);
    },
  );

  test("whole files: every row equals the library's result", { timeout: TIMEOUT }, async () => {
    const { code, output } = await identified("files.parquet", { example: "identify_files.py" });
    assert.equal(code, 0, output);
    await compare("files.parquet", catalogue);
    assert.equal(starts(), 2, "one ipsieve for each executor");
    assert.equal(partsOf("files.parquet").length, PARTITIONS);
    assert.deepEqual(globSync(join(path("files.parquet"), "_*")), [join(path("files.parquet"), "_SUCCESS")]);
  });

  test(
    "whole files: an executor and an ipsieve process are killed: nothing is lost or repeated",
    { timeout: TIMEOUT },
    async (c) => {
      const within = TIMEOUT;
      const done = () => partsOf("killed-files.parquet").length;
      const job = identified("killed-files.parquet", { example: "identify_files.py" });
      await until("parts are complete", () => done() >= 2, { every: 5, within });
      await kill("CoarseGrainedExecutorBackend");
      const before = done();
      await until("a part more is complete", () => done() > before, { every: 5, within });
      await kill("identify\0--format");
      const { code, output } = await job;
      assert.equal(code, 0, output);
      assert.match(output, /Lost executor/);
      // It may have been between two files, where its end fails nothing.
      const hasFailed = /ipsieve failed: .*exit code -9/.test(output);
      c.diagnostic(`ipsieve was killed ${hasFailed ? "at work" : "between two files"}`);
      await compare("killed-files.parquet", catalogue);
      assert.equal(partsOf("killed-files.parquet").length, PARTITIONS);
    },
  );

  test(
    "whole files: a log in folders by day has a result in such folders, whatever the files are called",
    { timeout: TIMEOUT },
    async () => {
      const log = "log by%20day/";
      assert.equal((await run(PYTHON, [PARQUET, "days", path(log)])).code, 0);
      const { code, output } = await identified("days.parquet/", { example: "identify_files.py", log });
      assert.equal(code, 0, output);
      const { stdout, output: said } = await run(PYTHON, [PARQUET, "rows", path("days.parquet")]);
      const expected = [
        { row: 1, ip: "1.1.1.1", day: 1 },
        { row: 2, ip: "8.8.8.8", day: 2 },
      ].map(({ row, ip, day }) => {
        const { cidr, cbs_ids } = identifyText(catalogue, ip);
        return { row, ip, cidr, cbs_ids, day };
      });
      assert.deepEqual(JSON.parse(stdout), expected, said);
      assert.deepEqual(globSync("**/*.parquet", { cwd: path("days.parquet") }).toSorted(), [
        "day=1/part-00000.parquet",
        "day=2/part-00001.parquet",
        "day=2/part-00002.parquet",
      ]);
    },
  );

  test("whole files: an impossible run is an error with the reason", { timeout: TIMEOUT }, async () => {
    const example = "identify_files.py";
    const settings = { "spark.task.maxFailures": "1" };
    const there = await identified("files.parquet", { example });
    assert.match(there.output, /files\.parquet already exists; choose another folder, or remove it/);
    assert.equal(there.code, 1);
    assert.equal(partsOf("files.parquet").length, PARTITIONS);
    const again = await identified("again-files.parquet", { example, log: "files.parquet", settings });
    assert.match(again.output, /part-000\d\d\.parquet already has a column that would be added, rename it/);
    assert.equal(again.code, 1);
    assert.equal(existsSync(path("again-files.parquet")), false);
    mkdirSync(path("texts"));
    writeFileSync(path("texts/README.txt"), "no table\n");
    const text = await identified("texts.parquet", { example, log: "texts", settings });
    assert.match(text.output, /texts\/README\.txt: Parquet magic bytes not found/);
    assert.equal(existsSync(path("texts.parquet")), false);
  });

  test("an impossible run is an error with the reason, and leaves no result", { timeout: TIMEOUT }, async () => {
    writeFileSync(path("cut.ipsieve"), readFileSync(CATALOGUE).subarray(0, 100_000));
    const settings = { "spark.task.maxFailures": "1" };
    const cut = await identified("cut.parquet", { snapshot: path("cut.ipsieve"), settings });
    assert.equal(cut.code, 1);
    assert.match(cut.output, /ipsieve failed: .*catalogue\.ipsieve/);
    const again = await identified("again.parquet", { log: "out.parquet" });
    assert.equal(again.code, 1);
    assert.match(again.output, /the log already has a column that would be added, rename it: \['cbs_ids', 'cidr'\]/);
    for (const output of ["cut.parquet", "again.parquet"]) assert.deepEqual(partsOf(output), []);
  });
});
