import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { onlyLong } from "../../rounds.ts";
import { run } from "../../tools.ts";
import { type Consumer, inOneOf } from "./consumer.ts";

/** A router that receives routes from another one in its own network namespace; both end with the script's shell. */
const GOBGP = `[global.config]
as = 65001
router-id = "10.0.0.2"
local-address-list = ["10.0.0.2"]
[[neighbors]]
[neighbors.config]
neighbor-address = "10.0.0.1"
peer-as = 65000
[neighbors.transport.config]
passive-mode = true
local-address = "10.0.0.2"
${["ipv4-unicast", "ipv6-unicast", "ipv4-flowspec", "ipv6-flowspec"]
  .map((name) => `[[neighbors.afi-safis]]\n[neighbors.afi-safis.config]\nafi-safi-name = "${name}"`)
  .join("\n")}
`;

/** Lines of a script that wait for a condition for at most two minutes; then the script fails and prints the logs. */
function waitFor(condition: string): string {
  return `end=$((SECONDS + 120))
until ${condition}; do [ $SECONDS -lt $end ] || { tail -n 20 *.log >&2; exit 1; }; sleep 0.1; done`;
}

/**
 * A script that waits until all routes of both families have arrived, which the sender reports after the last one (RFC
 * 4724), and prints them.
 */
function script(speaker: string, kind: "" | "-flowspec"): string {
  const families = kind === "" ? ["ipv4", "ipv6"] : ["ipv4-flowspec", "ipv6-flowspec"];
  const hasAll = families
    .map((family) => `grep -q '"EOR received" AddressFamily=${family}${kind === "" ? "-unicast" : ""} ' gobgp.log`)
    .join(" && ");
  return `cd "$0"
ip link set lo up
ip address add 10.0.0.1/32 dev lo
ip address add 10.0.0.2/32 dev lo
${speaker}
gobgpd -f gobgpd.toml -l debug -p >gobgp.log 2>&1 &
hasAll() { ${hasAll}; }
${waitFor("hasAll")}
${families.map((family) => `gobgp global rib -a ${family} -j`).join("\necho\n")}
`;
}

interface Route {
  readonly nlri: { readonly prefix?: string; readonly value?: readonly { readonly value: { prefix: string } }[] };
  readonly attrs: readonly { readonly communities?: readonly number[]; readonly value?: unknown }[];
}

/** The routes that the receiving router has at the end. */
async function routesOf(folder: string, text: string): Promise<Route[]> {
  writeFileSync(join(folder, "gobgpd.toml"), GOBGP);
  const options = ["--net", "--pid", "--fork", "--kill-child", "bash", "-euc", text, folder];
  const { code, output, stdout } = await run("unshare", options);
  assert.equal(code, 0, output);
  const tables = stdout.split("\n").filter((line) => line.startsWith("{"));
  assert.equal(tables.length, 2, output);
  return tables.flatMap((line) => Object.values(JSON.parse(line) as Record<string, Route[]>).flat());
}

function missing(...programs: readonly string[]): string | false {
  if (onlyLong() !== false) return onlyLong();
  const absent = programs.filter((program) => spawnSync("which", [program]).status !== 0);
  if (absent.length > 0)
    return `${absent.join(", ")} of Debian's packages bird2, exabgp, gobgpd and iproute2 are needed`;
  return spawnSync("unshare", ["--net", "--pid", "--fork", "true"]).status === 0
    ? false
    : "only root may make a network";
}

const BLACKHOLE = 65_535 * 65_536 + 666;

export const birdToGobgp: Consumer = {
  name: "GoBGP, routes from BIRD",
  format: "bird",
  missing: missing("bird", "gobgpd", "gobgp", "ip"),
  async listed(file, addresses, folder) {
    const channel = (hop: string): string =>
      `import none; next hop ${hop}; export filter { bgp_community.add((65535, 666)); accept; };`;
    writeFileSync(join(folder, "rules.conf"), file);
    writeFileSync(
      join(folder, "bird.conf"),
      `router id 10.0.0.1;
protocol device {}
include "${join(folder, "rules.conf")}";
protocol bgp gobgp {
  local 10.0.0.1 as 65000;
  neighbor 10.0.0.2 as 65001;
  strict bind yes; multihop 2; connect delay time 1; connect retry time 1; error wait time 1, 1;
  ipv4 { ${channel("self")} };
  ipv6 { ${channel("address 2001:2::1")} };
}
`,
    );
    const routes = await routesOf(
      folder,
      script("bird -p -c bird.conf\nbird -f -c bird.conf -s bird.ctl >bird.log 2>&1 &", ""),
    );
    assert.ok(routes.every(({ attrs }) => attrs.some(({ communities }) => communities?.includes(BLACKHOLE))));
    return inOneOf(
      routes.map(({ nlri }) => nlri.prefix!),
      addresses,
    );
  },
};

/** ExaBGP has read all lines before there is a peer to send them to, so the end of the routes comes after them. */
const ANNOUNCING = `env exabgp.daemon.drop=false exabgp.daemon.user=root exabgp.log.destination=stdout exabgp.api.ack=true exabgp exabgp.conf >exabgp.log 2>&1 &
${waitFor('[ "$(wc -l <answers)" = "$(wc -l <list)" ]')}
if grep -vx done answers >&2; then exit 1; fi`;

export const exabgpToGobgp: Consumer = {
  name: "GoBGP, flow routes from ExaBGP",
  format: "exabgp-flowspec",
  wrongLine: "announce flow route { match { source 192.0.2; } then { discard; } }",
  missing: missing("exabgp", "gobgpd", "gobgp", "ip"),
  async listed(file, addresses, folder) {
    writeFileSync(join(folder, "list"), file);
    writeFileSync(
      join(folder, "announce.sh"),
      `cat '${folder}/list'\nwhile read -r answer; do echo "$answer" >>'${folder}/answers'; done\n`,
    );
    writeFileSync(
      join(folder, "exabgp.conf"),
      `process list { run /bin/bash ${join(folder, "announce.sh")}; encoder text; }
neighbor 10.0.0.2 {
  router-id 10.0.0.1; local-address 10.0.0.1; local-as 65000; peer-as 65001;
  family { ipv4 flow; ipv6 flow; }
  api { processes [ list ]; }
}
`,
    );
    writeFileSync(join(folder, "answers"), "");
    const routes = await routesOf(folder, script(ANNOUNCING, "-flowspec"));
    const discards = { type: 128, subtype: 6, as: 0, rate: 0 };
    const said = JSON.stringify(discards);
    assert.ok(routes.every(({ attrs }) => attrs.some(({ value }) => JSON.stringify(value)?.includes(said))));
    return inOneOf(
      routes.map(({ nlri }) => nlri.value![0]!.value.prefix),
      addresses,
    );
  },
};
