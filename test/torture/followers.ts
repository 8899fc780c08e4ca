/*
 * npm run torture -- followers [--database sqlite|postgres] [--kills N] [--seed N]
 *
 * R17 and R18: servers (two with PostgreSQL) are killed with SIGKILL during writes of rules that expire soon, N times
 * (1000 by default), in runs of 50: a follower of the change feed, which is interrupted too, knows what the database
 * has, every expiry is one change, and every event arrives at an endpoint, in order. The negative controls are in
 * test/api/killed-followers.test.ts. Exit code 1 if a promise is broken.
 */
import { parseArgs } from "node:util";
import { killFollowedServers } from "../api/harness/kill-followed-servers.ts";
import { inTemporaryFolder } from "../snapshot/harness/sample.ts";
import { startPostgres } from "../store/harness/postgres.ts";

const { values } = parseArgs({
  options: {
    database: { type: "string", default: "sqlite" },
    kills: { type: "string", default: "1000" },
    seed: { type: "string", default: "1" },
  },
});
const [wanted, seed] = [Number(values.kills), Number(values.seed)];
const KILLS = 50;

if (values.database !== "sqlite" && values.database !== "postgres")
  throw new RangeError("--database takes sqlite or postgres");
const postgres = values.database === "postgres" ? await startPostgres() : undefined;
const sums = { kills: 0, written: 0, changes: 0, expiries: 0, interruptions: 0, messages: 0, repeated: 0 };
try {
  for (let run = 0; sums.kills < wanted; run++)
    await inTemporaryFolder(async (folder) => {
      const store = postgres === undefined ? {} : { store: { url: await postgres.database() } };
      const servers = postgres === undefined ? 1 : 2;
      const kills = Math.min(KILLS, wanted - sums.kills);
      const report = await killFollowedServers({ folder, ...store, seed: seed + run, servers, kills });
      for (const name of Object.keys(sums) as (keyof typeof sums)[]) sums[name] += report[name];
      console.log(JSON.stringify(sums));
    });
  console.log("ok");
} finally {
  await postgres?.[Symbol.asyncDispose]();
}
