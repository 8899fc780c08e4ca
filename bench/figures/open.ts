import { readFileSync } from "node:fs";
import { cachePath } from "../data/cache.ts";
import { collectGarbage, summarize } from "./part.ts";
import { freeze } from "../../src/table/freeze.ts";
import { openSnapshot } from "../../src/snapshot/open-snapshot.ts";
import { readRouted, requireRightAnswers } from "./routed-table.ts";
import { writeSnapshot } from "../../src/snapshot/write-snapshot.ts";
import type { Part } from "./part.ts";

const ROUNDS = 21;

/** Opening a snapshot, all its checksums included, beside reading the same bytes with `readFileSync`, in turns. */
export const part: Part = async () => {
  const routed = await readRouted();
  const path = cachePath("open.ipsieve");
  const { byteLength } = await writeSnapshot(path, { table: freeze(routed.trie), metadata: null, kind: "benchmark" });
  requireRightAnswers((await openSnapshot(path)).table, routed);
  readFileSync(path);
  const open: number[] = [];
  const read: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    collectGarbage();
    const beforeOpen = performance.now();
    await openSnapshot(path);
    open.push(performance.now() - beforeOpen);
    collectGarbage();
    const beforeRead = performance.now();
    readFileSync(path);
    read.push(performance.now() - beforeRead);
  }
  return {
    measurements: [
      { subject: "openSnapshot", unit: "ms", ...summarize(open) },
      { subject: "readFileSync", unit: "ms", ...summarize(read) },
    ],
    refusals: [],
    notes: [`open: a snapshot of ${byteLength} bytes`],
  };
};
