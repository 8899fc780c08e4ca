import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { parsePrefix } from "../../src/address/prefix.ts";
import { CatalogueBuilder } from "../../src/cbs/catalogue-builder.ts";
import { writeSnapshot } from "../../src/snapshot/write-snapshot.ts";
import { freeze } from "../../src/table/freeze.ts";
import { run, temporaryFolder } from "./run-command.ts";

/** Generations by file name, which is not always right, and the times at which they were made. */
const GENERATIONS = {
  "20260101T000000.000Z.ipsieve": "2026-01-01T00:00:00.000Z",
  "20260301T235959.999Z.ipsieve": "2026-03-01T23:59:59.999Z",
  "20250101T000000.000Z.ipsieve": "2026-11-21T11:19:00.000Z",
} as const;

let folder: ReturnType<typeof temporaryFolder>;
const inFolder = (...parts: string[]): string => join(folder.path, ...parts);

before(async () => {
  folder = temporaryFolder({ "log.txt": "192.0.2.1 x\n" });
  mkdirSync(inFolder("home", "history"), { recursive: true });
  for (const [name, time] of Object.entries(GENERATIONS))
    await writeGeneration(inFolder("home", "history", name), time);
  writeFileSync(inFolder("home", "history", "notes.txt"), "not a catalogue\n");
});
after(() => folder.remove());

/** Puts the address into a service that is named after the time. */
async function writeGeneration(path: string, time: string): Promise<void> {
  const builder = new CatalogueBuilder();
  builder.add(parsePrefix("192.0.2.0/24"), `made ${time}`);
  const { trie, metadata } = builder.build({ title: "Generation", createdAt: new Date(time), sources: [] });
  await writeSnapshot(path, { table: freeze(trie), metadata, kind: "catalogue", createdAt: new Date(time) });
}

const asOf = (...args: string[]) => run(args, { cwd: folder.path, env: { IPSIEVE_HOME: inFolder("home") } });
const idsAsOf = async (time: string): Promise<string[]> =>
  JSON.parse((await asOf("lookup", "--json", "--as-of", time, "192.0.2.1")).stdout).cbs_ids;

describe("--as-of picks the newest generation that was not made later", () => {
  const cases: [time: string, made: string, why: string][] = [
    ["2026-01-01T00:00:00Z", "2026-01-01T00:00:00.000Z", "the very millisecond"],
    ["2026-03-01T23:59:59.998Z", "2026-01-01T00:00:00.000Z", "a millisecond before"],
    ["2026-03-01", "2026-03-01T23:59:59.999Z", "a date is its end, UTC"],
    ["2026-02-28", "2026-01-01T00:00:00.000Z", "the day before"],
    ["2026-03-02T01:00+01:00", "2026-03-01T23:59:59.999Z", "another zone"],
    ["2026-03-02T00:59:59.998+01:00", "2026-01-01T00:00:00.000Z", "another zone, a millisecond before"],
    ["2099-12-31", "2026-11-21T11:19:00.000Z", "the file's own time decides, not its name"],
  ];
  for (const [time, made, why] of cases)
    test(`${time}: ${why}`, async () => assert.deepEqual(await idsAsOf(time), [`made ${made}`]));
});

test("every command names the generation used on stderr", async () => {
  const told = `ipsieve: as of 2026-03-01T23:59:59.999Z: ${inFolder("home", "history", "20260301T235959.999Z.ipsieve")}, made 2026-03-01T23:59:59.999Z\n`;
  const id = "made 2026-03-01T23:59:59.999Z";
  const commands = [
    ["identify", "log.txt"],
    ["lookup", "192.0.2.1"],
    ["cbs", "search", "made"],
    ["cbs", "browse", id],
    ["cbs", "browse", "--list", "providers"],
    ["cbs", "ranges", id],
  ];
  for (const command of commands) {
    const { code, stdout, stderr } = await asOf(...command, "--as-of", "2026-03-01");
    assert.deepEqual([code, stderr], [0, told], command.join(" "));
    assert.match(stdout, command[1] === "ranges" ? /192\.0\.2\.0\/24/ : /made 2026-03-01T23:59:59\.999Z/);
  }
  assert.equal((await asOf("identify", "--summary", "log.txt", "--as-of=2026-03-01")).stderr, told);
  assert.equal((await asOf("cbs", "stats", "--as-of=2026-03-01")).stderr, told);
});

test("--snapshot names another folder", async () => {
  mkdirSync(inFolder("other"));
  await writeGeneration(inFolder("other", "a.ipsieve"), "2020-01-01T00:00:00.000Z");
  const { stdout, stderr } = await asOf("identify", "--snapshot", "other", "--as-of", "2026-03-01", "log.txt");
  assert.match(stdout, /made 2020-01-01T00:00:00\.000Z/);
  assert.match(stderr, /other\/a\.ipsieve, made 2020-01-01/);
});

describe("cbs diff of two times", () => {
  const diff = (...operands: string[]) => asOf("cbs", "diff", "--prefixes", ...operands);

  test("compares the catalogues that were in use then, and names them", async () => {
    const { code, stdout, stderr } = await diff("2026-02-28", "2026-03-02T01:00+01:00");
    assert.deepEqual(
      [code, stdout],
      [0, "- 192.0.2.0/24\tmade 2026-01-01T00:00:00.000Z\n+ 192.0.2.0/24\tmade 2026-03-01T23:59:59.999Z\n"],
    );
    assert.match(stderr, /^ipsieve: as of 2026-02-28T23:59:59\.999Z: .*20260101T.*\nipsieve: as of .*20260301T.*\n$/);
    assert.equal((await diff("2026-01-01", "2026-02-28")).code, 1, "the same catalogue");
  });

  test("a file with the name of a day is named by a path", async () => {
    await writeGeneration(inFolder("2026-03-01"), "2026-06-01T00:00:00.000Z");
    assert.match((await diff("2026-01-01", "./2026-03-01")).stdout, /\+ 192\.0\.2\.0\/24\tmade 2026-06-01/);
  });

  test("without a history, which the error says how to keep", async () => {
    const { code, stderr } = await run(["cbs", "diff", "2026-01-01", "2026-03-01"], {
      env: { IPSIEVE_HOME: inFolder("new") },
    });
    assert.equal(code, 2);
    assert.match(stderr, /^ipsieve: 2026-01-01: .*new\/history: there is no such folder; .*, write \.\/2026-01-01$/m);
  });

  const bad: [operand: string, why: RegExp][] = [
    ["2025-12-31", /^ipsieve: 2025-12-31: no catalogue in .*history was made by .*; the oldest, .* is of 2026-01-01T/m],
    ["2026-02-30", /"2026-02-30": there is no such day/],
    ["2026-03-01T12:00", /"2026-03-01T12:00": the zone is missing/],
  ];
  for (const [operand, why] of bad)
    test(`${operand} is rejected`, async () => {
      const { code, stdout, stderr } = await diff("2026-01-01", operand);
      assert.deepEqual([code, stdout], [2, ""]);
      assert.match(stderr, why);
    });
});

describe("--as-of rejects", () => {
  const refused = async (args: string[], why: RegExp): Promise<void> => {
    const { code, stdout, stderr } = await asOf("lookup", "192.0.2.1", ...args);
    assert.deepEqual([code, stdout], [2, ""]);
    assert.match(stderr, why);
  };
  const times: [time: string, why: RegExp][] = [
    ["2026-03-01T12:00:00", /the zone is missing; add Z/],
    ["2026-03-01T12:00", /the zone is missing/],
    ["yesterday", /it is not an ISO 8601 time/],
    ["1764000000", /it is not an ISO 8601 time/],
    ["2026-3-1", /it is not an ISO 8601 time/],
    ["2026-02-30", /there is no such day/],
    ["2026-02-30T00:00:00Z", /there is no such day/],
    ["2026-13-01", /there is no such day/],
    ["2026-03-01T25:00:00Z", /there is no such time/],
    ["2026-03-01T10:00:00+99:99", /there is no such time/],
  ];
  for (const [time, why] of times) test(JSON.stringify(time), () => refused(["--as-of", time], why));

  test("a time before the oldest generation, which it names", () =>
    refused(
      ["--as-of", "2025-12-31"],
      /no catalogue in .*history was made by 2025-12-31T23:59:59\.999Z; the oldest, .*20260101T000000\.000Z\.ipsieve, is of 2026-01-01T00:00:00\.000Z/,
    ));
  test("a missing folder", () =>
    refused(["--as-of", "2026-03-01", "--snapshot", "nowhere"], /nowhere: there is no such folder; .*--snapshot DIR/));
  test("a file instead of a folder", () =>
    refused(["--as-of", "2026-03-01", "--snapshot", "log.txt"], /log\.txt: it is a file, not a folder/));
  test("a folder without a catalogue", () => {
    mkdirSync(inFolder("empty"));
    return refused(["--as-of", "2026-03-01", "--snapshot", "empty"], /empty holds no catalogue/);
  });
  test("no history at all", async () => {
    const { code, stderr } = await run(["lookup", "192.0.2.1", "--as-of", "2026-03-01"], {
      env: { IPSIEVE_HOME: inFolder("new") },
    });
    assert.equal(code, 2);
    assert.match(stderr, /new\/history: there is no such folder; .*"ipsieve cbs update", or .*--snapshot DIR$/m);
  });

  test("a folder with a corrupt generation, however old, instead of using another one", async () => {
    const good = readFileSync(inFolder("home", "history", "20260101T000000.000Z.ipsieve"));
    const path = inFolder("home", "history", "20240101T000000.000Z.ipsieve");
    for (const [bytes, why] of [
      [good.subarray(0, -1), /20240101T000000\.000Z\.ipsieve: .*its header says.*restore the file, or remove it/s],
      [good.with(30, 1), /header/],
      [Buffer.alloc(0), /empty file/],
    ] as const) {
      writeFileSync(path, bytes);
      await refused(["--as-of", "2026-03-01"], why);
    }
    rmSync(path);
    assert.deepEqual(await idsAsOf("2026-03-01"), ["made 2026-03-01T23:59:59.999Z"]);
  });

  test("a selected generation with corrupt sections", async () => {
    mkdirSync(inFolder("flipped"));
    const bytes = readFileSync(inFolder("home", "history", "20260101T000000.000Z.ipsieve"));
    writeFileSync(inFolder("flipped", "a.ipsieve"), bytes.with(bytes.length - 1, bytes.at(-1)! ^ 1));
    await refused(
      ["--as-of", "2026-03-01", "--snapshot", "flipped"],
      /a\.ipsieve: section metadata does not match its checksum/,
    );
  });
});
