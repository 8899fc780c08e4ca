/*
 * npm run torture:partitions -- [--rounds N] [--seed N] R1 and R9 between replicas: two servers on one PostgreSQL, one
 * of them cut off from it by a packet filter for some seconds, in both directions and in one, N times (60 unless
 * given): no acknowledged write is lost, no answer of the one that is cut off passes for a newer one, and it catches
 * up. As the negative control writes are taken for acknowledged when they are sent. Needs root, ip, nft and unshare.
 * Exit code 1 where a promise does not hold.
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
