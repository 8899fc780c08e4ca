import { closeSync, openSync, readFileSync, readSync, statSync } from "node:fs";
import { cachePath } from "../data/cache.ts";
import { collectGarbage, summarize } from "./part.ts";
import { freeze } from "../../src/table/freeze.ts";
import { openSnapshot } from "../../src/snapshot/open-snapshot.ts";
import { readRouted, requireRightAnswers } from "./routed-table.ts";
import { writeSnapshot } from "../../src/snapshot/write-snapshot.ts";
import type { Part } from "./part.ts";

const ROUNDS = 21;
const WARM_UP = 3;

/**
 * Opening a snapshot, all its checksums included, in turns with reading the same bytes: by `readFileSync`, and into a new
 * `SharedArrayBuffer`, which is where threads can share them.
 */
export const part: Part = async () => {
  const routed = await readRouted();
  const path = cachePath("open.ipsieve");
  const { byteLength } = await writeSnapshot(path, { table: freeze(routed.trie), metadata: null, kind: "benchmark" });
  requireRightAnswers((await openSnapshot(path)).table, routed);
  const subjects = [
    { subject: "openSnapshot", act: () => openSnapshot(path), samples: [] as number[] },
    { subject: "readFileSync", act: () => readFileSync(path), samples: [] as number[] },
    { subject: "readSync into a SharedArrayBuffer", act: () => readShared(path), samples: [] as number[] },
  ];
  for (let round = 0; round < ROUNDS + WARM_UP; round++) {
    for (const { act, samples } of subjects) {
      collectGarbage();
      const start = performance.now();
      await act();
      if (round >= WARM_UP) samples.push(performance.now() - start);
    }
  }
  return {
    measurements: subjects.map(({ subject, samples }) => ({ subject, unit: "ms" as const, ...summarize(samples) })),
    refusals: [],
    notes: [`open: a snapshot of ${byteLength} bytes`],
  };
};

function readShared(path: string): SharedArrayBuffer {
  const file = openSync(path, "r");
  try {
    const shared = new SharedArrayBuffer(statSync(path).size);
    readSync(file, new Uint8Array(shared));
    return shared;
  } finally {
    closeSync(file);
  }
}
