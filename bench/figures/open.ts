import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { cachePath } from "../data/cache.ts";
import { collectGarbage, summarize } from "./part.ts";
import { freeze } from "../../src/table/freeze.ts";
import { openSnapshot } from "../../src/snapshot/open-snapshot.ts";
import { readRouted, requireRightAnswers } from "./routed-table.ts";
import { run } from "./whole-command.ts";
import { writeSnapshot } from "../../src/snapshot/write-snapshot.ts";
import type { Part } from "./part.ts";

const ROUNDS = 15;
const WARM_UP = 3;

/** The two that are compared. */
export const openOrRead = {
  open: async (path: string): Promise<unknown> => openSnapshot(path),
  read: async (path: string): Promise<unknown> => readFileSync(path),
};

/**
 * Opening a snapshot, all its checksums included, in turns with reading the same bytes by `readFileSync`. "once": in a
 * fresh process, where both must first get the memory from the system, as a command does that opens its catalogue.
 * "again": in a process that has done it before and has the memory at hand.
 */
export const part: Part = async () => {
  const routed = await readRouted();
  const path = cachePath("open.ipsieve");
  const { byteLength } = await writeSnapshot(path, { table: freeze(routed.trie), metadata: null, kind: "benchmark" });
  requireRightAnswers((await openSnapshot(path)).table, routed);
  const samples = {
    open: { once: [] as number[], again: [] as number[] },
    read: { once: [] as number[], again: [] as number[] },
  };
  for (let round = 0; round < ROUNDS + WARM_UP; round++) {
    for (const act of ["open", "read"] as const) {
      const once = inFreshProcess(act, path);
      collectGarbage();
      const start = performance.now();
      await openOrRead[act](path);
      const again = performance.now() - start;
      if (round < WARM_UP) continue;
      samples[act].once.push(once);
      samples[act].again.push(again);
    }
  }
  return {
    measurements: [
      { subject: "openSnapshot once", unit: "ms", ...summarize(samples.open.once) },
      { subject: "readFileSync once", unit: "ms", ...summarize(samples.read.once) },
      { subject: "openSnapshot again", unit: "ms", ...summarize(samples.open.again) },
      { subject: "readFileSync again", unit: "ms", ...summarize(samples.read.again) },
    ],
    refusals: [],
    notes: [`open: a snapshot of ${byteLength} bytes`],
  };
};

function inFreshProcess(act: "open" | "read", path: string): number {
  const script = fileURLToPath(new URL("./open-once.ts", import.meta.url));
  return Number(run(process.execPath, [script, act, path], "stdout").stdout);
}
