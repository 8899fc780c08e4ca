import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { bytesOf } from "../subjects.ts";
import { nginxConfiguration } from "./nginx-configuration.ts";
import { missingCommand } from "../../tools.ts";
import { askServer, idsOf, type Program } from "./program.ts";

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

/** The client's address comes in a header, as from a proxy. */
function configuration(folder: string): string {
  return nginxConfiguration(
    folder,
    `  set_real_ip_from unix:;
  real_ip_header X-Real-IP;
  include ${join(folder, "cbs.conf")};
  server { listen unix:${join(folder, "nginx.sock")}; location / { return 200 "$cbs"; } }`,
  );
}
