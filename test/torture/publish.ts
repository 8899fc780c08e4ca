import { join } from "node:path";
import { writeSnapshot } from "../../src/snapshot/write-snapshot.ts";
import { enumerateCrashStates, newCrashReport } from "../snapshot/harness/crash-states.ts";
import { killWriters } from "../snapshot/harness/kill-writers.ts";
import { recordPublish, recordRewriteInPlace, without } from "../snapshot/harness/publish-trace.ts";
import { inTemporaryFolder, longRunOptions, Random, sampleContent } from "../snapshot/harness/sample.ts";

// R3, long form: npm run torture -- publish --minutes N [--seed N]. Half the time for crash states, half for kills.
const { until, seed } = longRunOptions();
const half = Date.now() + (until - Date.now()) / 2;

await inTemporaryFolder(async (folder) => {
  const states = newCrashReport();
  let recorded = seed;
  for (; Date.now() < half; recorded++) {
    const crash = await recordPublish(folder, recorded, "old");
    await enumerateCrashStates(crash, join(folder, `crashed-${recorded}`), recorded, 500, states);
  }
  console.log(`crash states of ${recorded - seed} publishes: ${JSON.stringify(states)}`);
  const crashed = join(folder, "control");
  const inPlace = await enumerateCrashStates(await recordRewriteInPlace(folder, seed), `${crashed}-1`, seed, 1000);
  const unsynced = await enumerateCrashStates(
    without(await recordPublish(folder, seed, "old"), "sync"),
    `${crashed}-2`,
    seed,
    1000,
  );
  const forgetful = await enumerateCrashStates(
    without(await recordPublish(folder, seed, "old"), "sync-folder"),
    `${crashed}-3`,
    seed,
    1000,
  );
  console.log(
    `negative controls: in place ${inPlace.corrupt} corrupt, unsynced rename ${unsynced.corrupt} corrupt, unsynced folder ${forgetful.misplaced} come back`,
  );
  const path = join(folder, "killed");
  await writeSnapshot(path, { ...sampleContent(new Random(seed)), metadata: { number: 0 } });
  const kills = await killWriters(path, seed, () => Date.now() < until);
  console.log(`kills: ${JSON.stringify(kills)}`);
  const held = states.corrupt + states.misplaced + states.absent + states.untyped.length + kills.wrong.length === 0;
  const caught = inPlace.corrupt > 0 && unsynced.corrupt > 0 && forgetful.misplaced > 0 && kills.inTheMiddle > 0;
  console.log(held && caught ? "ok" : "FAILED");
  if (!held || !caught) process.exitCode = 1;
});
