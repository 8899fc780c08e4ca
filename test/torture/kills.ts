/*
 * npm run torture -- kills [--database sqlite|postgres] [--kills N] [--seed N]
 *
 * R1: the real server is killed with SIGKILL during writes over HTTP, N times (1000 by default): no acknowledged write
 * is lost, no batch is half there, and the database is intact. Half of the servers are killed while they stop and write
 * a snapshot of the ruleset, some while they freeze it in the background; the next one starts from what is there, and
 * must answer with what the database has. As the negative control, writes count as acknowledged when they are sent.
 * Exit code 1 if the promise is broken.
 */
import { parseArgs } from "node:util";
import { killServers } from "../api/harness/kill-servers.ts";
import type { KillReport } from "../store/harness/kill-writers.ts";
import { inTemporaryFolder } from "../snapshot/harness/sample.ts";
import type { StoreLocation } from "../../src/store/open-store.ts";
import { startPostgres } from "../store/harness/postgres.ts";

const { values } = parseArgs({
  options: {
    database: { type: "string", default: "sqlite" },
    kills: { type: "string", default: "1000" },
    seed: { type: "string", default: "1" },
  },
});
const [wanted, seed] = [Number(values.kills), Number(values.seed)];

/** Returns the number of kills, and prints every hundredth. */
function tell({ kills, acknowledged }: KillReport): number {
  if (kills > 0 && kills % 100 === 0) console.log(`${kills} kills, ${acknowledged} acknowledged`);
  return kills;
}

if (values.database !== "sqlite" && values.database !== "postgres")
  throw new RangeError("--database takes sqlite or postgres");
const postgres = values.database === "postgres" ? await startPostgres() : undefined;

/** An empty PostgreSQL database, or none: then the store is a file of its own. */
async function newStore(): Promise<{ store?: StoreLocation }> {
  return postgres === undefined ? {} : { store: { url: await postgres.database() } };
}

await inTemporaryFolder(async (folder) => {
  const control = await killServers({
    folder,
    ...(await newStore()),
    seed,
    timing: "early",
    go: ({ kills, lost }) => kills < 50 && lost.length === 0,
  });
  console.log(`negative control, acknowledged when sent: ${control.lost.length} lost in ${control.kills} kills`);
  const report = await killServers({
    folder,
    ...(await newStore()),
    seed,
    timing: "honest",
    go: (soFar) => tell(soFar) < wanted && soFar.lost.length === 0,
  });
  console.log(
    `SIGKILL, ${values.database}: ${report.kills} kills, ${report.acknowledged} acknowledged, ${report.lost.length} lost; ${report.fromSnapshots} started from snapshots, ${report.duringFreezes} killed during a freeze`,
  );
  for (const lost of report.lost) console.log(lost);
  const held =
    report.lost.length === 0 && report.fromSnapshots > 0 && report.duringFreezes > 0 && control.lost.length > 0;
  console.log(held ? "ok" : "FAILED");
  if (!held) process.exitCode = 1;
});
await postgres?.[Symbol.asyncDispose]();
