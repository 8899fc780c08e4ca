import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../../free-port.ts";
import { missingCommand } from "../../tools.ts";
import { type Consumer, output, untilItAnswers, whileRunning } from "./consumer.ts";

const KEY = "key-of-a-bouncer-of-this-test";

export const crowdsec: Consumer = {
  name: "CrowdSec, imported decisions",
  format: "crowdsec-csv",
  wrongLine: "3600s,range,192.0.2.0/33,ban,list",
  missing: missingCommand("cscli", "version", "crowdsec"),
  listed: (file, addresses, folder) =>
    whileImported(file, folder, async (isListed) => {
      const answers: boolean[] = [];
      for (const address of addresses) answers.push(await isListed(address));
      return answers;
    }),
};

/** Imports decisions into an engine of its own, which can be queried about addresses while `run` runs. */
export async function whileImported<Result>(
  file: string,
  folder: string,
  run: (isListed: (address: string) => Promise<boolean>) => Promise<Result>,
): Promise<Result> {
  const url = `http://127.0.0.1:${await freePort()}`;
  const path = configure(folder, url);
  const cscli = (...words: string[]): string => output("cscli", ["-c", path, ...words]);
  cscli("machines", "add", "test", "-p", "a-password-of-this-test", "-u", url, "-f", join(folder, "machine.yaml"));
  cscli("bouncers", "add", "test", "-k", KEY);
  return whileRunning("crowdsec", ["-c", path, "-no-cs", "-no-capi"], async ({ process }) => {
    await untilItAnswers(process, () => isBlocked(url, "192.0.2.1"));
    writeFileSync(join(folder, "list.csv"), file);
    // The number of imported decisions is only printed.
    const rows = file.split("\n").length - 2;
    const printed = cscli("decisions", "import", "-i", join(folder, "list.csv"));
    assert.match(printed, new RegExp(`${rows} decisions successfully imported`));
    return run((address) => isBlocked(url, address));
  });
}

/** The query that a bouncer makes for every connection. */
async function isBlocked(url: string, address: string): Promise<boolean> {
  const response = await fetch(`${url}/v1/decisions?ip=${address}`, { headers: { "X-Api-Key": KEY } });
  const decisions = (await response.json()) as unknown[] | null;
  assert.equal(response.status, 200, JSON.stringify(decisions));
  return decisions !== null;
}

/** Configures an engine with no sources and a database of its own; returns the path of its configuration. */
function configure(folder: string, url: string): string {
  for (const name of ["data", "hub", "plugins"]) mkdirSync(join(folder, name));
  for (const name of ["machine.yaml", "simulation.yaml"]) writeFileSync(join(folder, name), "");
  writeFileSync(join(folder, "profiles.yaml"), 'name: none\nfilters: [ "false" ]\n');
  const configuration = `common: { daemonize: false, log_media: stdout, log_level: info, log_dir: ${folder} }
config_paths:
  config_dir: ${folder}
  data_dir: ${join(folder, "data")}
  hub_dir: ${join(folder, "hub")}
  index_path: ${join(folder, "hub", ".index.json")}
  simulation_path: ${join(folder, "simulation.yaml")}
  notification_dir: ${join(folder, "plugins")}
  plugin_dir: ${join(folder, "plugins")}
db_config: { type: sqlite, use_wal: true, db_path: ${join(folder, "data", "crowdsec.db")} }
api:
  client: { credentials_path: ${join(folder, "machine.yaml")} }
  server: { listen_uri: "${url.slice("http://".length)}", profiles_path: ${join(folder, "profiles.yaml")} }
prometheus: { enabled: false }
`;
  writeFileSync(join(folder, "config.yaml"), configuration);
  return join(folder, "config.yaml");
}
