import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdir, readdir, readFile, symlink, utimes, writeFile } from "node:fs/promises";
import * as nodeFiles from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import fc from "fast-check";
import { Unpackr } from "msgpackr";
import { decodePlainMessagePack } from "../../src/snapshot/_plain-msgpack.ts";
import { HEAD_BYTES, sectionStart } from "../../src/snapshot/format.ts";
import { openSnapshot } from "../../src/snapshot/open-snapshot.ts";
import { Snapshot } from "../../src/snapshot/snapshot.ts";
import { type FileOperations, publishFile } from "../../src/files/publish-file.ts";
import { verifySnapshot } from "../../src/snapshot/verify-snapshot.ts";
import { writeSnapshot } from "../../src/snapshot/write-snapshot.ts";
import { freeze } from "../../src/table/freeze.ts";
import { PrefixTrie } from "../../src/trie/prefix-trie.ts";
import { codePoint } from "../code-points.ts";
import { inTemporaryFolder, Random, sampleContent, sampleTrie } from "./harness/sample.ts";
import type { MatchId } from "../../src/table/match-id.ts";

test("a reopened table yields the same results as the written one", () =>
  inTemporaryFolder(async (folder) => {
    const path = join(folder, "snapshot");
    for (let seed = 0; seed < 20; seed++) {
      const random = new Random(seed);
      const content = sampleContent(random, 1 + random.below(400));
      const info = await writeSnapshot(path, content);
      const snapshot = await openSnapshot(path);
      assert.deepEqual(snapshot.info, info);
      assert.equal(info.byteLength, (await readFile(path)).length);
      assert.deepEqual(snapshot.metadata, content.metadata);
      for (const family of [4, 6] as const) {
        assert.deepEqual([...snapshot.table.entries(family)], [...content.table.entries(family)]);
        const words = Uint32Array.from({ length: 4000 }, () => random.word());
        const [told, expected] = [new Uint32Array(1000), new Uint32Array(1000)];
        snapshot.table.lookupBatchInto(family, words, told, 1000);
        content.table.lookupBatchInto(family, words, expected, 1000);
        assert.deepEqual(told, expected);
      }
      for (let match = 1 as MatchId; match <= info.matchCount; match++) {
        assert.deepEqual(
          snapshot.table.activeValues(match, 1_700_000_000_100),
          content.table.activeValues(match, 1_700_000_000_100),
        );
      }
      assert.equal((await verifySnapshot(path)).generation, info.generation);
    }
  }));

test("a table without prefixes is a valid snapshot", () =>
  inTemporaryFolder(async (folder) => {
    const path = join(folder, "snapshot");
    await writeSnapshot(path, { table: freeze(new PrefixTrie()), metadata: null, kind: "empty" });
    const verified = await verifySnapshot(path);
    assert.deepEqual(
      [verified.prefixCount4, verified.prefixCount6, verified.matchCount, verified.valueCount, verified.deepestNesting],
      [0, 0, 0, 0, 0],
    );
    assert.equal((await openSnapshot(path)).table.lookup("10.0.0.1"), 0);
  }));

test("a snapshot can be written again from a snapshot, with the same sections", () =>
  inTemporaryFolder(async (folder) => {
    const first = await writeSnapshot(join(folder, "a"), sampleContent(new Random(3), 300));
    const { table, metadata } = await openSnapshot(join(folder, "a"));
    const second = await writeSnapshot(join(folder, "a"), {
      table,
      metadata,
      kind: first.kind,
      createdAt: first.createdAt,
    });
    assert.notEqual(second.generation, first.generation);
    assert.deepEqual({ ...second, generation: "" }, { ...first, generation: "" });
    await verifySnapshot(join(folder, "a"));
  }));

test("the counts of verify equal the input", () =>
  inTemporaryFolder(async (folder) => {
    const trie = sampleTrie(new Random(11), 500);
    await writeSnapshot(join(folder, "a"), { table: freeze(trie), metadata: {}, kind: "count" });
    const verified = await verifySnapshot(join(folder, "a"));
    const entries = [...trie];
    assert.equal(verified.prefixCount4, trie.sizeOf(4));
    assert.equal(verified.prefixCount6, trie.sizeOf(6));
    assert.equal(verified.valueCount, new Set(entries.flatMap(({ values }) => values)).size);
    assert.equal(verified.deepestNesting, Math.max(...entries.map(({ prefix }) => [...trie.covering(prefix)].length)));
  }));

test("the file is laid out as format.ts draws it", () =>
  inTemporaryFolder(async (folder) => {
    const createdAt = new Date(1_700_000_000_123);
    const info = await writeSnapshot(join(folder, "a"), {
      ...sampleContent(new Random(5)),
      kind: "drawing-1",
      createdAt,
    });
    const file = await readFile(join(folder, "a"));
    assert.equal(HEAD_BYTES, 520);
    assert.equal(file.toString("latin1", 0, 8), "\x89IPS\r\n\x1a\n");
    assert.equal(file.readUInt32LE(8), 0x0a0b0c0d); // on a little-endian machine, the only kind available for testing
    assert.equal(file.readUInt32LE(12), 1);
    assert.equal(file.readBigUInt64LE(16), BigInt(file.length));
    assert.equal(file.readBigUInt64LE(24), BigInt(createdAt.getTime()));
    assert.equal(file.toString("hex", 32, 48), info.generation);
    assert.equal(file.toString("latin1", 48, 68), "drawing-1".padEnd(20, "\0"));
    assert.equal(file.readUInt32LE(68), 11);
    assert.equal(info.sections[0]!.byteOffset, 576);
    assert.ok(
      info.sections.every(
        (section, i) =>
          i === 0 ||
          section.byteOffset === sectionStart(info.sections[i - 1]!.byteOffset + info.sections[i - 1]!.byteLength),
      ),
    );
  }));

test("metadata round-trips", () =>
  inTemporaryFolder(async (folder) => {
    const path = join(folder, "snapshot");
    const { table } = sampleContent(new Random(1), 3);
    const key = fc.string({ unit: codePoint, maxLength: 40 }).filter((name) => name !== "__proto__");
    const document = fc.letrec((tie) => ({
      any: fc.oneof(
        { maxDepth: 5 },
        fc.constant(null),
        fc.boolean(),
        fc.maxSafeInteger(),
        fc.double({ noNaN: true }).map((value) => (Object.is(value, -0) ? 0 : value)),
        fc.string({ unit: codePoint, maxLength: 300 }),
        fc.array(tie("any"), { maxLength: 40 }),
        fc.dictionary(key, tie("any"), { noNullPrototype: true, maxKeys: 40 }),
      ),
    })).any;
    await fc.assert(
      fc.asyncProperty(document, async (metadata) => {
        await writeSnapshot(path, { table, metadata, kind: "metadata" });
        assert.deepEqual((await openSnapshot(path)).metadata, metadata);
      }),
      { numRuns: 200, seed: 1 },
    );
  }));

test("a value with any MessagePack type byte is read as by msgpackr, or rejected", () => {
  const payload = Buffer.from([0x05, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48]);
  let read = 0;
  for (let token = 0; token < 256; token++) {
    for (let size = 0; size <= payload.length; size++) {
      const bytes = Buffer.concat([Buffer.of(token), payload.subarray(0, size)]);
      const decoded = [
        decodePlainMessagePack,
        (all: Buffer): unknown => new Unpackr({ useRecords: false }).unpack(all),
      ].map((decode) => {
        try {
          const value = decode(bytes);
          return { value: value instanceof Uint8Array ? [...value] : value };
        } catch {
          return undefined;
        }
      });
      if (decoded[0] === undefined) continue;
      assert.deepEqual(decoded[0], decoded[1], bytes.toString("hex"));
      read++;
    }
  }
  assert.ok(read > 180, `only ${read} were read`);
});

test("names of built-in members are ordinary keys, and undefined members are left out", () =>
  inTemporaryFolder(async (folder) => {
    const metadata = {
      constructor: 1,
      toString: "text",
      hasOwnProperty: null,
      absent: undefined,
      bytes: Uint8Array.of(1, 2),
    };
    await writeSnapshot(join(folder, "a"), { ...sampleContent(new Random(1)), metadata });
    const snapshot = await openSnapshot(join(folder, "a"));
    assert.deepEqual(snapshot.metadata, {
      constructor: 1,
      toString: "text",
      hasOwnProperty: null,
      bytes: Uint8Array.of(1, 2),
    });
    assert.equal(snapshot.metadata, snapshot.metadata, "decoded once");
  }));

test("another thread attaches to the same memory", () =>
  inTemporaryFolder(async (folder) => {
    const content = sampleContent(new Random(9), 200);
    await writeSnapshot(join(folder, "a"), content);
    const snapshot = await openSnapshot(join(folder, "a"));
    const address = [...content.table.entries(4)][5]!.prefix;
    const worker = new Worker(new URL("./harness/attach-worker.ts", import.meta.url), {
      workerData: { shared: snapshot.shared, word: address.w0 },
    });
    const told = await new Promise((resolve, reject) => worker.once("message", resolve).once("error", reject));
    assert.deepEqual(told, {
      info: snapshot.info,
      metadata: content.metadata,
      match: content.table.lookup4(address.w0),
    });
    assert.equal(Snapshot.attach(snapshot.shared).buffer, snapshot.buffer);
    assert.deepEqual(Snapshot.attach(snapshot.buffer).info, snapshot.info);
  }));

test("a symbolic link is replaced, its target is unchanged", () =>
  inTemporaryFolder(async (folder) => {
    await writeFile(join(folder, "target"), "untouched");
    await symlink("target", join(folder, "link"));
    await writeSnapshot(join(folder, "link"), sampleContent(new Random(1)));
    await verifySnapshot(join(folder, "link"));
    assert.equal(await readFile(join(folder, "target"), "utf8"), "untouched");
  }));

test("whichever file operation fails, the old snapshot stays and nothing is left behind", () =>
  inTemporaryFolder(async (folder) => {
    const path = join(folder, "snapshot");
    const old = await writeSnapshot(path, sampleContent(new Random(1)));
    const steps = await countSteps(join(folder, "elsewhere"));
    assert.ok(steps > 10, `${steps} steps`);
    let published = 0;
    for (let failing = 0; failing < steps; failing++) {
      await assert.rejects(writeSnapshot(path, sampleContent(new Random(2)), failingAt(failing).files), {
        code: "unwritable",
        message: /EIO/,
      });
      const { generation } = await openSnapshot(path).then(({ info }) => info);
      // The only step after the rename is the folder's: then the new one is in place, but whether it will survive a
      // crash is unknown.
      if (generation !== old.generation) published++;
      assert.deepEqual((await readdir(folder)).sort(), ["elsewhere", "snapshot"]);
    }
    assert.equal(published, 2, "opening and syncing the folder");
  }));

/** Passes every step of a write through to the file system, except one, which fails. */
function failingAt(failing: number): { files: FileOperations; count: () => number } {
  let steps = 0;
  const step =
    <Arguments extends unknown[], Result>(run: (...args: Arguments) => Promise<Result>) =>
    async (...args: Arguments): Promise<Result> => {
      if (steps++ === failing) throw Object.assign(new Error("EIO: i/o error"), { code: "EIO" });
      return run(...args);
    };
  const openFile = step(async (path: string, flags: string) => {
    const file = await nodeFiles.open(path, flags);
    file.write = step(file.write.bind(file)) as typeof file.write;
    file.sync = step(file.sync.bind(file));
    return file;
  });
  return {
    files: { ...nodeFiles, open: openFile, rename: step(nodeFiles.rename) } as FileOperations,
    count: () => steps,
  };
}

async function countSteps(path: string): Promise<number> {
  const { files, count } = failingAt(Number.POSITIVE_INFINITY);
  await writeSnapshot(path, sampleContent(new Random(2)), files);
  return count();
}

test("short writes are continued", () =>
  inTemporaryFolder(async (folder) => {
    const openFile = async (path: string, flags: string) => {
      const file = await nodeFiles.open(path, flags);
      const write = file.write.bind(file);
      file.write = ((chunk: Uint8Array, from: number) =>
        write(chunk, from, Math.min(7, chunk.length - from))) as typeof file.write;
      return file;
    };
    const chunks = [randomBytes(100), new Uint8Array(), randomBytes(3)];
    await publishFile(join(folder, "file"), chunks, { ...nodeFiles, open: openFile } as FileOperations);
    assert.deepEqual(await readFile(join(folder, "file")), Buffer.concat(chunks));
  }));

test("temporary files of ended writers are removed, those of others are not", () =>
  inTemporaryFolder(async (folder) => {
    const path = join(folder, "snapshot");
    const old = new Date(Date.now() - 11 * 60_000);
    const names = [
      ".snapshot.1.0123456789ab.tmp",
      ".snapshot.2.0123456789ab.tmp",
      ".other.1.0123456789ab.tmp",
      ".snapshot.notes.tmp",
      ".snapshot.3.0123456789ab.tmp",
    ];
    for (const name of names) await writeFile(join(folder, name), "x");
    for (const name of names.slice(0, 4)) await utimes(join(folder, name), old, old);
    await mkdir(join(folder, ".snapshot.4.0123456789ab.tmp"));
    await utimes(join(folder, ".snapshot.4.0123456789ab.tmp"), old, old);
    await writeSnapshot(path, sampleContent(new Random(1)));
    assert.deepEqual((await readdir(folder)).sort(), [
      ".other.1.0123456789ab.tmp",
      ".snapshot.3.0123456789ab.tmp",
      ".snapshot.4.0123456789ab.tmp",
      ".snapshot.notes.tmp",
      "snapshot",
    ]);
  }));

test("simultaneous writers of one path leave one of their snapshots complete", () =>
  inTemporaryFolder(async (folder) => {
    const path = join(folder, "snapshot");
    const written = await Promise.all(
      Array.from({ length: 20 }, (_, i) => writeSnapshot(path, sampleContent(new Random(i)))),
    );
    assert.ok(written.map(({ generation }) => generation).includes((await verifySnapshot(path)).generation));
    assert.deepEqual(await readdir(folder), ["snapshot"]);
  }));
