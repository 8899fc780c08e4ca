/*
 * npm run torture -- partitions [--rounds N] [--seed N]
 *
 * R1 and R9 between replicas: two servers on one PostgreSQL, one of which a packet filter cuts off from it for several
 * seconds, in both directions or in one, N times (60 by default): no acknowledged write is lost, no answer of the
 * server that is cut off is presented as newer than it is, and the server catches up. As the negative control, writes
 * count as acknowledged when they are sent. Needs root, ip, nft and unshare. Exit code 1 if a promise is broken.
 */
import { parseArgs } from "node:util";
import { holdsInPartitions, runPartitions, whyNoPartitions } from "../api/harness/partitions.ts";

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "60" }, seed: { type: "string", default: "1" } },
});
const [rounds, seed] = [Number(values.rounds), Number(values.seed)];

const reason = whyNoPartitions();
if (reason !== false) {
  console.log(`skipped: ${reason}`);
} else {
  const control = runPartitions({ rounds: 0, seed, timing: "early" });
  console.log(`negative control, acknowledged when sent: ${control.lost.length} lost of ${control.acknowledged}`);
  const report = runPartitions({ rounds, seed, timing: "honest" });
  console.log(JSON.stringify(report));
  const held = holdsInPartitions(report) && control.lost.length > 0;
  console.log(held ? "ok" : "FAILED");
  if (!held) process.exitCode = 1;
}
