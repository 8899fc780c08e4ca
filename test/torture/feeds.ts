/**
 * R16: devices poll a feed while faults are injected: the database stopped, cut off or restored (also under the running
 * server), the server killed and restarted, the disk full, tokens replaced. `npm run torture -- feeds [--faults N]
 * [--minutes N] [--seed N]` ends after this many faults (1,000 by default), or minutes. Prints the counts; exits 1 if a
 * device got anything other than a published list, 304, 503, or nothing. Starts with the negative controls: servers
 * that disarm firewalls must be found.
 */
import { parseArgs } from "node:util";
import { missedBrokenFeeds } from "../api/harness/broken-feeds.ts";
import { faultFeeds, type FaultReport } from "../api/harness/faulted-feeds.ts";
import { inTemporaryFolder } from "../snapshot/harness/sample.ts";
import { startPostgres } from "../store/harness/postgres.ts";

const { values } = parseArgs({
  options: {
    faults: { type: "string", default: "1000" },
    minutes: { type: "string", default: "120" },
    seed: { type: "string", default: "1" },
  },
});
const [wanted, seed] = [Number(values.faults), Number(values.seed)];

const missed = await missedBrokenFeeds();
console.log(`negative controls: ${missed.length === 0 ? "all found" : `not found: ${missed.join(", ")}`}`);
const end = Date.now() + Number(values.minutes) * 60_000;
const postgres = await startPostgres();
const report = await inTemporaryFolder((folder) => faultFeeds({ folder, seed, postgres, go: goesOn }));
await postgres[Symbol.asyncDispose]();
console.log(
  `seed ${seed}: ${faultsOf(report)} faults ${JSON.stringify(report.faults)}, ${report.added} rules added; devices got ${JSON.stringify(report.answers)}, ${report.lists.size} different lists; ${report.wrong.length} that would disarm a firewall`,
);
for (const wrong of report.wrong.slice(0, 20)) console.log(wrong);
if (report.wrong.length > 0 || missed.length > 0) process.exit(1);

function goesOn(soFar: FaultReport): boolean {
  const faults = faultsOf(soFar);
  if (faults > 0 && faults % 20 === 0) console.log(`${faults} faults, ${JSON.stringify(soFar.answers)}`);
  return faults < wanted && Date.now() < end && soFar.wrong.length === 0;
}

function faultsOf({ faults }: FaultReport): number {
  return Object.values(faults).reduce((sum, count) => sum + count, 0);
}
