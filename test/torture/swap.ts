import { join } from "node:path";
import { runSwaps } from "../snapshot/harness/run-swaps.ts";
import { inTemporaryFolder, longRunOptions } from "../snapshot/harness/sample.ts";

// R5, long form: npm run torture -- swap --minutes N. What happens depends on the timing of the threads; there is
// nothing to seed.
const { until } = longRunOptions();

await inTemporaryFolder(async (folder) => {
  const options = { path: join(folder, "snapshot"), prefixes: 20_000, lookupsPerOpen: 20_000 };
  const inPlace = await runSwaps({ ...options, go: (swaps) => swaps < 50, inPlace: true });
  const mixing = await runSwaps({ ...options, go: (swaps) => swaps < 100, mixing: true });
  console.log(
    `negative controls: rewritten in place, ${inPlace.torn} openings torn; two openings mixed, ${mixing.mixed} answers mixed`,
  );
  const report = await runSwaps({ ...options, go: (swaps) => Date.now() < until || swaps < 1000 });
  console.log(JSON.stringify(report));
  const held =
    report.torn + report.mixed + report.backwards + report.untyped.length === 0 &&
    report.lateRss <= 1.1 * report.earlyRss;
  const caught = inPlace.torn > 0 && mixing.mixed > 0;
  console.log(held && caught ? "ok" : "FAILED");
  if (!held || !caught) process.exitCode = 1;
});
