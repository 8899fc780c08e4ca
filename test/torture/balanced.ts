/*
 * npm run torture -- balanced [--rounds N] [--seed N]
 *
 * Two servers on one PostgreSQL, with HAProxy as the load balancer: N times (30 by default), one of them is killed and
 * restarted, frozen, or cut off from the database for several seconds, while clients read and write through HAProxy: no
 * acknowledged write is lost, no answer is wrong, and none is staler than /readyz allows. As the negative control every
 * stale answer counts as wrong. Needs root, haproxy, ip, nft and unshare. Exit code 1 if a promise is broken.
 */
import { parseArgs } from "node:util";
import { BOUND, holdsBalanced, runBalanced } from "../api/harness/balanced-report.ts";
import { whyNoPartitions } from "../api/harness/partitions.ts";
import { missingCommand } from "../tools.ts";

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "30" }, seed: { type: "string", default: "1" } },
});
const [rounds, seed] = [Number(values.rounds), Number(values.seed)];

const reason = whyNoPartitions() || missingCommand("haproxy", "-v", "haproxy");
if (reason !== false) {
  console.log(`skipped: ${reason}`);
} else {
  const control = runBalanced({ rounds: 3, seed, bound: 0 });
  console.log(`negative control, every stale answer is wrong: ${control.wrong.length} of ${control.reads}`);
  const report = runBalanced({ rounds, seed, bound: BOUND });
  console.log(JSON.stringify(report));
  const held = holdsBalanced(report) && control.wrong.length > 0;
  console.log(held ? "ok" : "FAILED");
  if (!held) process.exitCode = 1;
}
