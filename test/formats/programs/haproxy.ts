import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { bytesOf } from "../subjects.ts";
import { missingCommand } from "../../tools.ts";
import { askServer, idsOf, type Program } from "./program.ts";

export const haproxy: Program = {
  name: "HAProxy, map_ip",
  missing: missingCommand("haproxy", "-v", "haproxy"),
  most: 3000,
  async answers(tree, addresses, folder) {
    writeFileSync(join(folder, "cbs.map"), bytesOf(tree, "haproxy"));
    writeFileSync(join(folder, "haproxy.cfg"), configuration(folder));
    const options = ["-f", join(folder, "haproxy.cfg")];
    const { status, stderr } = spawnSync("haproxy", ["-c", ...options], { encoding: "utf8" });
    assert.equal(status, 0, stderr);
    const answers = await askServer(
      spawn("haproxy", ["-db", ...options], { stdio: "ignore" }),
      join(folder, "haproxy.sock"),
      addresses,
    );
    return answers.map((answer) => Buffer.from(answer, "base64").toString("utf8"));
  },
  expected: (tree, address) => idsOf(tree, address).join(",") || "-",
};

/**
 * The client's address comes in a header, as from a proxy; the answer is in base64, as log formats escape some
 * characters.
 */
function configuration(folder: string): string {
  return `defaults
  mode http
  timeout connect 60s
  timeout client 60s
  timeout server 60s
frontend addresses
  bind unix@${join(folder, "haproxy.sock")}
  http-request return status 200 content-type text/plain lf-string "%[req.hdr(X-Real-IP),map_ip(${join(folder, "cbs.map")},-),base64]"
`;
}
