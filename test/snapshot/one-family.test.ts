import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { openNetworksFor, openNetworksSnapshot } from "../../src/datasets/open-networks.ts";
import { openSnapshot, openSnapshotFor } from "../../src/snapshot/open-snapshot.ts";

const folder = mkdtempSync(join(tmpdir(), "ipsieve-one-family-"));
const path = join(folder, "copy.ipsieve");
let bytes: Buffer;
before(async () => {
  bytes = readFileSync(new URL("../../data/networks.ipsieve", import.meta.url));
});
after(() => rmSync(folder, { recursive: true }));

test("lookups of the family are those of the whole file; the other one has no matches", async () => {
  const whole = await openNetworksSnapshot();
  for (const family of [4, 6] as const) {
    const part = await openNetworksFor(family);
    let count = 0;
    for (const { prefix, match } of whole.table.entries(family)) {
      if (++count % 97 !== 0) continue;
      assert.equal(part.table.lookupAddress(prefix), match);
    }
    assert.ok(count > 100_000);
    assert.equal(part.table.lookup(family === 4 ? "2606:4700::1" : "8.8.8.8"), 0);
  }
});

test("a byte that is changed is noticed wherever it is read", async () => {
  const { info } = await openNetworksSnapshot();
  for (const { name, byteOffset, byteLength } of info.sections) {
    if (byteLength === 0) continue;
    const damaged = Buffer.from(bytes);
    damaged[byteOffset + (byteLength >>> 1)]! ^= 1;
    writeFileSync(path, damaged);
    await assert.rejects(openSnapshot(path), { code: "section-checksum" });
    for (const family of [4, 6] as const) {
      const isOfOther = name.endsWith(family === 4 ? "6" : "4");
      if (isOfOther) await openSnapshotFor(family, path);
      else await assert.rejects(openSnapshotFor(family, path), { code: "section-checksum" }, `${name}, IPv${family}`);
    }
  }
});

test("a file that is cut short is rejected", async () => {
  writeFileSync(path, bytes.subarray(0, bytes.length - 1));
  for (const family of [4, 6] as const) await assert.rejects(openSnapshotFor(family, path), { name: "SnapshotError" });
});
