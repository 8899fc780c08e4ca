import assert from "node:assert/strict";
import { mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, test } from "node:test";
import { limitFileSize, whyNoFileSizeLimit } from "./harness/file-size-limit.ts";
import { mountSmallDisk, whyNoSmallDisk } from "./harness/small-disk.ts";
import { adding, by, Replica } from "./harness/stores.ts";

const GROUP = 40;

/** Writes many rules at once, so that they share transactions. Returns the acknowledged prefixes, and the errors. */
async function writeAtOnce(
  replica: Replica,
  into: { organisationId: string; rulesetId: string },
  round: number,
): Promise<{ taken: string[]; errors: unknown[] }> {
  const prefixes = Array.from({ length: GROUP }, (_, i) => `10.0.${round}.${i}`);
  const results = await Promise.allSettled(
    prefixes.map((prefix) =>
      replica.store.write({
        kind: "add-rule",
        ...into,
        request: adding(prefix, { mode: "fail", name: "x".repeat(200) }),
        ...by(2),
      }),
    ),
  );
  return {
    taken: prefixes.filter((_, i) => results[i]!.status === "fulfilled"),
    errors: results.flatMap((result) => (result.status === "rejected" ? [result.reason] : [])),
  };
}

/**
 * Writes rounds of rules before, during and after the outage; nothing acknowledged is lost, and nothing rejected is
 * there.
 */
async function holdThrough(
  file: string,
  fail: () => void,
  mend: () => void,
  expected: { code: RegExp; message: RegExp },
): Promise<void> {
  const replica = await Replica.open({ file });
  const { organisation, blocklist } = await replica.organisation();
  const into = { organisationId: organisation.id, rulesetId: blocklist.id };
  const taken: string[] = [];
  const errors: unknown[] = [];
  const write = async (round: number): Promise<number> => {
    const result = await writeAtOnce(replica, into, round);
    taken.push(...result.taken);
    errors.push(...result.errors);
    return result.errors.length;
  };
  assert.equal(await write(0), 0);
  fail();
  for (let round = 1; round <= 20; round++) await write(round);
  assert.equal(await write(21), GROUP, "it fails in the end");
  await assert.rejects(replica.store.probe(), expected);
  await replica.store.read("credentials", "nobody"); // reads continue
  mend();
  await replica.store.probe();
  assert.equal(await write(22), 0, "it goes on without a restart");
  for (const error of errors as { code: string; message: string }[]) {
    assert.match(error.code, expected.code);
    assert.match(error.message, expected.message);
    assert.ok(error.message.startsWith(`${file}: `), error.message);
  }
  const { rules } = await replica.store.check();
  assert.equal(rules, taken.length);
  await replica.store.close();
  const again = await Replica.open({ file });
  assert.deepEqual([...again.memory.rulesOf(blocklist.id).keys()].sort(), taken.sort());
  await again.store.close();
}

function temporaryFolder(t: { after(end: () => void): void }): string {
  const folder = mkdtempSync(join(tmpdir(), "ipsieve-failing-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

describe("a SQLite file on a disk that fails", () => {
  test(
    "a full disk: writes are rejected as unavailable with the real reason, and continue when there is space",
    { skip: whyNoSmallDisk },
    async () => {
      using disk = mountSmallDisk(8 << 20);
      await holdThrough(
        join(disk.path, "store.db"),
        () => disk.fill(),
        () => disk.free(),
        { code: /^unavailable$/, message: /database or disk is full.*; free some space$/ },
      );
    },
  );

  test(
    "negative control: SQLite then ends the transaction itself, and a second rollback causes another error",
    { skip: whyNoSmallDisk },
    () => {
      using disk = mountSmallDisk(1 << 20);
      const file = new DatabaseSync(join(disk.path, "plain.db"));
      file.exec("pragma journal_mode = wal; create table t (text); begin immediate");
      disk.fill();
      assert.throws(() => {
        file.prepare("insert into t values (?)").run("x".repeat(5000));
        file.exec("commit");
      }, /database or disk is full/);
      assert.throws(() => file.exec("rollback"), /cannot rollback - no transaction is active/);
      file.close();
    },
  );

  test(
    "an I/O error: writes are rejected, and continue when the disk works",
    { skip: whyNoFileSizeLimit },
    async (t) => {
      const file = join(temporaryFolder(t), "store.db");
      t.after(() => limitFileSize(null));
      await holdThrough(
        file,
        () => limitFileSize(statSync(`${file}-wal`).size),
        () => limitFileSize(null),
        {
          code: /^(unavailable|outcome-unknown)$/,
          message:
            /disk I\/O error.*; its disk is full, read-only or failing; check its free space and the system's log$/,
        },
      );
    },
  );
});

describe("a SQLite file that is moved while it is open", () => {
  for (const [what, replacement] of [
    ["moved", null],
    ["replaced", "something else"],
  ] as const) {
    test(`${what}: nothing is written until it is back`, async (t) => {
      const file = join(temporaryFolder(t), "store.db");
      const replica = await Replica.open({ file });
      const { blocklist } = await replica.organisation();
      const add = (prefix: string) => replica.addRule(blocklist, prefix);
      await add("192.0.2.1");
      renameSync(file, `${file}.elsewhere`);
      if (replacement !== null) writeFileSync(file, replacement);
      const message = new RegExp(
        `^${file}: the database file has been ${replacement === null ? "moved or deleted" : "replaced"}; put the original file back`,
      );
      const gone = { name: "StoreError", code: "unavailable", message };
      await assert.rejects(add("192.0.2.2"), gone);
      await assert.rejects(
        replica.store.record("usage", [{ keyId: "k", area: "edl", month: "2026-11", requests: 1, lastUsedAt: 1 }]),
        gone,
      );
      await assert.rejects(replica.store.probe(), gone);
      await assert.rejects(replica.store.changesAfter(0), gone);
      renameSync(`${file}.elsewhere`, file);
      await add("192.0.2.3");
      assert.deepEqual([...replica.memory.rulesOf(blocklist.id).keys()].sort(), ["192.0.2.1", "192.0.2.3"]);
      await replica.store.check();
      await replica.store.close();
    });
  }
});
