/**
 * The responses of an overloaded server: 503 with everything that a response has, whatever the request, and nothing is
 * mixed up.
 */
import assert from "node:assert/strict";
import { connect } from "node:net";
import { type TestContext, test } from "node:test";
import type { Settings } from "../../../src/service/settings.ts";
import { until } from "../../until.ts";
import { addKey, addOrganisation, ask, startServer, type TestServer } from "../start-server.ts";
import { onlyLong } from "../../rounds.ts";

/** Milliseconds: the smallest delay of the event loop that can be set. */
const SENSITIVE = { eventLoopDelay: 10 };

async function start(context: TestContext, settings: Partial<Settings>): Promise<{ t: TestServer; key: string }> {
  const t = await startServer({ perMinute: 1e6, failuresPerMinute: 1e6, ...settings });
  context.after(() => t.close());
  return { t, key: (await addKey(t, await addOrganisation(t, "overloaded"))).text };
}

/** Blocks the event loop, which server and test share, until the context ends. */
async function overload(context: TestContext, t: TestServer): Promise<void> {
  const timer = setInterval(() => {
    for (const end = performance.now() + 40; performance.now() < end;);
  }, 1);
  context.after(() => clearInterval(timer));
  await until("the server sheds", async () => (await ask(t, "GET", "/v1/cbs/lookup?ip=1.1.1.1")).status === 503);
}

/** The first response for which `isShed` holds: under overload, some requests are still served. */
async function untilShed<Answer>(ask: () => Promise<Answer>, isShed: (answer: Answer) => boolean): Promise<Answer> {
  for (let tries = 0; tries < 100; tries++) {
    const answer = await ask();
    if (isShed(answer)) return answer;
  }
  throw new Error("100 requests were served");
}

const shedCount = async (t: TestServer): Promise<number> =>
  Number(/^ipsieve_shed_requests_total (\d+)$/m.exec((await ask(t, "GET", "/metrics")).text)?.[1]);

/** Everything received on a connection to which this is written, until it is closed or `isOver` holds. */
function exchange(t: TestServer, text: string, isOver: (received: string) => boolean): Promise<string> {
  const socket = connect({ port: Number(new URL(t.server.url).port), host: "127.0.0.1" });
  let received = "";
  return new Promise((resolve) => {
    socket.on("error", () => {});
    socket.on("data", (bytes) => {
      received += String(bytes);
      if (isOver(received)) socket.destroy();
    });
    socket.on("close", () => resolve(received));
    socket.write(text);
  });
}

test("a shed request gets a whole problem document, is counted, and keys in its path are not repeated", async (context) => {
  const { t, key } = await start(context, SENSITIVE);
  await overload(context, t);
  const before = await shedCount(t);
  const headers = { "X-Request-Id": "mine-1" };
  const { headers: answered, body } = await untilShed(
    () => ask(t, "GET", `/v1/cti/lookup/${key}?a=1`, { key, headers }),
    ({ status }) => status === 503,
  );
  assert.deepEqual(body, {
    type: "/problems/service-unavailable",
    title: "Service Unavailable",
    status: 503,
    detail: "the server is overloaded; try again in 1 s",
    instance: "/v1/cti/lookup/ips_[redacted]",
    request_id: "mine-1",
  });
  for (const [name, value] of [
    ["content-type", "application/problem+json"],
    ["retry-after", "1"],
    ["x-request-id", "mine-1"],
    ["x-content-type-options", "nosniff"],
    ["cross-origin-resource-policy", "same-origin"],
    ["cache-control", "no-store"],
  ] as const)
    assert.equal(answered.get(name), value, name);
  assert.ok(answered.has("ratelimit-limit") && answered.has("date"));
  assert.equal((await shedCount(t)) - before, 1);
  assert.equal((await ask(t, "GET", "/livez")).status, 200, "how the server is can still be asked");
  assert.equal((await ask(t, "GET", "/v1/nothing-here")).status, 404, "no operation, nothing to shed");
});

test(
  "the log has one line per second with the number of shed requests, and none for each",
  { skip: onlyLong() },
  async (context) => {
    const { t, key } = await start(context, { ...SENSITIVE, logLevel: "info" });
    await overload(context, t);
    while ((await shedCount(t)) < 20) await ask(t, "GET", "/v1/cbs/lookup?ip=1.1.1.1", { key });
    const lines = () =>
      t
        .logged()
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as { shed?: number; status?: number });
    const shed = () => lines().reduce((sum, line) => sum + (line.shed ?? 0), 0);
    await until("all are reported", async () => shed() === (await shedCount(t)));
    assert.ok(shed() >= 20);
    assert.ok(lines().filter((line) => line.shed !== undefined).length < 20);
    assert.ok(lines().every((line) => line.status !== 503));
  },
);

test("the connection of a shed request stays usable, even for HEAD and with a short body", async (context) => {
  const { t } = await start(context, SENSITIVE);
  await overload(context, t);
  const end = "GET /livez HTTP/1.1\r\nHost: x\r\n\r\n";
  for (const first of [
    "GET /v1/cbs/lookup?ip=1.1.1.1 HTTP/1.1\r\nHost: x\r\n\r\n",
    "HEAD /v1/cbs/lookup?ip=1.1.1.1 HTTP/1.1\r\nHost: x\r\n\r\n",
    'POST /v1/cbs/lookup HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 19\r\n\r\n{"ips":["1.1.1.1"',
  ]) {
    const rest = first.startsWith("POST") ? "]}" : "";
    const received = await untilShed(
      () => exchange(t, first + rest + end, (text) => /ok\n?$/.test(text)),
      (text) => text.startsWith("HTTP/1.1 503 "),
    );
    assert.match(received, /HTTP\/1\.1 200 /, first);
  }
});

test("if much of the body is still missing, the connection is closed, says so, and the rest is not a request", async (context) => {
  const { t } = await start(context, SENSITIVE);
  await overload(context, t);
  const before = t.logged();
  const hidden = "GET /livez HTTP/1.1\r\nHost: x\r\n\r\n";
  const long = `POST /v1/cbs/lookup HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2000000\r\n\r\n`;
  const received = await untilShed(
    () => exchange(t, long + hidden, () => false),
    (text) => text.startsWith("HTTP/1.1 503 "),
  );
  assert.match(received, /\r\nconnection: close\r\n/i);
  assert.equal(received.match(/HTTP\/1\.1 /g)!.length, 1);
  assert.ok(!t.logged().slice(before.length).includes("/livez"));
});

test("the negative control: without overload all of it is served, and nothing is counted", async (context) => {
  const { t, key } = await start(context, {});
  assert.equal((await ask(t, "GET", "/v1/cbs/lookup?ip=1.1.1.1", { key })).status, 200);
  assert.equal(await shedCount(t), 0);
});
