/** Streams of addresses: checks of a ruleset, and lookups of business services. For those of threats see lookups.test.ts. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { request, type ClientRequest, type IncomingMessage } from "node:http";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { retainedMemory } from "../retained-memory.ts";
import { rounds } from "../rounds.ts";
import { addKey, addOrganisation, ask, startServer, type TestServer } from "./start-server.ts";

let t: TestServer;
let organisationId = "";
let key = "";
let rulesets = "";
let check = "";
const LINES = "application/x-ndjson";

before(async () => {
  t = await startServer();
  organisationId = await addOrganisation(t, "streams");
  key = (await addKey(t, organisationId)).text;
  rulesets = "/v1/edl/ip-rulesets/";
  const { body } = await ask(t, "GET", rulesets, { key });
  check = `${rulesets}${body.items[0].id}/rules:check`;
  const ips = ["203.0.0.0/8", "203.0.113.0/24", "203.0.113.128/25", "203.0.113.200", "2001:db8::/32", "198.51.100.7"];
  const items = ips.map((ip) => ({ op: "add", ip, name: `rule for "${ip}"`, expires_in_days: 1 }));
  assert.equal((await ask(t, "POST", check.replace(":check", ":batch"), { key, body: { items } })).status, 200);
});
after(() => t.close());

const ASKED = [
  "203.0.113.200",
  "198.51.100.7",
  "8.8.8.8",
  "2001:DB8::1",
  "::ffff:203.0.113.1",
  "203.0.113.0/24",
  "0.0.0.0/0",
];

/** Starts a stream of lines. */
function stream(path: string, type = "text/plain", sentKey = key): ClientRequest {
  const { hostname, port } = new URL(t.server.url);
  return request({ hostname, port, method: "POST", path, headers: { "X-API-Key": sentKey, "Content-Type": type } });
}

async function linesOf(response: IncomingMessage): Promise<any[]> {
  const lines: unknown[] = [];
  for await (const line of createInterface({ input: response })) lines.push(JSON.parse(line));
  return lines;
}

for (const [name, pathOf] of [
  ["checks", () => check],
  ["lookups of services", () => "/v1/cbs/lookup"],
] as const) {
  test(`${name}: a stream has the results of a map, one per line, as does a list with Accept`, async () => {
    const asked = [...ASKED, "1.1.1.1", "203.0.113.200"];
    const { body: map } = await ask(t, "POST", pathOf(), { key, body: { ips: asked } });
    const expected = asked.map((ip) => map[ip]);
    const headers = { "Content-Type": "text/plain" };
    const text = await ask(t, "POST", pathOf(), { key, body: `${asked.join("\r\n")}\n`, headers });
    assert.deepEqual([text.status, text.headers.get("content-type")], [200, LINES]);
    assert.deepEqual(
      text.text
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line)),
      expected,
    );
    const objects = asked.map((ip, at) => JSON.stringify(at % 2 === 0 ? { ip } : ip)).join("\n");
    const json = await ask(t, "POST", pathOf(), { key, body: objects, headers: { "Content-Type": LINES } });
    assert.equal(json.text, text.text);
    const list = await ask(t, "POST", pathOf(), { key, body: { ips: asked }, headers: { Accept: LINES } });
    assert.deepEqual([list.text, list.headers.get("content-type")], [text.text, `${LINES}; charset=utf-8`]);
  });

  test(`${name}: lines are answered while they arrive; an invalid one gets its number and its error`, async () => {
    const call = stream(pathOf(), LINES);
    call.write('"8.8.8.8"\n\n{"ip":"203.0.113.200"}\n');
    const [response] = (await once(call, "response")) as [IncomingMessage];
    const [first] = await once(response, "data");
    assert.deepEqual(
      String(first)
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line).ip),
      ["8.8.8.8", "203.0.113.200"],
    );
    call.end('x\n10.0.0.1/8\n{"ip":1}\n{"ip":\n1.1.1.1');
    const lines = await linesOf(response);
    assert.deepEqual(
      lines.map(({ line, ip }) => line ?? ip),
      [4, 5, 6, 7, "1.1.1.1"],
    );
    assert.match(lines[0].error, /"x" at position 0/);
    assert.match(lines[1].error, /host bits are set; did you mean 10\.0\.0\.0\/8\?/);
    assert.match(lines[2].error, /the line has no address/);
  });

  test(`${name}: a line without an end ends the stream`, async () => {
    const answer = await ask(t, "POST", pathOf(), {
      key,
      body: `8.8.8.8\n${"1".repeat(10_000)}`,
      headers: { "Content-Type": "text/plain" },
    });
    const [, last] = answer.text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    assert.deepEqual(last, { line: 2, error: "the line is longer than 4096 characters; nothing after it was read" });
  });
}

test("a stream of checks uses the current rules and time for each line, and ends when its ruleset or key ends", async () => {
  const created = await ask(t, "POST", rulesets, { key, body: { name: "passing", purpose: "blocklist" } });
  const path = `${rulesets}${created.body.id}`;
  const { id, text: other } = await addKey(t, organisationId, "read");
  const calls = [stream(`${path}/rules:check`), stream(check, LINES, other)] as const;
  for (const call of calls) call.write("198.51.100.7\n");
  const responses = await Promise.all(calls.map(async (call) => (await once(call, "response"))[0] as IncomingMessage));
  const iterators = responses.map((input) => createInterface({ input })[Symbol.asyncIterator]());
  const next = async (at: number): Promise<any> => JSON.parse((await iterators[at]!.next()).value!);
  const asked = async (at: number): Promise<any> => {
    calls[at]!.write("198.51.100.7\n");
    return next(at);
  };
  assert.equal((await next(0)).matched, false);
  assert.equal((await next(1)).matched, true);
  await ask(t, "POST", `${path}/rules`, { key, body: { ip: "198.51.100.0/24", expires_in_days: 1 } });
  assert.equal((await asked(0)).rule.ip, "198.51.100.0/24");
  t.clock.now += 2 * 86_400_000;
  assert.deepEqual([(await asked(0)).matched, (await asked(1)).matched], [false, false]);
  t.clock.now -= 2 * 86_400_000;
  assert.equal((await asked(0)).matched, true);

  await ask(t, "DELETE", path, { key });
  const deleted = await asked(0);
  assert.equal(deleted.line, 5);
  assert.match(deleted.error, /ruleset.*; nothing after it was read$/);
  const about = { actor: "command:test", at: t.clock.now, organisationId };
  await t.server.store.write({ kind: "revoke-credential", credential: "api", ...about, credentialId: id });
  assert.deepEqual(await asked(1), { line: 3, error: "Unauthorized; nothing after it was read" });
  for (const call of calls) call.destroy();
});

/** Lines between two measurements, each of which collects garbage. */
const MEASURED_EVERY = rounds({ short: 10_000, long: 50_000 });

test("a stream of any length has the results of a bulk check, in constant memory, no faster than it is read", async (context) => {
  const count = rounds({ short: 60_000, long: 400_000 });
  const ips = Array.from({ length: 1000 }, (_, at) => (at % 4 === 0 ? `8.8.${at >> 2}.8` : `203.0.113.${at % 256}`));
  const { body } = await ask(t, "POST", check, { key, body: { ips } });
  const expected = ips.map((ip) => JSON.stringify(body[ip]));
  // Long lines, which do not fit into what the system buffers for a connection that is not read.
  const lines = ips.map((ip) => `${JSON.stringify({ ip, note: "n".repeat(600) })}\n`);
  const call = stream(check, LINES);
  let sent = 0;
  const send = (): void => {
    for (let isTaken = true; isTaken && sent < count; sent += 500)
      isTaken = call.write(lines.slice(sent % 1000, (sent % 1000) + 500).join(""));
    if (sent >= count) call.end();
  };
  call.on("drain", send);
  send();
  const [response] = (await once(call, "response")) as [IncomingMessage];
  // Nothing is read for a while: then the server stops reading too.
  await new Promise((resolve) => setTimeout(resolve, 300));
  const sentUnread = sent;
  let [received, bytes] = [0, 0];
  const growth: number[] = [];
  const before = retainedMemory();
  for await (const line of createInterface({ input: response })) {
    if (line !== expected[received % 1000]) assert.equal(line, expected[received % 1000], `line ${received + 1}`);
    bytes += line.length + 1;
    if (++received % MEASURED_EVERY === 0) growth.push((retainedMemory() - before) >> 20);
  }
  context.diagnostic(
    `${received} lines, ${bytes >> 20} MiB; memory grew by ${growth.join(", ")} MiB; ${sentUnread} sent unread`,
  );
  assert.equal(received, count);
  assert.ok(sentUnread < count, "backpressure reaches the sender");
  // All requests and responses together are 70 MiB, in the long form 460; the amount in flight at one moment varies.
  const median = growth.sort((a, b) => a - b)[growth.length >> 1]!;
  assert.ok(median < 8, "neither requests nor answers wait in memory");
});
