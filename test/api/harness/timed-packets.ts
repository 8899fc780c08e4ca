/*
 * `unshare --net node timed-packets.ts`: lists with timeouts, pulled once from a server and loaded by nft and ipset,
 * and packets, in a network namespace that has nothing but its loopback interface. Prints each step, and fails at the
 * first wrong result.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import { parsePrefix } from "../../../src/address/prefix.ts";
import { setNameOf } from "../../../src/formats/set-name.ts";
import type { DeploymentOptions } from "../../../src/store/records/deployment.ts";
import { definitionOf } from "../../deployments/definition-of.ts";
import { freePort } from "../../free-port.ts";
import { until } from "../../until.ts";
import { addOrganisation, startServer } from "../start-server.ts";

const SECOND = 1000;
/** Seconds for which addresses are listed: longer than loading takes on a busy machine. */
const LASTS = 10;

/** For each list, the addresses that are let through when their time is over, and those that still are not. */
const LISTS = {
  nftables: { ends: ["192.0.2.0", "192.0.2.3", "2001:db8:1::1"], stays: ["192.0.2.1", "192.0.2.9"] },
  ipset: { ends: ["198.51.100.0", "198.51.100.3", "2001:db8:2::1"], stays: ["198.51.100.1", "198.51.100.9"] },
  /** The control: the same rules, without the option. */
  plain: { ends: [], stays: ["203.0.113.0", "203.0.113.1", "203.0.113.3", "203.0.113.9", "2001:db8:3::1"] },
} as const;
const UNLISTED = ["192.0.2.4", "198.51.100.4", "203.0.113.4", "2001:db8:4::1"];
const ALL = [...Object.values(LISTS).flatMap(({ ends, stays }) => [...ends, ...stays]), ...UNLISTED];

const step = (text: string): void => void process.stdout.write(`${text}\n`);

execFileSync("ip", ["link", "set", "lo", "up"]);
for (const address of ALL)
  execFileSync("ip", ["address", "add", `${address}/${address.includes(":") ? 128 : 32}`, "dev", "lo"]);

const target = createServer((socket) => socket.end()).listen(await freePort(), "::");
await once(target, "listening");
const { port } = target.address() as { port: number };

/** Packets are rejected, so that there is no timeout to wait for. */
async function isBlocked(localAddress: string): Promise<boolean> {
  const socket = connect({ host: localAddress.includes(":") ? "::1" : "127.0.0.1", port, localAddress });
  return new Promise<boolean>((resolve, reject) => {
    socket.once("connect", () => resolve(false));
    socket.once("error", (error: NodeJS.ErrnoException) =>
      error.code === "ECONNREFUSED" || error.code === "EHOSTUNREACH" ? resolve(true) : reject(error),
    );
  }).finally(() => socket.destroy());
}

async function blocked(): Promise<string[]> {
  const found: string[] = [];
  for (const address of ALL) if (await isBlocked(address)) found.push(address);
  return found;
}

const t = await startServer();
try {
  const organisationId = await addOrganisation(t, "packets");
  const by = () => ({ actor: "command:test", at: t.clock.now, organisationId });

  /**
   * A list of a network of which one address stays longer, and of a permanent one; in the form that its device loads.
   */
  const pull = async (
    name: string,
    format: string,
    [network, longer, forever, ipv6]: readonly string[],
    options: DeploymentOptions,
  ): Promise<{ text: string; set: string }> => {
    const about = { name, purpose: "blocklist" as const, description: "" };
    const { ruleset } = await t.server.store.write({ kind: "create-ruleset", ...by(), ...about });
    const add = (text: string, lasts: number | null) =>
      t.server.store.write({
        kind: "add-rule",
        ...by(),
        rulesetId: ruleset.id,
        request: {
          prefix: parsePrefix(text),
          name: null,
          expiresAt: lasts === null ? null : t.clock.now + lasts * SECOND,
          mode: "override",
        },
      });
    for (const text of [network!, ipv6!]) await add(text, LASTS);
    await add(longer!, 3600);
    await add(forever!, null);
    const definition = definitionOf({ firewall_format: format, include: [{ ruleset: ruleset.id }], options });
    const { deployment } = await t.server.store.write({ kind: "create-deployment", ...by(), name, definition });
    await until(
      `the list ${name} is published`,
      () => t.server.services.publishing.lists.served(deployment.id) !== undefined,
    );
    const token = t.server.services.publishing.feedTokens.tokenOf(deployment);
    const response = await fetch(`${t.server.url}/feeds/${token}/combined.txt`);
    assert.equal(response.status, 200);
    return { text: await response.text(), set: setNameOf(name, deployment.id) };
  };

  const timed = { timeouts: true };
  const nft = await pull("nft", "nftables", ["192.0.2.0/30", "192.0.2.1", "192.0.2.9", "2001:db8:1::/48"], timed);
  const ipset = await pull(
    "ipset",
    "ipset",
    ["198.51.100.0/30", "198.51.100.1", "198.51.100.9", "2001:db8:2::/48"],
    timed,
  );
  const plain = await pull(
    "plain",
    "nftables",
    ["203.0.113.0/30", "203.0.113.1", "203.0.113.9", "2001:db8:3::/48"],
    {},
  );
  assert.deepEqual(await blocked(), []);
  step("before the lists are loaded: none");

  const from = performance.now();
  const load = (program: string, words: readonly string[], input: string): void =>
    void execFileSync(program, [...words], { input });
  for (const { text } of [nft, plain]) load("nft", ["-f", "-"], text);
  load("ipset", ["restore"], ipset.text);
  const rules = [nft, plain].flatMap(({ set }) => [
    `add rule inet ipsieve input ip saddr @${set}_4 reject`,
    `add rule inet ipsieve input ip6 saddr @${set}_6 reject`,
  ]);
  load(
    "nft",
    ["-f", "-"],
    ["add chain inet ipsieve input { type filter hook input priority 0; }", ...rules].join("\n"),
  );
  load("iptables", ["-A", "INPUT", "-m", "set", "--match-set", `${ipset.set}_4`, "src", "-j", "REJECT"], "");
  load("ip6tables", ["-A", "INPUT", "-m", "set", "--match-set", `${ipset.set}_6`, "src", "-j", "REJECT"], "");

  const listed = ALL.filter((address) => !UNLISTED.includes(address));
  assert.deepEqual(await blocked(), listed);
  step(`once they are loaded: ${listed.join(" ")}`);

  const left = listed.filter((address) =>
    Object.values(LISTS).some(({ stays }) => (stays as readonly string[]).includes(address)),
  );
  await until("the time of the others is over", async () => (await blocked()).join() === left.join(), { every: 100 });
  assert.ok(performance.now() - from >= (LASTS - 1) * SECOND, "not before their time");
  step(`when their time is over, without another pull: ${left.join(" ")}`);
} finally {
  target.close();
  await t.close();
}
step("done");
