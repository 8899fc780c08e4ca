import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { Resolver } from "node:dns/promises";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseAddress } from "../../../src/address/parse-address.ts";
import { freePort } from "../../free-port.ts";
import { missingCommand } from "../../tools.ts";
import { type Consumer, untilItAnswers, whileRunning } from "./consumer.ts";

type Exists = (name: string, type: "A" | "AAAA") => Promise<boolean>;

/** Whether a name exists, according to a resolver that queries the server on this port. */
export function resolverAt(port: number): Exists {
  const resolver = new Resolver({ timeout: 2000, tries: 6 });
  resolver.setServers([`127.0.0.1:${port}`]);
  return async (name, type) => {
    try {
      return (await resolver.resolve(name, type)).length > 0;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "ENOTFOUND" || code === "ENODATA") return false;
      throw error;
    }
  };
}

/** The parts of an address in reverse order, as lists in DNS have them (RFC 5782). */
function reversed(text: string): string {
  const { family, w0, w1, w2, w3 } = parseAddress(text);
  if (family === 4) return text.split(".").reverse().join(".");
  const digits = [w0, w1, w2, w3].map((word) => word.toString(16).padStart(8, "0")).join("");
  return [...digits].reverse().join(".");
}

/** A zone in which each address has a name of its own; `ns` is a name that no list covers. */
export function zoneOf(addresses: readonly string[]): string {
  const records = addresses.map((text, at) => `a${at} ${typeOf(text)} ${text}\n`);
  return `$TTL 60\n@ SOA a b 1 60 60 60 60\n@ NS ns\nns A 127.0.0.1\n${records.join("")}`;
}

/** For each address, whether its name in such a zone is answered as nonexistent. */
export async function blockedIn(zone: string, addresses: readonly string[], exists: Exists): Promise<boolean[]> {
  const answers: boolean[] = [];
  for (const [at, text] of addresses.entries()) answers.push(!(await exists(`a${at}.${zone}`, typeOf(text))));
  return answers;
}

function typeOf(address: string): "A" | "AAAA" {
  return address.includes(":") ? "AAAA" : "A";
}

export const rbldnsd: Consumer = {
  name: "rbldnsd, combined",
  format: "dnsbl",
  wrongLine: "192.0.2.0/33",
  missing: missingCommand("rbldnsd", "-h", "rbldnsd"),
  async listed(file, addresses, folder) {
    const port = await freePort();
    writeFileSync(join(folder, "list"), file);
    chmodSync(folder, 0o755);
    const options = ["-n", "-u", "nobody", "-b", `127.0.0.1/${port}`, "-w", folder, "dnsbl.test:combined:list"];
    const exists = resolverAt(port);
    return whileRunning("rbldnsd", options, async ({ process, printed }) => {
      await untilItAnswers(process, () => exists("2.0.0.127.dnsbl.test", "A"));
      const answers = await Promise.all(addresses.map((each) => exists(`${reversed(each)}.dnsbl.test`, "A")));
      assert.doesNotMatch(printed(), /error|invalid|warning/i);
      return answers;
    });
  },
};

export const bind: Consumer = {
  name: "BIND, response policy zone",
  format: "rpz",
  wrongLine: "24.1.2.0.192.rpz-ip CNAME .",
  missing: missingCommand("named", "-v", "bind9"),
  async listed(file, addresses, folder) {
    const port = await freePort();
    chmodSync(folder, 0o777);
    writeFileSync(join(folder, "test.zone"), zoneOf(addresses));
    writeFileSync(join(folder, "rpz.zone"), file);
    const configuration = `options {
  directory "${folder}"; listen-on port ${port} { 127.0.0.1; }; listen-on-v6 { none; };
  pid-file none; session-keyfile none; recursion yes; dnssec-validation no; empty-zones-enable no;
  response-policy { zone "rpz.test"; } recursive-only no qname-wait-recurse no min-update-interval 0;
};
controls { };
logging { channel all { file "log"; severity info; }; category default { all; }; };
zone "zone.test" { type primary; file "test.zone"; };
zone "rpz.test" { type primary; file "rpz.zone"; };
`;
    writeFileSync(join(folder, "named.conf"), configuration);
    const exists = resolverAt(port);
    const log = (): string => readFileSync(join(folder, "log"), "utf8");
    return whileRunning("named", ["-f", "-c", join(folder, "named.conf")], async ({ process }) => {
      // Zones are served before their policies take effect; the log says when they do.
      await untilItAnswers(process, () => {
        assert.match(log(), /rpz\.test: reload done/);
        return exists("ns.zone.test", "A");
      });
      const answers = await blockedIn("zone.test", addresses, exists);
      // BIND leaves out what it does not understand, continues, and reports it only in its log.
      assert.doesNotMatch(log(), /invalid rpz|not loaded|failed/i);
      return answers;
    });
  },
};

/** From 5.2 on, it reads the settings below only with this option. */
const OLD_SETTINGS = /Recursor (5\.[2-9]|5\.\d\d|[6-9])/.test(recursorVersion()) ? ["--enable-old-settings"] : [];

function recursorVersion(): string {
  const { stdout, stderr } = spawnSync("pdns_recursor", ["--version"], { encoding: "utf8" });
  return `${stdout ?? ""}${stderr ?? ""}`;
}

export const recursor: Consumer = {
  name: "PowerDNS Recursor, response policy zone",
  format: "rpz",
  // A second record for what the file already contains: it then ignores the whole zone.
  wrongLine: "32.1.100.51.198.rpz-ip CNAME .",
  missing: missingCommand("pdns_recursor", "--version", "pdns-recursor"),
  async listed(file, addresses, folder) {
    const port = await freePort();
    writeFileSync(join(folder, "test.zone"), zoneOf(addresses));
    writeFileSync(join(folder, "rpz.zone"), file);
    writeFileSync(join(folder, "rpz.lua"), `rpzFile("${join(folder, "rpz.zone")}", { policyName = "list" })\n`);
    const configuration = `local-address=127.0.0.1
local-port=${port}
socket-dir=${folder}
lua-config-file=${join(folder, "rpz.lua")}
auth-zones=zone.test=${join(folder, "test.zone")}
dnssec=off
daemon=no
threads=1
security-poll-suffix=
hint-file=no
`;
    writeFileSync(join(folder, "recursor.conf"), configuration);
    const options = [`--config-dir=${folder}`, ...OLD_SETTINGS];
    const exists = resolverAt(port);
    return whileRunning("pdns_recursor", options, async ({ process, printed }) => {
      // The policies take effect before it listens.
      await untilItAnswers(process, () => exists("ns.zone.test", "A"));
      const answers = await blockedIn("zone.test", addresses, exists);
      // It leaves out what it does not understand, continues, and reports it only in its log.
      assert.match(printed(), /Done loading RPZ from file/);
      assert.doesNotMatch(printed(), /prio="(Error|Critical|Alert)"/i);
      return answers;
    });
  },
};
