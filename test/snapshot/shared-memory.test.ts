import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { parsePrefix } from "../../src/address/prefix.ts";
import { openSnapshot } from "../../src/snapshot/open-snapshot.ts";
import { Snapshot } from "../../src/snapshot/snapshot.ts";
import { SnapshotError } from "../../src/snapshot/snapshot-error.ts";
import { writeSnapshot } from "../../src/snapshot/write-snapshot.ts";
import { freeze } from "../../src/table/freeze.ts";
import { PrefixTrie } from "../../src/trie/prefix-trie.ts";
import { inTemporaryFolder } from "./harness/sample.ts";
import { rounds } from "../rounds.ts";

const OPEN_OFTEN = join(import.meta.dirname, "harness/open-often.ts");

/** Writes a snapshot with 1.2.3.0/24, a megabyte long because of its metadata, and runs `act`. */
async function withMegabyte(act: (path: string) => Promise<void> | void): Promise<void> {
  await inTemporaryFolder(async (folder) => {
    const trie = new PrefixTrie();
    trie.insert(parsePrefix("1.2.3.0/24"), 7);
    await writeSnapshot(join(folder, "a"), { table: freeze(trie), metadata: new Uint8Array(1 << 20), kind: "test" });
    await act(join(folder, "a"));
  });
}

function openOften(...args: (string | number)[]): unknown {
  const { status, stdout, stderr } = spawnSync(process.execPath, [OPEN_OFTEN, ...args.map(String)], {
    encoding: "utf8",
  });
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout);
}

test("a snapshot is at the beginning of a WebAssembly memory, which can grow without affecting lookups", () =>
  withMegabyte(async (path) => {
    const snapshot = await openSnapshot(path);
    assert.ok(snapshot.memory !== null);
    assert.equal(snapshot.buffer, snapshot.memory.buffer);
    assert.equal(snapshot.memory.grow(3) * 65_536, snapshot.buffer.byteLength);
    assert.equal(snapshot.memory.buffer.byteLength, snapshot.buffer.byteLength + 3 * 65_536);
    const again = Snapshot.attach(snapshot.shared);
    assert.deepEqual([again.info, again.table.lookup("1.2.3.4")], [snapshot.info, snapshot.table.lookup("1.2.3.4")]);
  }));

test("a memory that is shorter than its snapshot is rejected", () =>
  withMegabyte(async (path) => {
    const { buffer } = await openSnapshot(path);
    for (const [bytes, code] of [
      [1 << 20, "truncated"],
      [100, "truncated"],
      [4, "truncated"],
    ] as const) {
      const part = new SharedArrayBuffer(bytes);
      new Uint8Array(part).set(new Uint8Array(buffer, 0, bytes));
      assert.throws(
        () => Snapshot.attach(part),
        (error) => error instanceof SnapshotError && error.code === code,
        `${bytes} bytes`,
      );
    }
  }));

test("a snapshot can be opened without WebAssembly", () =>
  withMegabyte((path) => {
    assert.deepEqual(
      { ...(openOften(path, 1, 1, "without") as object), mebibytes: 0 },
      { isMemory: false, match: 1, mebibytes: 0 },
    );
  }));

for (const [opens, kept] of [
  [rounds({ short: 1200, long: 3000 }), 1],
  [rounds({ short: 800, long: 1000 }), 200],
] as const) {
  test(`${opens} snapshots of a megabyte are opened one after the other, ${kept} kept, and the others are collected`, (t) =>
    withMegabyte((path) => {
      const { isMemory, mebibytes } = openOften(path, opens, kept) as { isMemory: boolean; mebibytes: number };
      t.diagnostic(`${mebibytes} MiB`);
      assert.ok(isMemory);
      assert.ok(mebibytes < kept + 400, `${mebibytes} MiB`);
    }));
}
