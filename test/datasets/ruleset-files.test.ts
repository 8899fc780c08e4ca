import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { promisify } from "node:util";
import { openRuleset, Ruleset, saveRuleset, writeSnapshot } from "../../src/index.ts";
import { prefixOf } from "../../src/address/prefix.ts";
import { openRules, saveRules } from "../../src/datasets/ruleset-files.ts";
import { rulesetFromBytes } from "../../src/datasets/ruleset-from-bytes.ts";
import type { RuleId } from "../../src/rulesets/rule-id.ts";
import { RuleIndex } from "../../src/rulesets/index/rule-index.ts";
import type { RulesetError } from "../../src/rulesets/ruleset-error.ts";
import { indexOf, restored } from "../../src/rulesets/ruleset.ts";
import {
  checkStoredRuleset,
  type RulesetMetadata,
  type StoredRuleset,
  storingRuleset,
} from "../../src/rulesets/stored/stored-ruleset.ts";
import { finished } from "../../src/turns/finished.ts";
import { openSnapshot } from "../../src/snapshot/open-snapshot.ts";
import { checkInvariants } from "../rulesets/check-invariants.ts";
import { COMMAND_FILE } from "../command-file.ts";
import { rounds } from "../rounds.ts";

const NOW = Date.UTC(2026, 10, 22);
const folder = mkdtempSync(join(tmpdir(), "ipsieve-rulesets-"));
after(() => rmSync(folder, { recursive: true }));
function example(): Ruleset {
  const ruleset = new Ruleset({ name: "büro", purpose: "allowlist", allowSpecialPurpose: true });
  ruleset.add("192.0.2.0/24", { name: "netz 🕸" }, NOW);
  ruleset.add("192.0.2.1", { name: "host", expiresAt: NOW + 1000 }, NOW + 1);
  ruleset.add("10.0.0.0/8", {}, NOW);
  ruleset.add("2001:db8::/32", { name: "host", expiresAt: NOW + 2000 }, NOW - 5);
  ruleset.add("2001:db8::1", {}, NOW);
  ruleset.update("192.0.2.0/24", { name: "netz" }, NOW + 7);
  ruleset.add("198.51.100.0/24", {}, NOW);
  ruleset.delete("198.51.100.0/24");
  return ruleset;
}

test("a saved and opened ruleset is equal, and can be written to at once", async () => {
  const path = join(folder, "example.ipsieve");
  const ruleset = example();
  await saveRuleset(path, ruleset);
  for (const opened of [await openRuleset(path), rulesetFromBytes(readFileSync(path))]) {
    const { name, purpose, allowSpecialPurpose, sequence } = opened;
    assert.deepEqual(
      { name, purpose, allowSpecialPurpose, sequence },
      { name: "büro", purpose: "allowlist", allowSpecialPurpose: true, sequence: 8 },
    );
    assert.equal(opened.check("192.0.2.1", NOW)?.name, "host");
    assert.equal(opened.check("2001:db8::1", NOW)?.name, null);
    assert.equal(opened.check("2001:db8::2", NOW + 2000), null);
    opened.add("192.0.2.2", { name: "new" }, NOW);
    opened.delete("192.0.2.1");
    opened.update("2001:db8::/32", { expiresAt: null }, NOW);
    if (ruleset.get("192.0.2.2") === undefined) {
      ruleset.add("192.0.2.2", { name: "new" }, NOW);
      ruleset.delete("192.0.2.1");
      ruleset.update("2001:db8::/32", { expiresAt: null }, NOW);
    }
    assert.equal(opened.check("192.0.2.1", NOW)?.name, "netz");
    assert.equal(opened.check("192.0.2.2", NOW)?.name, "new");
    assert.deepEqual([...opened], [...ruleset]);
    assert.equal(opened.activeCount(NOW), ruleset.activeCount(NOW));
    checkInvariants(indexOf(opened));
    opened.freeze();
    assert.deepEqual([...opened], [...ruleset]);
    checkInvariants(indexOf(opened));
  }
});

test("bulk decisions from a file equal single ones, at any time, by the kernel and by the table", async () => {
  const path = join(folder, "many.ipsieve");
  const ruleset = new Ruleset();
  const words = { 4: new Uint32Array(2000), 6: new Uint32Array(8000) };
  for (let at = 0; at < 2000; at++) {
    words[4][at] = 0x0b00_0000 + at * 3;
    words[6].set([0x2a00_0000, 0, 0, at * 3], 4 * at);
    const expiresAt = at % 3 === 0 ? null : NOW + 1000 * (1 + (at % 7));
    const length = at % 5;
    for (const [family, from] of [
      [4, at],
      [6, 4 * at],
    ] as const) {
      const [w0 = 0, w1 = 0, w2 = 0, w3 = 0] = words[family].subarray(from, from + (family === 4 ? 1 : 4));
      ruleset.add(prefixOf({ family, w0, w1, w2, w3 }, (family === 4 ? 32 : 128) - length), { expiresAt }, NOW);
    }
  }
  await saveRuleset(path, ruleset);
  let differing = 0;
  for (const opened of [await openRuleset(path), rulesetFromBytes(readFileSync(path))])
    for (const now of [NOW + 4000, NOW, NOW + 10_000, NOW + 2500, NOW + 4000])
      for (const family of [4, 6] as const)
        for (const count of [2000, 100, 1]) {
          const out = new Uint32Array(count);
          opened.decideWordsInto(family, words[family], out, now, count);
          const alone = Array.from(out, (_, at) => {
            const [w0 = 0, w1 = 0, w2 = 0, w3 = 0] = words[family].subarray(
              family === 4 ? at : 4 * at,
              family === 4 ? at + 1 : 4 * at + 4,
            );
            return ruleset.check({ family, w0, w1, w2, w3 }, now);
          });
          const decided = [...out].map((id) => (id === 0 ? null : opened.ruleAt(id as RuleId)));
          assert.deepEqual(decided, alone);
          differing += count === 2000 && alone.some((rule) => rule === null) ? 1 : 0;
        }
  assert.ok(differing > 0, "the negative control: no rule has expired anywhere");
});

test("ready builds what an opened ruleset lacks, between other work, while the ruleset is written to", async () => {
  const path = join(folder, "ready.ipsieve");
  const ruleset = new Ruleset();
  for (let at = 0; at < 60_000; at++) {
    const prefix = { family: 4, w0: (0x0800_0000 + at * 16) >>> 0, w1: 0, w2: 0, w3: 0, length: 32 } as const;
    ruleset.add(prefix, { name: `n${at % 100}`, expiresAt: at % 2 === 0 ? null : NOW + at }, NOW);
  }
  await saveRuleset(path, ruleset);
  const opened = await openRuleset(path);
  let [writes, isReady] = [0, false];
  const write = (): void => {
    for (const each of [ruleset, opened]) each.add(`9.9.${writes >>> 8}.${writes & 255}`, {}, NOW);
    writes++;
    if (!isReady) setImmediate(write);
  };
  setImmediate(write);
  await opened.ready();
  isReady = true;
  assert.ok(writes > 1, `${writes} writes meanwhile`);
  assert.deepEqual([...opened], [...ruleset]);
  assert.equal(opened.activeCount(NOW + 30_000), ruleset.activeCount(NOW + 30_000));
  checkInvariants(indexOf(opened));
  await opened.ready();
  await new Ruleset().ready();
});

test("numbers of names take 1, 2 or 4 bytes, as few as possible", async () => {
  const path = join(folder, "names.ipsieve");
  for (const [distinct, bytes] of [
    [255, 1],
    [256, 2],
    [65_536, 4],
  ] as const) {
    const count = distinct + 2;
    const index = RuleIndex.from([
      {
        family: 4,
        words: Uint32Array.from({ length: count }, (_, at) => at * 256),
        lengths: new Uint8Array(count).fill(32),
        // The first rule has none; the last has the same name as the one before.
        names: Array.from({ length: count }, (_, at) => (at === 0 ? null : `name ${Math.min(at, distinct)}`)),
        expiresAt: new Float64Array(count).fill(Infinity),
        createdAt: new Float64Array(count),
        updatedAt: new Float64Array(count),
      },
    ]);
    const ruleset = restored({ allowSpecialPurpose: true }, index, 0);
    assert.equal(finished(storingRuleset(ruleset)).metadata.names.numbers.length, bytes * count);
    await saveRuleset(path, ruleset);
    const opened = await openRuleset(path);
    await opened.ready();
    assert.deepEqual([...opened], [...ruleset]);
  }
});

test("a program that only awaits ready does not end", async () => {
  const path = join(folder, "alone.ipsieve");
  await saveRuleset(path, example());
  const library = JSON.stringify(join(import.meta.dirname, "../../src/index.ts"));
  const program = `import { openRuleset } from ${library};
    await (await openRuleset(${JSON.stringify(path)})).ready(); console.log("ready");`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program]);
  assert.equal(stdout, "ready\n");
});

test("a ruleset is saved as of the call, even if it is written to meanwhile; empty ones are saved too", async () => {
  const path = join(folder, "moment.ipsieve");
  const ruleset = example();
  const before = [...ruleset];
  const saving = saveRuleset(path, ruleset);
  ruleset.clear();
  await saving;
  assert.deepEqual([...(await openRuleset(path))], before);
  await saveRuleset(path, ruleset);
  const empty = await openRuleset(path);
  assert.deepEqual([empty.count, empty.check("192.0.2.1")], [0, null]);
  empty.add("192.0.2.1", {}, NOW);
  assert.equal(empty.check("192.0.2.1", NOW)?.createdAt, NOW);
});

test("rules of a service are saved with their origin", async () => {
  const path = join(folder, "origin.ipsieve");
  const ruleset = example();
  const mark = { schema: 7, sequence: 2 ** 40 + 1, transaction: "a1b2" };
  const origin = { rulesetId: "rs_1", mark };
  const about = { name: "büro", purpose: "allowlist", allowSpecialPurpose: true, sequence: 2 ** 40, origin } as const;
  await saveRules(path, indexOf(ruleset), about);
  const opened = await openRules(path);
  assert.deepEqual(opened.about, about);
  assert.deepEqual([...opened.rules.rules()], [...ruleset]);
  assert.equal((await openRuleset(path)).sequence, 2 ** 40);
  await saveRuleset(path, ruleset);
  assert.equal((await openRules(path)).about.origin, undefined);
  for (const wrong of [
    { transaction: "" },
    { transaction: "x".repeat(256) },
    { transaction: 2 as unknown as string },
    { schema: -1 },
    { sequence: 2 ** 40 - 1 },
  ])
    await assert.rejects(
      saveRules(path, indexOf(ruleset), { ...about, origin: { ...origin, mark: { ...mark, ...wrong } } }),
      {
        name: "RulesetError",
        code: "bad-metadata",
        member: "origin",
      },
    );
});

test("the command verifies a ruleset and describes it", async () => {
  const path = join(folder, "command.ipsieve");
  await saveRuleset(path, example());
  const run = async (...args: string[]): Promise<string> =>
    (await promisify(execFile)(process.execPath, [COMMAND_FILE, ...args])).stdout;
  assert.match(await run("verify", path), /: intact; 3 IPv4 and 2 IPv6 prefixes/);
  const info = JSON.parse(await run("info", "--json", path)) as { kind: string; about: object };
  assert.equal(info.kind, "ruleset");
  assert.deepEqual(info.about, {
    title: "büro",
    purpose: "allowlist",
    rules: 5,
    activeRules: 3,
    sequence: 8,
    sources: [],
  });
  assert.match(await run("info", path), /purpose +allowlist\n.*rules +5, 3 active now/);
});

/**
 * When the file is opened, when its rules are first needed (if only those of IPv6: "needed 6"), or only by `ipsieve
 * verify`.
 */
type When = "open" | "needed" | "needed 6" | "deep";

/** Every way in which a file of rules is rejected, with the invalid member, and when it is rejected. */
const BAD: Record<string, [change: (stored: StoredRuleset) => void, code: string, member: string, when: When]> = {};
/** The metadata, to be made wrong in any way. */
// oxlint-disable-next-line typescript/no-explicit-any -- that is the point of it
type Loose = { -readonly [Key in keyof RulesetMetadata]: any };
function bad(
  what: string,
  member: string,
  change: (
    metadata: Loose,
    words: (section: "matchValue" | "matchParent") => Int32Array,
    stored: StoredRuleset,
  ) => void,
  code = "bad-rules",
  when: When = "open",
): void {
  BAD[what] = [
    (stored) => {
      const { buffer, sections } = stored.table;
      change(
        stored.metadata as Loose,
        (name) => new Int32Array(buffer, sections[name].byteOffset, sections[name].byteLength / 4),
        stored,
      );
    },
    code,
    member,
    when,
  ];
}
const floats = (bytes: Uint8Array): Float64Array => new Float64Array(bytes.buffer, bytes.byteOffset, bytes.length / 8);
const longs = (bytes: Uint8Array): Uint32Array => new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
const expiries = ({ table }: StoredRuleset): Float64Array =>
  new Float64Array(table.buffer, table.sections.expiresAt.byteOffset, 6);
const lengths = ({ table }: StoredRuleset): Uint8Array =>
  new Uint8Array(table.buffer, table.sections.matchLength.byteOffset, 6);

bad("of a later format", "format", (m) => (m.format = 2), "bad-metadata");
bad("without a name", "name", (m) => (m.name = null), "bad-metadata");
bad("whose name has a line end", "names", (m) => (m.name = "a\nb"));
bad("of an unknown purpose", "purpose", (m) => (m.purpose = "greylist"), "bad-metadata");
bad("that does not say what is allowed", "allowSpecialPurpose", (m) => (m.allowSpecialPurpose = 1), "bad-metadata");
bad("with half a sequence", "sequence", (m) => (m.sequence = 0.5), "bad-metadata");
bad("from nowhere", "origin", (m) => (m.origin = null), "bad-metadata");
bad("from half a database", "origin", (m) => (m.origin = { rulesetId: "rs_1" }), "bad-metadata");
bad("without names", "names", (m) => (m.names = null), "bad-metadata");
bad("without times", "times", (m) => (m.times = []), "bad-metadata");
bad("whose column is text", "words4", (m) => (m.words4 = "x"), "bad-metadata");
bad("with a word too few", "words4", (m) => (m.words4 = m.words4.slice(4)));
bad("with half a word", "words6", (m) => (m.words6 = m.words6.slice(2)));
bad("with host bits", "words4", (m) => (longs(m.words4)[0]! |= 1), "bad-rules", "needed");
bad("whose prefixes are out of order", "words4", (m) => (longs(m.words4)[0] = 0xff000000), "bad-rules", "needed");
bad(
  "whose prefix stands twice",
  "words4",
  (m, _, s) => {
    longs(m.words4)[0] = longs(m.words4)[1]!;
    lengths(s)[1] = 24;
  },
  "bad-rules",
  "needed",
);
bad("with other prefixes than its table", "words4", (m) => (longs(m.words4)[0] = 0x0b000000), "bad-rules", "needed");
bad(
  "with other IPv6 prefixes than its table",
  "words6",
  (m) => (longs(m.words6)[0] = 0x20010db7),
  "bad-rules",
  "needed 6",
);
bad(
  "with shorter prefixes than its table",
  "words4",
  (m, _, s) => {
    longs(m.words4)[1] = 0xc0000000;
    lengths(s)[2] = 16;
  },
  "bad-rules",
  "needed",
);
bad("whose rules have other numbers", "matchValue", (_, words) => (words("matchValue")[2] = 3), "bad-rules", "needed");
bad("with a rule around itself", "matchParent", (_, words) => (words("matchParent")[3] = 3));
bad("with a rule in one that comes later", "matchParent", (_, words) => (words("matchParent")[2] = 3));
bad("with an IPv6 rule in an IPv4 rule", "matchParent", (_, words) => (words("matchParent")[5] = 2));
bad("with a rule in a shorter one", "matchParent", (_, words) => (words("matchParent")[2] = -1));
bad("with a rule beyond its family", "matchLength", (_, _words, s) => (lengths(s)[3] = 33), "bad-rules", "needed");
bad("with an expiry that is not a number", "expiresAt", (_, _words, s) => (expiries(s)[2] = Number.NaN));
bad("with an expiry before all times", "expiresAt", (_, _words, s) => (expiries(s)[2] = Number.NEGATIVE_INFINITY));
bad("with an expiry after the year 9999", "expiresAt", (_, _words, s) => (expiries(s)[2] = 1e15));
bad("whose moments are out of order", "times", (m) => floats(m.times.moments).reverse(), "bad-rules", "needed");
bad(
  "with a moment that is not a number",
  "times",
  (m) => (floats(m.times.moments)[1] = Number.NaN),
  "bad-rules",
  "needed",
);
bad("without a moment", "times", (m) => (m.times.moments = new Uint8Array(0)), "bad-rules", "needed");
bad("with a rule of a moment that is not there", "times", (m) => (m.times.created[0] = 200), "bad-rules", "needed");
bad("with a time too few", "times", (m) => (m.times.updated = m.times.updated.slice(1)), "bad-rules", "needed");
bad("whose names are out of order", "names", (m) => longs(m.names.ends).reverse(), "bad-rules", "needed");
bad(
  "whose names end before their text",
  "names",
  (m) => (m.names.text = new Uint8Array([...m.names.text, 65])),
  "bad-rules",
  "needed",
);
bad("whose names are not UTF-8", "names", (m) => (m.names.text[0] = 0xff), "bad-rules", "needed");
bad("with a name that is not there", "names", (m) => (m.names.numbers[0] = 9), "bad-rules", "needed");
bad("whose names are numbers", "names", (m) => (m.names.text = 7), "bad-metadata", "needed");
bad("with a name of two lines", "names", (m) => (m.names.text[0] = 10), "bad-rules", "needed");
bad("with a name with a DEL in it", "names", (m) => (m.names.text[0] = 0x7f), "bad-rules", "needed");
bad(
  "with a line separator in a name",
  "names",
  (m) => {
    m.names.text = Buffer.concat([Buffer.from("\u2028"), m.names.text]);
    longs(m.names.ends).forEach((end, at) => (longs(m.names.ends)[at] = end + 1));
  },
  "bad-rules",
  "needed",
);
bad(
  "with a name that is too long",
  "names",
  (m) => {
    m.names.text = Buffer.concat([Buffer.alloc(256, "x"), m.names.text]);
    longs(m.names.ends).forEach((end, at) => (longs(m.names.ends)[at] = end + 256));
  },
  "bad-rules",
  "needed",
);
bad(
  "whose table covers more than its prefixes",
  "words4",
  (m, _, s) => {
    longs(m.words4)[1] = 0xc0000200;
    lengths(s)[2] = 25;
  },
  "bad-rules",
  "deep",
);

describe("a file is rejected", () => {
  for (const [what, [change, code, member, when]] of Object.entries(BAD)) {
    test(what, async () => {
      const path = join(folder, "bad.ipsieve");
      const stored = finished(storingRuleset(example()));
      change(stored);
      await writeSnapshot(path, { ...stored, kind: "ruleset" });
      const snapshot = await openSnapshot(path);
      assert.throws(
        () => checkStoredRuleset(snapshot.metadata, snapshot.table),
        (error: RulesetError) => {
          assert.deepEqual([error.name, error.code, error.member], ["RulesetError", code, member]);
          // Of the few rules and names, counted from 1.
          assert.match(/\b(?:rule|name) (-?\d+)/.exec(error.message)?.[1] ?? "1", /^[1-9]$/, error.message);
          return true;
        },
      );
      const problem = { name: "UsageError", code: "unusable", path };
      if (when === "open") return assert.rejects(openRuleset(path), problem);
      const ruleset = await openRuleset(path);
      if (when === "deep") return;
      const [asked, added] = when === "needed" ? ["192.0.2.0", "192.0.2.9"] : ["2001:db8::1", "2001:db8::2"];
      assert.notEqual(ruleset.decideText(asked, NOW), 0);
      assert.throws(() => ruleset.check(asked, NOW), problem);
      assert.throws(() => [...ruleset], problem);
      await assert.rejects(ruleset.ready(), problem);
      assert.throws(() => ruleset.add(added, { name: "x" }, NOW), problem);
      await assert.rejects(saveRuleset(join(folder, "other.ipsieve"), ruleset), problem);
    });
  }

  test("of another kind, corrupt, missing", async () => {
    const path = join(folder, "other.ipsieve");
    const stored = finished(storingRuleset(example()));
    await writeSnapshot(path, { ...stored, kind: "other" });
    await assert.rejects(openRuleset(path), { name: "UsageError", code: "wrong-kind" });
    writeFileSync(path, "not a snapshot");
    await assert.rejects(openRuleset(path), { name: "SnapshotError", code: "not-a-snapshot" });
    await assert.rejects(openRuleset(join(folder, "none")), { name: "SnapshotError", code: "not-found" });
    await assert.rejects(saveRuleset(join(folder, "no/folder"), example()), {
      name: "SnapshotError",
      code: "unwritable",
    });
  });
});

test("kill -9 during a save leaves the previous ruleset or the new one", { timeout: 120_000 }, async (t) => {
  const path = join(folder, "killed.ipsieve");
  const program = `
    import { Ruleset, saveRuleset } from ${JSON.stringify(join(import.meta.dirname, "../../src/index.ts"))};
    const ruleset = new Ruleset({ allowSpecialPurpose: true });
    for (let at = 0; at < 20000; at++) ruleset.add({ family: 4, w0: at * 4096, w1: 0, w2: 0, w3: 0, length: 24 }, {}, 1);
    for (let saved = 1; ; saved++) {
      ruleset.add("255.0.0.0/" + (8 + (saved % 20)), { mode: "override", name: String(saved) }, 1);
      await saveRuleset(${JSON.stringify(path)}, ruleset);
      console.log(ruleset.sequence);
    }`;
  const file = join(folder, "save.mjs");
  writeFileSync(file, program);
  const seen: number[] = [];
  for (let round = rounds({ short: 2, long: 0 }); round < 4; round++) {
    rmSync(path, { force: true });
    const child = spawn(process.execPath, [file], { stdio: ["ignore", "pipe", "inherit"] });
    let last = 0;
    let said = "";
    const isSaved = new Promise<void>((resolve) => {
      child.stdout.on("data", (data: Buffer) => {
        said += String(data);
        last = Number(said.trimEnd().split("\n").at(-1));
        resolve();
      });
      child.once("exit", () => resolve());
    });
    await isSaved;
    await new Promise((resolve) => setTimeout(resolve, 40 * round));
    const ended = new Promise((resolve) => child.once("close", resolve));
    child.kill("SIGKILL");
    await ended;
    const { sequence, count } = await openRuleset(path);
    assert.ok(sequence === last || sequence === last + 1, `${sequence} after ${last}`);
    assert.ok(count > 20_000);
    seen.push(sequence - last);
  }
  t.diagnostic(`ahead of what was reported: ${seen.join()}; left in the folder: ${readdirSync(folder).join()}`);
});
