/*
 * `unshare --net node enforced-packets.ts [FIREWALL_BOUNCER [CUSTOM_BOUNCER]]`: CrowdSec's own bouncers, two servers on
 * one PostgreSQL, and packets, in a network namespace that has nothing but its loopback interface. Prints each step, and
 * fails at the first wrong result.
 */
import assert from "node:assert/strict";
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parsePrefix } from "../../../src/address/prefix.ts";
import { makeCredentialText } from "../../../src/service/access/credential-text.ts";
import { freePort } from "../../free-port.ts";
import { startPostgres } from "../../store/harness/postgres.ts";
import { until } from "../../until.ts";
import { addOrganisation, startServer, type TestServer, useStores } from "../start-server.ts";
import type { DeploymentDefinition, DeploymentSource } from "../../../src/store/records/deployment.ts";
import { definitionOf } from "../../deployments/definition-of.ts";

const [, , firewallBouncer = "crowdsec-firewall-bouncer", customBouncer] = process.argv;
const HOUR = 3_600_000;
/** Addresses of this machine from which connections are made. */
const SOURCES = [
  "192.0.2.0",
  "192.0.2.77",
  "192.0.3.1",
  "198.51.100.7",
  "198.51.100.8",
  "203.0.113.9",
  "2001:db8::1",
  "2001:db9::1",
];
const DEFINITION = definitionOf({});

const step = (text: string): void => void process.stdout.write(`${text}\n`);
const folder = mkdtempSync(join(tmpdir(), "ipsieve-bouncers-"));
const children: ChildProcess[] = [];

execFileSync("ip", ["link", "set", "lo", "up"]);
for (const source of SOURCES)
  execFileSync("ip", ["address", "add", `${source}/${source.includes(":") ? 128 : 32}`, "dev", "lo"]);

/** The server to which all sources connect. */
const target = createServer((socket) => socket.end()).listen(await freePort(), "::");
await once(target, "listening");
const { port: targetPort } = target.address() as { port: number };

/**
 * Whether a connection from this address is refused: the bouncers are configured to reject, so that there is no timeout
 * to wait for.
 */
async function isBlocked(source: string): Promise<boolean> {
  const socket = connect({
    host: source.includes(":") ? "::1" : "127.0.0.1",
    port: targetPort,
    localAddress: source,
  });
  return new Promise((resolve, reject) => {
    socket.once("connect", () => resolve(false));
    socket.once("error", (error: NodeJS.ErrnoException) =>
      error.code === "ECONNREFUSED" || error.code === "EHOSTUNREACH" ? resolve(true) : reject(error),
    );
  }).finally(() => socket.destroy()) as Promise<boolean>;
}

async function blockedOf(sources: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const source of sources) if (await isBlocked(source)) found.push(source);
  return found;
}

async function untilBlocked(what: string, expected: readonly string[]): Promise<void> {
  let found: string[] = [];
  const isSo = async (): Promise<boolean> => {
    found = await blockedOf(SOURCES);
    return found.join() === expected.join();
  };
  await until(what, isSo, { every: 50 }).catch((error: unknown) => {
    throw new Error(`${what}: blocked are ${found.join(", ")}, not ${expected.join(", ")}`, { cause: error });
  });
  step(`${what}: ${expected.join(" ") || "none"}`);
}

/** Forwards connections to one server, and later to another. */
class Switch {
  readonly #sockets = new Set<Socket>();
  target = 0;
  readonly server = createServer((socket) => {
    const onward = connect(this.target, "127.0.0.1");
    for (const each of [socket, onward]) {
      this.#sockets.add(each);
      each.on("error", () => {}).on("close", () => this.#sockets.delete(each));
    }
    socket.pipe(onward).pipe(socket);
    socket.on("close", () => onward.destroy());
    onward.on("close", () => socket.destroy());
  });

  to({ server }: TestServer): void {
    this.target = Number(new URL(server.url).port);
    for (const socket of this.#sockets) socket.destroy();
  }
}

interface Bouncer {
  readonly process: ChildProcess;
  readonly log: () => string;
  stop(): Promise<void>;
}

function startBouncer(program: string, lines: readonly string[]): Bouncer {
  const file = join(folder, `${crypto.randomUUID()}.yaml`);
  writeFileSync(file, lines.join("\n"));
  const child = spawn(program, ["-c", file], { stdio: ["ignore", "pipe", "pipe"] });
  children.push(child);
  let log = "";
  for (const stream of [child.stdout, child.stderr]) stream!.on("data", (part: Buffer) => (log += part.toString()));
  const ended = once(child, "exit");
  return {
    process: child,
    log: () => log,
    stop: async () => {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

/** Newer versions log that there is nothing to clean up when they start. */
function checkLog({ log }: Bouncer): void {
  const errors = log()
    .split("\n")
    .filter((line) => /level=(error|fatal|panic)/.test(line) && !/error while (removing|flushing|deleting)/.test(line));
  assert.deepEqual(errors, []);
}

const common = (url: string, key: string): string[] => [
  "update_frequency: 200ms",
  "daemonize: false",
  "log_mode: stdout",
  "log_level: info",
  `api_url: ${url}/`,
  `api_key: ${key}`,
  "prometheus:",
  "  enabled: false",
];

const firewall = (url: string, key: string, mode: "iptables" | "nftables"): Bouncer =>
  startBouncer(firewallBouncer, [
    ...common(url, key),
    `mode: ${mode}`,
    `pid_dir: ${folder}`,
    "disable_ipv6: false",
    "deny_action: REJECT",
    "supported_decisions_types: [ban]",
    "blacklists_ipv4: blocked",
    "blacklists_ipv6: blocked6",
    "ipset_type: nethash",
    "iptables_chains: [INPUT]",
    "nftables:",
    "  ipv4: { enabled: true, set-only: false, table: blocked, chain: blocked-chain }",
    "  ipv6: { enabled: true, set-only: false, table: blocked6, chain: blocked6-chain }",
  ]);

const postgres = await startPostgres();
try {
  const url = await postgres.database();
  useStores(() => Promise.resolve({ url }));
  const one = await startServer();
  const organisationId = await addOrganisation(one, "bouncers");
  const other = await startServer();
  const middle = new Switch();
  middle.server.listen(0, "127.0.0.1");
  await once(middle.server, "listening");
  const middleUrl = `http://127.0.0.1:${(middle.server.address() as { port: number }).port}`;
  middle.to(one);
  let writer = one;
  const by = () => ({ actor: "command:test", at: one.clock.now, organisationId });

  const { ruleset } = await one.server.store.write({
    kind: "create-ruleset",
    ...by(),
    name: "blocked",
    purpose: "blocklist",
    description: "",
  });
  const add = (text: string, expiresAt: number | null = null) =>
    writer.server.store.write({
      kind: "add-rule",
      ...by(),
      rulesetId: ruleset.id,
      request: { prefix: parsePrefix(text), name: null, expiresAt, mode: "override" },
    });
  const remove = (text: string) =>
    writer.server.store.write({ kind: "delete-rule", ...by(), rulesetId: ruleset.id, prefix: parsePrefix(text) });
  for (const text of ["192.0.2.0/24", "198.51.100.7", "2001:db8::/32"]) await add(text);
  const { deployment } = await one.server.store.write({
    kind: "create-deployment",
    ...by(),
    name: "edge",
    definition: { ...DEFINITION, include: [{ ruleset: ruleset.id }] },
  });
  const keyOf = async (deploymentId: string, hostsOnly = false): Promise<string> => {
    const { text, digest, start } = makeCredentialText("bouncer");
    const about = { credential: "bouncer", label: "test", digest, start, hostsOnly } as const;
    await writer.server.store.write({ kind: "create-credential", ...by(), deploymentId, ...about });
    return text;
  };
  for (const { server } of [one, other])
    await until("the list is published", () => server.services.publishing.lists.served(deployment.id) !== undefined);

  await untilBlocked("before a bouncer runs", []);
  const key = await keyOf(deployment.id);
  let bouncer = firewall(middleUrl, key, "iptables");
  const first = ["192.0.2.0", "192.0.2.77", "198.51.100.7", "2001:db8::1"];
  await untilBlocked("it starts with everything", first);
  const members = execFileSync("ipset", ["list"], { encoding: "utf8" });
  assert.match(members, /^192\.0\.2\.0\/24 timeout \d{5}$/m);

  await add("203.0.113.9", one.clock.now + HOUR);
  const added = [...first.slice(0, 3), "203.0.113.9", "2001:db8::1"];
  await untilBlocked("a rule is added", added);
  for (const { clock } of [one, other]) clock.now += HOUR;
  await untilBlocked("it expires", first);
  await remove("192.0.2.0/24");
  await untilBlocked("a range is deleted", ["198.51.100.7", "2001:db8::1"]);

  await one.server.close();
  writer = other;
  await add("198.51.100.8");
  middle.to(other);
  await untilBlocked("another server goes on", ["198.51.100.7", "198.51.100.8", "2001:db8::1"]);
  await remove("198.51.100.7");
  await untilBlocked("a rule is deleted there", ["198.51.100.8", "2001:db8::1"]);

  const update = (definition: Partial<DeploymentDefinition>) =>
    writer.server.store.write({ kind: "update-deployment", ...by(), deploymentId: deployment.id, definition });
  const including = (...include: DeploymentSource[]) => update({ include });
  const own = { ruleset: ruleset.id };
  await including(own, { prefixes: ["198.51.100.8", "203.0.113.9"] });
  await untilBlocked("another source lists it, too", ["198.51.100.8", "203.0.113.9", "2001:db8::1"]);
  await including({ prefixes: ["198.51.100.8"] });
  await untilBlocked("only the other source lists it", ["198.51.100.8"]);
  await including({ prefixes: ["203.0.113.9"] }, own);
  await untilBlocked("the first one again", ["198.51.100.8", "203.0.113.9", "2001:db8::1"]);
  await including(own);
  await untilBlocked("and it alone", ["198.51.100.8", "2001:db8::1"]);
  await update({ active: false });
  await untilBlocked("the deployment is not active", []);
  await update({ active: true });
  await untilBlocked("it is active again", ["198.51.100.8", "2001:db8::1"]);

  await bouncer.stop();
  await remove("198.51.100.8");
  await add("192.0.2.0/24");
  bouncer = firewall(middleUrl, key, "iptables");
  await untilBlocked("the bouncer starts again", ["192.0.2.0", "192.0.2.77", "2001:db8::1"]);
  checkLog(bouncer);
  await bouncer.stop();
  // Some versions do not remove their rules.
  execFileSync("sh", ["-c", "iptables -F; ip6tables -F; ipset destroy"]);

  await untilBlocked("without it", []);
  bouncer = firewall(middleUrl, await keyOf(deployment.id), "nftables");
  await untilBlocked("mode nftables ignores the length of a range", ["192.0.2.0"]);
  await bouncer.stop();
  execFileSync("nft", ["flush", "ruleset"]);
  await remove("2001:db8::/32");
  await untilBlocked("without it", []);
  bouncer = firewall(middleUrl, await keyOf(deployment.id, true), "nftables");
  await untilBlocked("with hosts only it blocks all addresses of the range", ["192.0.2.0", "192.0.2.77"]);
  await add("198.51.100.7");
  await untilBlocked("a rule is added", ["192.0.2.0", "192.0.2.77", "198.51.100.7"]);
  await including({ prefixes: ["192.0.2.77", "198.51.100.7"] });
  await untilBlocked("another source lists some of it", ["192.0.2.77", "198.51.100.7"]);
  await including(own);
  await remove("198.51.100.7");
  await untilBlocked("a rule is deleted", ["192.0.2.0", "192.0.2.77"]);
  await update({ active: false });
  await untilBlocked("the deployment is not active", []);
  await update({ active: true });
  await untilBlocked("it is active again", ["192.0.2.0", "192.0.2.77"]);
  checkLog(bouncer);
  await bouncer.stop();
  execFileSync("nft", ["flush", "ruleset"]);

  if (customBouncer !== undefined) await callsItsScript(customBouncer);

  middle.server.close();
  await other.close();
  rmSync(one.folder, { recursive: true, force: true });

  async function callsItsScript(program: string): Promise<void> {
    const calls = join(folder, "calls");
    const script = join(folder, "script.sh");
    writeFileSync(calls, "");
    writeFileSync(script, `#!/bin/sh\necho "$1 $2 $3 $4" >> ${calls}\n`);
    chmodSync(script, 0o755);
    const custom = startBouncer(program, [
      ...common(middleUrl, await keyOf(deployment.id)),
      `bin_path: ${script}`,
      "feed_via_stdin: false",
      "cache_retention_duration: 0s",
      `piddir: ${folder}`,
    ]);
    const called = (line: RegExp) =>
      until(`the script is called with ${line}`, () => line.test(readFileSync(calls, "utf8")));
    await called(/^add 192\.0\.2\.0\/24 \d+ deployment\//m);
    await remove("192.0.2.0/24");
    await called(/^del 192\.0\.2\.0\/24 /m);
    await custom.stop();
    step("crowdsec-custom-bouncer calls its script");
  }
} finally {
  for (const child of children) child.kill("SIGKILL");
  target.close();
  await postgres[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
}
step("done");
