import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { before, test } from "node:test";
import { crc32 as zlibCrc32 } from "node:zlib";
import { crc32 } from "../../src/snapshot/crc32.ts";
import { openSnapshot } from "../../src/snapshot/open-snapshot.ts";
import { snapshotFromBytes } from "../../src/snapshot/snapshot-from-bytes.ts";
import { SnapshotError } from "../../src/snapshot/snapshot-error.ts";
import type { PrefixTable } from "../../src/table/prefix-table.ts";
import { writeSnapshot } from "../../src/snapshot/write-snapshot.ts";
import { inTemporaryFolder, Random, sampleContent } from "./harness/sample.ts";

let file: Buffer;
let entries: unknown[];
before(() =>
  inTemporaryFolder(async (folder) => {
    await writeSnapshot(join(folder, "a"), sampleContent(new Random(4), 500));
    file = await readFile(join(folder, "a"));
    entries = entriesOf((await openSnapshot(join(folder, "a"))).table);
  }),
);

function entriesOf(table: PrefixTable): unknown[] {
  return [...table.entries(4), ...table.entries(6)];
}

test("our CRC-32 equals that of zlib, for every length up to 100, at every offset, continued from any other", () => {
  const bytes = Buffer.from(file.subarray(0, 4096));
  const continued = [0, 1, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, zlibCrc32(bytes)];
  for (let length = 0; length <= 100; length++) {
    for (let offset = 0; offset < 9; offset++) {
      const part = bytes.subarray(offset, offset + length);
      for (const initial of continued) assert.equal(crc32(part, initial), zlibCrc32(part, initial));
    }
  }
  assert.equal(crc32(file), zlibCrc32(file));
  assert.equal(crc32(file.subarray(1000), crc32(file.subarray(0, 1000))), zlibCrc32(file));
});

const FORMS: Readonly<Record<string, (bytes: Buffer) => Uint8Array | ArrayBufferLike>> = {
  "a Uint8Array": (bytes) => Uint8Array.from(bytes),
  "a Buffer of a pool, at an odd offset": (bytes) => Buffer.concat([Buffer.of(0), bytes]).subarray(1),
  "an ArrayBuffer": (bytes) => Uint8Array.from(bytes).buffer,
  "a SharedArrayBuffer": (bytes) => {
    const shared = new SharedArrayBuffer(bytes.length);
    new Uint8Array(shared).set(bytes);
    return shared;
  },
};

for (const [form, make] of Object.entries(FORMS)) {
  test(`opened from ${form}, a snapshot equals that of its file, even if the bytes change later`, () => {
    const given = make(file);
    const snapshot = snapshotFromBytes(given);
    (given instanceof Uint8Array ? given : new Uint8Array(given)).fill(0xff);
    assert.deepEqual(entriesOf(snapshot.table), entries);
    snapshot.table.checkStructure();
    assert.notEqual(snapshot.metadata, undefined);
  });
}

test("a flipped bit anywhere is rejected, with the given name", () => {
  const random = new Random(6);
  for (let round = 0; round < 300; round++) {
    const bytes = Uint8Array.from(file);
    bytes[random.below(bytes.length)]! ^= 1 << random.below(8);
    assert.throws(
      () => snapshotFromBytes(bytes, "from the network"),
      (error) => error instanceof SnapshotError && error.message.startsWith("from the network: "),
    );
  }
});

test("any other value than bytes is a TypeError that says what to pass", () => {
  for (const wrong of ["a path", null, undefined, 7, [1, 2], new Uint16Array(4), {}]) {
    assert.throws(() => snapshotFromBytes(wrong as Uint8Array), { name: "TypeError", message: /Uint8Array/ });
  }
});
