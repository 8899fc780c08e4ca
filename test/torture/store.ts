import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { inTemporaryFolder, longRunOptions } from "../snapshot/harness/sample.ts";
import { databases, Replica } from "../store/harness/stores.ts";
import { runHistory } from "../store/harness/history.ts";
import { killWriters } from "../store/harness/kill-writers.ts";
import { cutPower, recordWriters, whyNoStrace } from "../store/harness/power-cuts.ts";

// R1, R2 and R9, long form: npm run torture -- store --minutes N [--seed N]. A third of the time each for kills, power
// cuts and histories, and at least one round of each.
const { until, seed } = longRunOptions();
const third = (until - Date.now()) / 3;
const failures: string[] = [];

await inTemporaryFolder(async (folder) => {
  const killsEnd = until - 2 * third;
  const kills = await killWriters(
    join(folder, "killed.db"),
    seed,
    "honest",
    ({ kills }) => kills === 0 || Date.now() < killsEnd,
  );
  const early = await killWriters(
    join(folder, "early.db"),
    seed,
    "early",
    ({ kills, lost }) => kills < 50 && lost.length === 0,
  );
  console.log(
    `kill -9: ${kills.kills} kills, ${kills.acknowledged} acknowledged, ${kills.lost.length} lost; negative control, acknowledged early: ${early.lost.length} lost in ${early.kills} kills`,
  );
  if (kills.lost.length > 0 || early.lost.length === 0) failures.push("kill -9", ...kills.lost);

  const noStrace = whyNoStrace();
  if (noStrace === false) await cutMany(folder, until - third);
  else console.log(`power cuts: skipped, ${noStrace}`);
});
await writeHistories();
console.log(failures.length === 0 ? "ok" : `FAILED: ${failures.join("\n")}`);
if (failures.length > 0) process.exitCode = 1;

async function cutMany(folder: string, end: number): Promise<void> {
  const sum = {
    full: { cuts: 0, acknowledged: 0, lost: 0, corrupt: 0 },
    normal: { cuts: 0, acknowledged: 0, lost: 0, corrupt: 0 },
  };
  for (let run = seed; run === seed || Date.now() < end; run++) {
    // The control only needs to lose something once in a while.
    for (const synchronous of run % 5 === seed % 5 ? (["full", "normal"] as const) : (["full"] as const)) {
      const own = join(folder, `${synchronous}-${run}`);
      mkdirSync(own);
      const { cuts, acknowledged, lost, corrupt } = await cutPower(
        await recordWriters(own, run, synchronous, 20),
        join(own, "cuts"),
        run,
        100,
      );
      const total = sum[synchronous];
      Object.assign(total, {
        cuts: total.cuts + cuts,
        acknowledged: total.acknowledged + acknowledged,
        lost: total.lost + lost,
        corrupt: total.corrupt + corrupt.length,
      });
      rmSync(own, { recursive: true });
    }
  }
  console.log(
    `power cuts: ${JSON.stringify(sum.full)}; negative control, synchronous = normal: ${JSON.stringify(sum.normal)}`,
  );
  if (sum.full.lost + sum.full.corrupt > 0 || sum.normal.lost === 0) failures.push("power cuts");
}

async function writeHistories(): Promise<void> {
  for (const { name, skip, make, stop } of await databases()) {
    if (skip !== false) {
      console.log(`histories on ${name}: skipped, ${skip}`);
      continue;
    }
    const end = name === "SQLite" ? until - third / 2 : until;
    const sum = { histories: 0, writes: 0, loads: 0 };
    for (let run = seed; run === seed || Date.now() < end; run++) {
      const location = await make();
      const replicas = await Promise.all([1, 2, 3].map(() => Replica.open(location)));
      const { writes, loads } = await runHistory(replicas, { seed: run, writers: 24, writes: 60, prefixes: 5 });
      Object.assign(sum, { histories: sum.histories + 1, writes: sum.writes + writes, loads: sum.loads + loads });
      for (const { store } of replicas) await store.close();
    }
    await stop();
    console.log(`histories on ${name}: ${JSON.stringify(sum)}, all linearizable`);
  }
}
