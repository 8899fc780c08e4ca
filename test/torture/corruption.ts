import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { writeSnapshot } from "../../src/snapshot/write-snapshot.ts";
import type { CraftedReport } from "../snapshot/harness/crafted.ts";
import { corruptAtRandom, flipBits } from "../snapshot/harness/corruption.ts";
import { runCrafted } from "../snapshot/harness/run-crafted.ts";
import { inTemporaryFolder, longRunOptions, Random, reseal, sampleContent } from "../snapshot/harness/sample.ts";

// R4, long form: npm run torture -- corruption --minutes N [--seed N]. First every bit of a small file and the negative
// controls; then half the time for random corruption, half for crafted files.
const { until, seed } = longRunOptions();

await inTemporaryFolder(async (folder) => {
  const goodFile = async (number: number, prefixes: number): Promise<Buffer> => {
    await writeSnapshot(join(folder, "good"), {
      ...sampleContent(new Random(number), prefixes),
      createdAt: new Date(0),
    });
    return readFile(join(folder, "good"));
  };
  const small = await goodFile(seed, 10);
  const flips = await flipBits(join(folder, "flipped"), small, small.length);
  console.log(`every bit of ${small.length} bytes: ${JSON.stringify(flips)}`);
  const good = await goodFile(seed, 60);
  const unprotected = await corruptAtRandom(join(folder, "corrupt"), good, seed, (tried) => tried < 2000, reseal);
  console.log(
    `negative control, checksums mended: ${unprotected.accepted} of ${unprotected.tried} accepted, ${unprotected.wrong} answer wrongly`,
  );
  const half = Date.now() + (until - Date.now()) / 2;
  const corruption = await corruptAtRandom(join(folder, "corrupt"), good, seed, () => Date.now() < half);
  console.log(`corruption by chance: ${JSON.stringify(corruption)}`);

  const work = {
    path: join(folder, "crafted"),
    one: await goodFile(seed, 40),
    other: await goodFile(seed + 1, 40),
    from: seed * 100_000_000,
  };
  const hang = await runCrafted({ ...work, trusting: false, limit: 100, until, hangAt: 7 }, 1000);
  const trusting = await runCrafted(
    { ...work, trusting: true, limit: 1000, until: Number.POSITIVE_INFINITY, hangAt: null },
    2000,
  );
  console.log(
    `negative controls, crafted: a hang is ${"hungAt" in hang ? "noticed" : "MISSED"}; a reader that trusts checksums ${"hungAt" in trusting ? "hangs" : `gives ${trusting.wrong.length} wrong answers`}`,
  );
  const crafted: CraftedReport | { hungAt: number } = await runCrafted({
    ...work,
    trusting: false,
    limit: Number.POSITIVE_INFINITY,
    until,
    hangAt: null,
  });
  console.log(`crafted files: ${JSON.stringify(crafted)}`);
  const refusedAll = [flips, corruption].every(({ tried, refused }) => tried === refused);
  const bounded = "tried" in crafted && crafted.wrong.length + crafted.untyped.length === 0;
  const caught = unprotected.wrong > 0 && "hungAt" in hang && ("hungAt" in trusting || trusting.wrong.length > 0);
  console.log(refusedAll && bounded && caught ? "ok" : "FAILED");
  if (!refusedAll || !bounded || !caught) process.exitCode = 1;
});
