/** A client that follows the changes of a real server, and mirrors a ruleset in its own process. */
import assert from "node:assert/strict";
import { createServer, type Socket } from "node:net";
import { connect } from "node:net";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { type Change, Client, ProblemError, type RulesetMirror } from "../../src/client/client.ts";
import { addKey, addOrganisation, ask, startServer, type TestServer } from "../api/start-server.ts";
import { until } from "../until.ts";

let t: TestServer;
let key: string;
let id: string;
let rules: string;
before(async () => {
  t = await startServer({ perMinute: 1e9, eventsPerOrganisation: 1000 });
  key = (await addKey(t, await addOrganisation(t, "mirror"))).text;
  id = (await ask(t, "GET", "/v1/edl/ip-rulesets/", { key })).body.items[1].id;
  rules = `/v1/edl/ip-rulesets/${id}/rules`;
});
after(() => t.close());

const write = async (method: string, path: string, body?: unknown): Promise<void> => {
  const { status, text } = await ask(t, method, path, { key, body });
  assert.ok(status < 300, text);
};
const deciding = (mirror: RulesetMirror, address: string): string | undefined =>
  mirror.rules.check(address, t.clock.now)?.name ?? undefined;

/** A proxy to the server, whatever its port is at the moment, whose connections can be cut. */
async function startProxy() {
  const sockets = new Set<Socket>();
  const state = { isDown: false };
  const proxy = createServer((socket) => {
    if (state.isDown) return void socket.destroy();
    const target = connect(Number(new URL(t.server.url).port), "127.0.0.1");
    for (const [one, other] of [
      [socket, target],
      [target, socket],
    ] as const) {
      sockets.add(one);
      one.on("error", () => {});
      one.once("close", () => other.destroy());
      one.pipe(other);
    }
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  return Object.assign(state, {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    cut: () => sockets.forEach((socket) => socket.destroy()),
    close: () => {
      sockets.forEach((socket) => socket.destroy());
      proxy.close();
    },
  });
}

test("changes arrive in order, each once, across broken connections and a restart of the server", async () => {
  const proxy = await startProxy();
  const client = new Client({ baseUrl: proxy.url, key });
  const ending = new AbortController();
  const start = (await client.get("/v1/changes", { params: { query: { limit: 1 } } })).sequence;
  const seen: Change[] = [];
  const reading = (async () => {
    for await (const change of client.changes({ after: start, signal: ending.signal })) seen.push(change);
  })();
  for (let n = 1; n <= 6; n++) {
    await write("POST", rules, { ip: `192.0.2.${n}` });
    if (n % 2 === 0) await until(`change ${n} is seen`, () => seen.length === n);
    if (n === 2) proxy.cut();
    if (n !== 4) continue;
    proxy.isDown = true;
    await t.restart();
    proxy.isDown = false;
  }
  assert.deepEqual(
    seen.map(({ sequence, rule }) => [sequence - start, rule!.ip]),
    seen.map((_, index) => [index + 1, `192.0.2.${index + 1}`]),
  );
  ending.abort();
  await assert.rejects(reading, { name: "AbortError" });
  await assert.rejects(
    async () => {
      for await (const _ of client.changes({ after: 1e9 })) assert.fail("there is no such change");
    },
    (error) => error instanceof ProblemError && error.kind === "gone",
  );
  proxy.close();
});

test("a mirror has the rules, follows them, and reads everything again after too long an absence", async () => {
  const proxy = await startProxy();
  await write("POST", rules, { ip: "198.51.100.0/24", name: "net" });
  const mirror = await new Client({ baseUrl: proxy.url, key }).mirror(id);
  assert.equal(deciding(mirror, "198.51.100.7"), "net");
  await write("POST", rules, { ip: "198.51.100.7", name: "host" });
  await until("it has the new rule", () => deciding(mirror, "198.51.100.7") === "host");
  await write("PUT", `${rules}/rule?ip=198.51.100.7`, { name: "other" });
  await until("it has the changed rule", () => deciding(mirror, "198.51.100.7") === "other");
  await write("DELETE", `${rules}/rule?ip=198.51.100.7`);
  await until("it has no such rule", () => deciding(mirror, "198.51.100.7") === "net");
  const before = mirror.rules;
  proxy.isDown = true;
  proxy.cut();
  for (let round = 0; round < 3; round++) {
    const list = Array.from({ length: 1000 }, (_, n) => ({ ip: `198.18.${n >> 8}.${n & 255}`, name: `${round}` }));
    await write("PUT", `${rules}?max_shrink=100`, { rules: list });
  }
  proxy.isDown = false;
  await until("it has read all rules again", () => mirror.rules !== before);
  assert.deepEqual([mirror.rules.count, deciding(mirror, "198.18.1.1")], [1000, "2"]);
  await write("POST", rules, { ip: "203.0.113.1", name: "last" });
  await until("it follows again", () => deciding(mirror, "203.0.113.1") === "last");
  mirror.close();
  proxy.close();
});
