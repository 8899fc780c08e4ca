import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../free-port.ts";
import { missingCommand } from "../../tools.ts";
import { output, untilItAnswers } from "./consumer.ts";
import { blockedIn, resolverAt, zoneOf } from "./name-servers.ts";

/** A program that fetches a list from a URL by itself. */
export interface Polling {
  /** Whether it regards each of the addresses it was started with as listed. */
  listed(): Promise<boolean[]>;
  /** Makes it check for a new list soon. */
  poll(): void;
  end(): Promise<void>;
}

export const WHY_NO_RSPAMD: string | false = missingCommand("rspamd", "--version", "rspamd");
export const WHY_NO_UNBOUND: string | false = missingCommand("unbound", "-V", "unbound");

/** An ip map of Rspamd, which polls its URL every few seconds. */
export async function startRspamd(url: string, addresses: readonly string[]): Promise<Polling> {
  const [port, controller] = [await freePort(), await freePort()];
  const folder = mkdtempSync(join(tmpdir(), "ipsieve-rspamd-"));
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
  // What its own rules would define before its modules are loaded. Preparing the names of all top-level domains would
  // take seconds.
  write("tld", "example\n");
  write("rspamd.lua", 'require "global_functions" ()\n');
  write(
    "rspamd.conf",
    `options {
  filters = ""; url_tld = "${folder}/tld"; map_watch_interval = 1s; disable_hyperscan = true; local_addrs = [];
  dns { nameserver = ["127.0.0.1:1"]; }
  temp_dir = "${folder}"; cores_dir = "${folder}"; hs_cache_dir = "${folder}"; pidfile = "${folder}/pid";
  control_socket = "${folder}/control mode=0600";
}
logging { type = "console"; level = "error"; }
lang_detection { languages = "${folder}"; }
worker "normal" { bind_socket = "127.0.0.1:${port}"; count = 1; }
worker "controller" { bind_socket = "127.0.0.1:${controller}"; count = 1; password = "none"; }
lua = "${folder}/rspamd.lua";
modules { path = "/usr/share/rspamd/plugins/multimap.lua"; }
multimap { listed { type = "ip"; map = "${url}"; symbol = "LISTED"; score = 1; } }
`,
  );
  const child = spawn("rspamd", ["-f", "-i", "-c", join(folder, "rspamd.conf")], { stdio: "ignore" });
  const isListed = async (ip: string): Promise<boolean> => {
    const options = { method: "POST", headers: { IP: ip }, body: "Subject: test\n\ntest\n" };
    const { symbols } = (await (await fetch(`http://127.0.0.1:${port}/checkv2`, options)).json()) as Scan;
    return "LISTED" in symbols;
  };
  return startedIn(
    folder,
    child,
    () => {},
    async () => {
      const answers: boolean[] = [];
      for (const address of addresses) answers.push(await isListed(address));
      return answers;
    },
  );
}

interface Scan {
  readonly symbols: Readonly<Record<string, unknown>>;
}

/**
 * A response policy zone of Unbound, which polls its URL at start-up and as often as the zone says. Its names are in
 * `zone.example`, as Unbound knows that `test.` has none.
 */
export async function startUnbound(url: string, addresses: readonly string[]): Promise<Polling> {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), "ipsieve-unbound-"));
  const path = join(folder, "unbound.conf");
  writeFileSync(join(folder, "zone"), zoneOf(addresses));
  writeFileSync(
    path,
    `server:
  interface: 127.0.0.1
  port: ${port}
  do-daemonize: no
  chroot: ""
  username: ""
  directory: "${folder}"
  pidfile: ""
  use-syslog: no
  module-config: "respip iterator"
  do-not-query-localhost: no
remote-control:
  control-enable: yes
  control-interface: ${folder}/control
  control-use-cert: no
auth-zone:
  name: zone.example
  zonefile: "${folder}/zone"
  for-downstream: no
  for-upstream: yes
rpz:
  name: list.example
  url: ${url}
  zonefile: "${folder}/rpz"
`,
  );
  const child = spawn("unbound", ["-d", "-c", path], { stdio: "ignore" });
  const exists = resolverAt(port);
  const poll = (): void => void output("unbound-control", ["-c", path, "auth_zone_transfer", "list.example"]);
  return startedIn(folder, child, poll, () => blockedIn("zone.example", addresses, exists));
}

/** The program, once it answers; it is ended if it does not. */
async function startedIn(
  folder: string,
  child: ChildProcess,
  poll: () => void,
  listed: () => Promise<boolean[]>,
): Promise<Polling> {
  const ended = once(child, "close");
  const end = async (): Promise<void> => {
    child.kill();
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await untilItAnswers(child, listed);
  } catch (error) {
    await end();
    throw error;
  }
  return { listed, poll, end };
}
