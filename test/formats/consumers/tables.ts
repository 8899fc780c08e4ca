import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onlyLong } from "../../rounds.ts";
import { missingCommand } from "../../tools.ts";
import { type Consumer, inOneOf, output } from "./consumer.ts";

export const postfix: Consumer = {
  name: "Postfix, cidr table",
  format: "postfix",
  wrongLine: "192.0.2.1/24 REJECT",
  missing: missingCommand("postmap", "-h", "postfix"),
  listed(file, addresses, folder) {
    writeFileSync(join(folder, "table"), file);
    writeFileSync(join(folder, "main.cf"), "");
    const { stdout, stderr } = spawnSync("postmap", ["-c", folder, "-q", "-", `cidr:${join(folder, "table")}`], {
      encoding: "utf8",
      input: `${addresses.join("\n")}\n`,
    });
    // It skips lines that it does not understand, with a warning.
    assert.equal(stderr, "");
    const found = new Set(stdout.split("\n").map((line) => line.split("\t")[0]));
    return Promise.resolve(addresses.map((address) => found.has(address)));
  },
};

const NAMESPACE = spawnSync("unshare", ["-n", "iptables-restore", "-V"]).status === 0;

export const iptables: Consumer = {
  name: "iptables-restore, in a network namespace",
  format: "iptables",
  missing: NAMESPACE ? false : "root and Debian's package iptables are needed",
  listed(file, addresses) {
    const script =
      'iptables-restore --noflush <<< "$0" && ip6tables-restore --noflush <<< "$0" && iptables-save -t filter && ip6tables-save -t filter';
    const { status, stdout, stderr } = spawnSync("unshare", ["-n", "bash", "-c", script, file], { encoding: "utf8" });
    assert.equal(status, 0, stderr);
    const rules = [...stdout.matchAll(/^-A list(?: -s (\S+))? -j DROP$/gm)];
    // A rule without a source applies to all addresses of the family whose table contains it.
    const everything = (at: number): string => (stdout.lastIndexOf("ip6tables-save", at) < 0 ? "0.0.0.0/0" : "::/0");
    return Promise.resolve(
      inOneOf(
        rules.map(({ 1: source, index }) => source ?? everything(index)),
        addresses,
      ),
    );
  },
};

export const caddy: Consumer = {
  name: "Caddy, matcher",
  format: "caddy",
  missing: missingCommand("caddy", "version", "caddy"),
  listed(file, addresses, folder) {
    writeFileSync(join(folder, "rules.caddy"), file);
    writeFileSync(join(folder, "Caddyfile"), `:0 {\nimport ${join(folder, "rules.caddy")}\nrespond @list 403\n}\n`);
    const environment = { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
    const { status, stdout, stderr } = spawnSync(
      "caddy",
      ["adapt", "--validate", "--adapter", "caddyfile", "--config", join(folder, "Caddyfile")],
      { encoding: "utf8", env: environment },
    );
    assert.equal(status, 0, stderr);
    const [, ranges] = /"remote_ip":\{"ranges":\[([^\]]*)\]/.exec(stdout) ?? [];
    return Promise.resolve(inOneOf(ranges === undefined ? [] : (JSON.parse(`[${ranges}]`) as string[]), addresses));
  },
};

export const bird: Consumer = {
  name: "BIRD, static routes",
  format: "bird",
  missing: missingCommand("bird", "--version", "bird2"),
  async listed(file, addresses, folder) {
    const { routesOf } = await import("./bird.ts");
    output("bird", ["-p", "-c", writtenFor(folder, file)]);
    return inOneOf(await routesOf(folder), addresses);
  },
};

function writtenFor(folder: string, file: string): string {
  writeFileSync(join(folder, "rules.conf"), file);
  const path = join(folder, "bird.conf");
  writeFileSync(path, `router id 192.0.2.1;\nprotocol device {}\ninclude "${join(folder, "rules.conf")}";\n`);
  return path;
}

export const firewalld: Consumer = {
  name: "firewalld, ipset",
  format: "firewalld",
  wrongLine: "192.0.2.0/33",
  missing: onlyLong() || missingCommand("firewall-offline-cmd", "--version", "firewalld"),
  listed(file, addresses, folder) {
    const family = addresses[0]!.includes(":") ? "inet6" : "inet";
    const system = join(folder, "firewalld");
    mkdirSync(join(system, "ipsets"), { recursive: true });
    writeFileSync(join(system, "firewalld.conf"), "");
    // Its standard error has warnings about settings that this configuration does not use.
    const command = (...options: string[]): string => {
      const args = ["--system-config", system, ...options];
      const { status, stdout, stderr } = spawnSync("firewall-offline-cmd", args, { encoding: "utf8" });
      assert.equal(status, 0, stderr);
      return stdout;
    };
    command("--new-ipset=list", "--type=hash:net", `--option=family=${family}`);
    writeFileSync(join(folder, "list"), file);
    command("--ipset=list", `--add-entries-from-file=${join(folder, "list")}`);
    const entries = command("--ipset=list", "--get-entries").split("\n");
    return Promise.resolve(
      inOneOf(
        entries.filter((line) => line.trim() !== ""),
        addresses,
      ),
    );
  },
};
