import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { bytesOf } from "../subjects.ts";
import { askServer, idsOf, missingCommand, type Program } from "./program.ts";

export const nginx: Program = {
  name: "nginx, geo",
  missing: missingCommand("nginx", "-v", "nginx-light"),
  most: 3000,
  async answers(tree, addresses, folder) {
    writeFileSync(join(folder, "cbs.conf"), bytesOf(tree, "nginx"));
    writeFileSync(join(folder, "nginx.conf"), configuration(folder));
    const options = ["-p", folder, "-c", join(folder, "nginx.conf")];
    const { status, stderr } = spawnSync("nginx", ["-t", ...options], { encoding: "utf8" });
    assert.equal(status, 0, stderr);
    return askServer(spawn("nginx", options, { stdio: "ignore" }), join(folder, "nginx.sock"), addresses);
  },
  expected: (tree, address) => idsOf(tree, address).join(","),
};

/** The address of the client comes in a header, as from a proxy in front. */
function configuration(folder: string): string {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((what) => `${what}_temp_path ${join(folder, what)};`);
  return `daemon off;
master_process off;
pid ${join(folder, "nginx.pid")};
error_log ${join(folder, "nginx.log")};
events {}
http {
  access_log off;
  keepalive_requests 1000000;
  ${temporary.join("\n  ")}
  set_real_ip_from unix:;
  real_ip_header X-Real-IP;
  include ${join(folder, "cbs.conf")};
  server { listen unix:${join(folder, "nginx.sock")}; location / { return 200 "$cbs"; } }
}
`;
}
