import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { onlyLong } from "../rounds.ts";

const SCRIPT = fileURLToPath(new URL("./harness/timed-packets.ts", import.meta.url));
const PROGRAMS = ["ip", "iptables", "ip6tables", "ipset", "nft"];

/** Why they cannot run here; false if they can. */
function whyNoPackets(): false | string {
  const missing = PROGRAMS.filter((program) => spawnSync("which", [program]).status !== 0);
  if (missing.length > 0)
    return `${missing.join(", ")} of Debian's packages iproute2, iptables, ipset and nftables are needed`;
  const { status } = spawnSync("unshare", ["--net", "sh", "-c", "ip link set lo up && ipset list && nft list ruleset"]);
  return status === 0 ? false : "only root may make a network namespace and filter packets in it";
}

test(
  "nftables and ipset refuse packets from listed addresses until their time is over, and then by themselves no more",
  { skip: onlyLong() || whyNoPackets() },
  (t) => {
    const run = spawnSync("unshare", ["--net", process.execPath, SCRIPT], { encoding: "utf8" });
    t.diagnostic(run.stdout);
    assert.equal(run.status, 0, run.stderr);
    assert.match(run.stdout, /^done$/m);
  },
);
