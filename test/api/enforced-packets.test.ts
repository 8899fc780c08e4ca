import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { onlyLong } from "../rounds.ts";
import { FIREWALL_BOUNCER, notHad } from "../tools.ts";
import { whyNoPostgres } from "../store/harness/postgres.ts";

const SCRIPT = fileURLToPath(new URL("./harness/enforced-packets.ts", import.meta.url));
const OF_DEBIAN = ["crowdsec-firewall-bouncer", "crowdsec-custom-bouncer"];
const PROGRAMS = ["ip", "iptables", "ip6tables", "ipset", "nft"];

/** Why they cannot run here; false if they can. */
function whyNoBouncers(programs: readonly string[] = []): false | string {
  const missing = [...programs, ...PROGRAMS].filter((program) => spawnSync("which", [program]).status !== 0);
  if (missing.length > 0) return `${missing.join(", ")} of Debian's packages of these names (ip: iproute2) are needed`;
  const { status } = spawnSync("unshare", ["--net", "sh", "-c", "ip link set lo up && ipset list && nft list ruleset"]);
  return status === 0 ? false : "only root may make a network namespace and filter packets in it";
}

function enforces(t: TestContext, programs: readonly string[]): void {
  const run = spawnSync("unshare", ["--net", process.execPath, SCRIPT, ...programs], { encoding: "utf8" });
  t.diagnostic(run.stdout);
  assert.equal(run.status, 0, run.stderr);
  assert.match(run.stdout, /^done$/m);
}

const skip = onlyLong() || (await whyNoPostgres());

test(
  "CrowdSec's bouncers enforce a deployment: packets from listed addresses are dropped, and no others",
  { skip: skip || whyNoBouncers(OF_DEBIAN) },
  (t) => enforces(t, OF_DEBIAN),
);

// It has a set for each origin and scenario, from which only deletions with the same ones take an address.
test(
  "CrowdSec's newest firewall bouncer enforces it, too",
  { skip: skip || whyNoBouncers() || notHad(FIREWALL_BOUNCER) },
  (t) => enforces(t, [FIREWALL_BOUNCER]),
);
