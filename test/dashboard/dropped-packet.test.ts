import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { onlyLong } from "../rounds.ts";
import { missing } from "./browser.ts";

const SCRIPT = fileURLToPath(new URL("./harness/dropped-packet.ts", import.meta.url));

/** Why packets cannot be filtered here; false if they can. */
function whyNoFilter(): false | string {
  const absent = ["curl", "ip", "nft"].filter((program) => spawnSync("which", [program]).status !== 0);
  if (absent.length > 0) return `${absent.join(", ")} of Debian's curl, iproute2 and nftables are needed`;
  const { status } = spawnSync("unshare", ["--net", "sh", "-c", "ip link set lo up && nft list ruleset"]);
  return status === 0 ? false : "only root may make a network namespace and filter packets in it";
}

test(
  "from a quick start to a rule that drops a packet, with what the dashboard says",
  { skip: onlyLong() || (missing ?? whyNoFilter()) },
  (t) => {
    const run = spawnSync("unshare", ["--net", process.execPath, SCRIPT], { encoding: "utf8" });
    t.diagnostic(run.stdout);
    assert.equal(run.status, 0, run.stderr);
    assert.match(run.stdout, /are dropped after 4 steps/);
  },
);
