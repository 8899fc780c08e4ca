import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { onlyLong } from "../rounds.ts";
import { whyNoPostgres } from "../store/harness/postgres.ts";

const SCRIPT = fileURLToPath(new URL("./harness/enforced-packets.ts", import.meta.url));
const PROGRAMS = [
  "crowdsec-firewall-bouncer",
  "crowdsec-custom-bouncer",
  "ip",
  "iptables",
  "ip6tables",
  "ipset",
  "nft",
];

/** Why they cannot run here; false if they can. */
function whyNoBouncers(): false | string {
  const missing = PROGRAMS.filter((program) => spawnSync("which", [program]).status !== 0);
  if (missing.length > 0) return `${missing.join(", ")} of Debian's packages of these names (ip: iproute2) are needed`;
  const { status } = spawnSync("unshare", ["--net", "sh", "-c", "ip link set lo up && ipset list && nft list ruleset"]);
  return status === 0 ? false : "only root may make a network namespace and filter packets in it";
}

test(
  "CrowdSec's bouncers enforce a deployment: packets from listed addresses are dropped, and no others",
  { skip: onlyLong() || whyNoBouncers() || (await whyNoPostgres()) },
  (t) => {
    const run = spawnSync("unshare", ["--net", process.execPath, SCRIPT], { encoding: "utf8" });
    t.diagnostic(run.stdout);
    assert.equal(run.status, 0, run.stderr);
    assert.match(run.stdout, /^done$/m);
  },
);
