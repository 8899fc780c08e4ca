import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../free-port.ts";
import { missingCommand } from "../tools.ts";

const PARSERS = "/etc/crowdsec/parsers/s01-parse";
const HUB = "/var/lib/crowdsec/hub";

/** Why CrowdSec's parsers cannot be run here; false if they can. */
export const missingParsers: string | false =
  missingCommand("crowdsec", "-version", "crowdsec") ||
  (["nginx", "apache2", "sshd"].every((name) => existsSync(join(PARSERS, `${name}-logs.yaml`)))
    ? false
    : `${PARSERS} lacks the parsers that Debian's crowdsec installs`);

/** The client that CrowdSec names for each line that one of its parsers reads, by an engine of its own in `folder`. */
export async function sourcesIn(text: string, type: string, folder: string): Promise<string[]> {
  const configuration = configure(folder, `127.0.0.1:${await freePort()}`);
  writeFileSync(join(folder, "parsed.log"), text);
  const log = `file://${join(folder, "parsed.log")}`;
  const args = ["-c", configuration, "-type", type, "-dsn", log, "-dump-data", join(folder, "dump"), "-no-capi"];
  const { status, stdout, stderr } = spawnSync("crowdsec", args, { encoding: "utf8", timeout: 60_000 });
  assert.equal(status, 0, stdout + stderr);
  const [, dates = ""] = readFileSync(join(folder, "dump", "parser-dump.yaml"), "utf8").split(
    "crowdsecurity/dateparse-enrich:",
  );
  const [read] = dates.split(/^(?: {2})?[a-z]/m);
  return Array.from(read!.matchAll(/^ +source_ip: "?([^"\n]+)"?$/gm), ([, address]) => address!);
}

/** An engine with the parsers of this machine, and a database and an API of its own. */
function configure(folder: string, listen: string): string {
  for (const name of ["data", "plugins", "dump"]) mkdirSync(join(folder, name), { recursive: true });
  for (const name of ["machine.yaml", "simulation.yaml"]) writeFileSync(join(folder, name), "");
  writeFileSync(join(folder, "profiles.yaml"), 'name: none\nfilters: [ "false" ]\n');
  const path = join(folder, "config.yaml");
  writeFileSync(
    path,
    `common: { daemonize: false, log_media: stdout, log_level: info, log_dir: ${folder} }
config_paths:
  config_dir: /etc/crowdsec
  data_dir: ${join(folder, "data")}
  hub_dir: ${HUB}
  index_path: ${HUB}/.index.json
  simulation_path: ${join(folder, "simulation.yaml")}
  notification_dir: ${join(folder, "plugins")}
  plugin_dir: ${join(folder, "plugins")}
crowdsec_service: { parser_routines: 1 }
db_config: { type: sqlite, use_wal: true, db_path: ${join(folder, "data", "crowdsec.db")} }
api:
  client: { credentials_path: ${join(folder, "machine.yaml")} }
  server: { listen_uri: "${listen}", profiles_path: ${join(folder, "profiles.yaml")} }
prometheus: { enabled: false }
`,
  );
  const machine = ["machines", "add", "test", "--force", "-p", "a-password-of-this-test", "-u", `http://${listen}`];
  const { status, stderr } = spawnSync("cscli", ["-c", path, ...machine, "-f", join(folder, "machine.yaml")]);
  assert.equal(status, 0, String(stderr));
  return path;
}
