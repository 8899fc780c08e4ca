import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { readCounts, writeCounts } from "../../../src/service/logs/counts-file.ts";

const folder = mkdtempSync(join(tmpdir(), "ipsieve-counts-"));
after(() => rmSync(folder, { recursive: true }));

for (const [count4, count6] of [
  [0, 0],
  [3, 0],
  [0, 1],
  [101, 77],
] as const)
  test(`${count4} IPv4 and ${count6} IPv6 addresses round-trip`, async () => {
    const counts = {
      words4: Uint32Array.from({ length: count4 }, (_, at) => 0xffff_ffff - at),
      counts4: Float64Array.from({ length: count4 }, (_, at) => 2 ** 40 + at),
      words6: Uint32Array.from({ length: 4 * count6 }, (_, at) => at),
      counts6: Float64Array.from({ length: count6 }, (_, at) => at + 1),
      missing: count6,
    };
    const path = join(folder, `${count4}-${count6}`);
    await writeCounts(path, counts);
    assert.deepEqual(await readCounts(path), counts);
  });
