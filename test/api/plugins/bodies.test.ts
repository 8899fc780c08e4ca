/** Bodies sent to block other clients: too many, too long, too slow, and responses that are not read. */
import assert from "node:assert/strict";
import { request } from "node:http";
import { connect, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { fileURLToPath } from "node:url";
import type { Settings } from "../../../src/service/settings.ts";
import { addUser } from "../dashboard/browser.ts";
import { addKey, addOrganisation, ask, startServer, type TestServer } from "../start-server.ts";
import { rounds, sampled } from "../../rounds.ts";
import { until } from "../../until.ts";

const THREATS = fileURLToPath(new URL("../../../data/cti-sample.ipsieve", import.meta.url));

async function start(context: TestContext, settings: Partial<Settings> = {}): Promise<TestServer> {
  const t = await startServer(
    { perMinute: 1e6, failuresPerMinute: 1e6, signInsPerMinute: 1e6, logLevel: "warn", ...settings },
    undefined,
    THREATS,
  );
  context.after(() => t.close());
  return t;
}

const newKey = async (t: TestServer, name: string): Promise<string> =>
  (await addKey(t, await addOrganisation(t, name))).text;

/** A connection from an address of this machine. */
async function open({ server }: TestServer, localAddress: string, first: string): Promise<Socket> {
  const socket = connect({ port: Number(new URL(server.url).port), host: "127.0.0.1", localAddress });
  socket.on("error", () => {});
  await new Promise<void>((resolve) => socket.once("connect", resolve));
  socket.write(first);
  return socket;
}

/** The status of a request from an address of this machine whose body arrives in pieces. */
function statusFrom(
  { server }: TestServer,
  localAddress: string,
  method: string,
  path: string,
  headers: Record<string, string>,
  pieces: readonly string[] = [],
): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(
      server.url + path,
      { method, localAddress, headers },
      (response) => void response.resume().once("end", () => resolve(response.statusCode!)),
    );
    sent.once("error", reject);
    const writeNext = (index: number): void => {
      if (index === pieces.length) sent.end();
      else sent.write(pieces[index], () => setTimeout(writeNext, 30, index + 1));
    };
    writeNext(0);
  });
}

const JSON_TYPE = { "Content-Type": "application/json" };

test("every JSON operation on many items: a body is rejected beyond the length that the operation can need, whatever its items", async (context) => {
  const t = await start(context);
  const key = await newKey(t, "long bodies");
  const { id } = (await ask(t, "GET", "/v1/edl/ip-rulesets/", { key })).body.items[0];
  const bulk: [path: string, member: string][] = [
    ["/v1/cbs/lookup", "ips"],
    ["/v1/cti/bulk_lookup", "ips"],
    ["/bulk_lookup", "ips"],
    [`/v1/edl/ip-rulesets/${id}/rules:check`, "ips"],
    [`/v1/edl/ip-rulesets/${id}/rules:batch`, "items"],
  ];
  for (const [path, member] of sampled(bulk, 6, 1)) {
    const sendOf = (part: string, count: number): Promise<{ status: number; text: string }> =>
      ask(t, "POST", path, { key, body: `{"${member}":[${part.repeat(count)}${part.slice(0, -1)}]}` });
    for (const part of ["{},", "1,", '"",', "[[[[]]]],", '{"a":1,"b":2},']) {
      const tooMany = await sendOf(part, 12_000);
      assert.equal(tooMany.status, 400, `${path} ${part}: ${tooMany.text.slice(0, 300)}`);
      assert.match(
        tooMany.text,
        new RegExp(`${member}: must not have more than 10000 items|must not have more than 10000`),
        path,
      );
      assert.ok(tooMany.text.length < 2000, tooMany.text.slice(0, 300));
      const wrong = await sendOf(part, 5000);
      assert.ok(
        wrong.status === 400 || (wrong.status === 200 && part === '"",'),
        `${path} ${part}: ${wrong.text.slice(0, 300)}`,
      );
      assert.ok(wrong.text.length < 60_000, `${path} ${part}: ${wrong.text.length}`);
    }
    // It is never read completely: the response arrives while it is still being sent.
    const socket = await open(
      t,
      "127.0.0.1",
      `POST ${path} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\nContent-Length: 63000000\r\n\r\n{"${member}":[{},{},`,
    );
    const [answer] = (await new Promise<Buffer>((resolve) => socket.once("data", resolve))).toString().split("\r\n");
    assert.equal(answer, "HTTP/1.1 413 Payload Too Large", path);
    socket.destroy();
  }
});

test("the first 200 errors of a body are listed, with the total", async (context) => {
  const t = await start(context);
  const key = await newKey(t, "errors");
  const { body } = await ask(t, "POST", "/v1/cbs/lookup", {
    key,
    body: { ips: Array.from({ length: 1000 }, (_, i) => `nothing ${i}`) },
  });
  assert.equal(Object.keys(body.validation_errors).length, 201);
  assert.deepEqual(body.validation_errors.ips, ["more than 200 addresses are malformed; the first 200 are named"]);
  const wrong = await ask(t, "POST", "/v1/cbs/lookup", { key, body: { ips: Array.from({ length: 1000 }, () => 7) } });
  assert.equal(Object.keys(wrong.body.validation_errors).length, 200);
  const { id } = (await ask(t, "GET", "/v1/edl/ip-rulesets/", { key })).body.items[0];
  const items = Array.from({ length: 1000 }, () => ({ op: "delete", ip: "nothing" }));
  const batch = await ask(t, "POST", `/v1/edl/ip-rulesets/${id}/rules:batch`, { key, body: { items } });
  assert.deepEqual(
    [Object.keys(batch.body.validation_errors).length, batch.body.validation_errors.items],
    [201, ["1000 items are malformed; the first 200 are named"]],
  );
});

test("bodies in other charsets, and compressed ones, get 415", async (context) => {
  const t = await start(context);
  const key = await newKey(t, "codings");
  const { id } = (await ask(t, "GET", "/v1/edl/ip-rulesets/", { key })).body.items[0];
  for (const [method, path, type] of [
    ["POST", "/v1/cbs/lookup", "application/json"],
    ["PUT", `/v1/edl/ip-rulesets/${id}/rules`, "text/plain"],
    ["POST", "/v1/cti/bulk_lookup", "application/x-ndjson"],
  ]) {
    const send = (headers: Record<string, string>, body: unknown) => ask(t, method!, path!, { key, headers, body });
    const text = type === "application/json" ? '{"ips":["1.1.1.1"]}' : "1.1.1.1\n";
    for (const charset of ["utf-8", "UTF8", '"utf-8"'])
      assert.equal((await send({ "Content-Type": `${type}; charset=${charset}` }, text)).status, 200, charset);
    for (const charset of ["iso-8859-1", "utf-16le", "windows-1252"])
      assert.equal((await send({ "Content-Type": `${type};charset=${charset}` }, text)).status, 415, charset);
    const packed = await send({ "Content-Type": type!, "Content-Encoding": "gzip" }, gzipSync(text));
    assert.deepEqual([packed.status, packed.headers.get("accept-encoding")], [415, "identity"]);
  }
});

test("bodies that do not arrive prevent no one else from signing in or working, and are given up when others need their slots", async (context) => {
  const t = await start(context, { concurrentRequests: 200 });
  const organisation = await addOrganisation(t, "slow bodies");
  const key = (await addKey(t, organisation)).text;
  await addUser(t, organisation, "admin", "ann");
  const head = `POST /dashboard/api/session HTTP/1.1\r\nHost: x\r\nOrigin: ${t.server.url}\r\nSec-Fetch-Site: same-origin\r\nContent-Type: application/json\r\nContent-Length: 60\r\n\r\n{`;
  const held = await Promise.all(Array.from({ length: 400 }, (_, i) => open(t, `127.0.0.${2 + (i % 50)}`, head)));
  await sleep(300);
  const signIn = JSON.stringify({ name: "ann", password: "not the password" });
  const headers = {
    ...JSON_TYPE,
    Origin: t.server.url,
    "Sec-Fetch-Site": "same-origin",
    "Content-Length": String(signIn.length),
  };
  assert.equal(
    await statusFrom(t, "127.0.0.1", "POST", "/dashboard/api/session", headers, [signIn]),
    401,
    "in one piece",
  );
  assert.equal(
    await statusFrom(t, "127.0.0.1", "POST", "/dashboard/api/session", headers, [signIn.slice(0, 9), signIn.slice(9)]),
    401,
    "in two",
  );
  assert.equal(
    await statusFrom(t, "127.0.0.2", "POST", "/dashboard/api/session", headers, [signIn]),
    401,
    "from an address of the attack",
  );
  assert.equal(
    await statusFrom(t, "127.0.0.1", "GET", "/v1/cbs/lookup?ip=1.1.1.1", { "X-API-Key": key }),
    200,
    "with a key",
  );
  assert.equal(
    await statusFrom(t, "127.0.0.1", "POST", "/v1/cbs/lookup", { ...JSON_TYPE, "X-API-Key": key }, [
      '{"ips":["1.1',
      '.1.1"]}',
    ]),
    200,
    "with a key and a body in two pieces",
  );
  for (const socket of held) socket.destroy();
});

test("bodies of one key that do not arrive leave room for those of others", async (context) => {
  const t = await start(context, { concurrentRequests: 100 });
  const [greedy, other] = [await newKey(t, "greedy"), await newKey(t, "other")];
  const slow = (key: string): string =>
    `POST /v1/cbs/lookup HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\nContent-Length: 20\r\n\r\n{`;
  const held = await Promise.all(Array.from({ length: 120 }, () => open(t, "127.0.0.1", slow(greedy))));
  const inTwo = (key: string) =>
    statusFrom(t, "127.0.0.1", "POST", "/v1/cbs/lookup", { ...JSON_TYPE, "X-API-Key": key }, [
      '{"ips":["1.1',
      '.1.1"]}',
    ]);
  await until("the server waits for all bodies that one key may have", async () => (await inTwo(greedy)) === 503);
  assert.equal(await inTwo(other), 200);
  assert.equal(
    (await ask(t, "POST", "/v1/cbs/lookup", { key: greedy, body: { ips: ["1.1.1.1"] } })).status,
    200,
    "what comes in one piece is never waited for",
  );
  for (const socket of held) socket.destroy();
  await until("the places are given back", async () => (await inTwo(greedy)) === 200);
});

/** A bulk lookup with the maximum number of addresses: some 170 kB. */
function longLookup(key: string): { readonly head: string; readonly body: string } {
  const body = JSON.stringify({ ips: Array.from({ length: 10_000 }, (_, i) => `198.51.${100 + (i >> 8)}.${i & 255}`) });
  const head = `POST /v1/cti/bulk_lookup HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
  return { head, body };
}

/** The status line and headers of the first response on a connection. */
const headOf = (socket: Socket): Promise<string> =>
  new Promise((resolve) => {
    let text = "";
    socket.on("data", (bytes) => {
      text += String(bytes);
      if (text.includes("\r\n\r\n")) resolve(text.slice(0, text.indexOf("\r\n\r\n")));
    });
  });

/** Requests in progress at most. */
const PROGRESS = rounds({ short: 25, long: 60 });

test("of the long bodies that one key sends at once, as many as there may be requests in progress may wait, those beyond are shed; others have theirs read", async (context) => {
  const t = await start(context, { concurrentRequests: PROGRESS });
  const [greedy, other] = [await newKey(t, "greedy"), await newKey(t, "other")];
  const { head, body } = longLookup(greedy);
  const sockets = await Promise.all(Array.from({ length: 1.6 * PROGRESS }, () => open(t, "127.0.0.1", "")));
  const answers = sockets.map(headOf);
  for (const socket of sockets) socket.write(head + body);
  const others = ask(t, "POST", "/v1/cti/bulk_lookup", { key: other, body: longLookup(other).body });
  const heads = await Promise.all(answers);
  const served = heads.filter((text) => text.startsWith("HTTP/1.1 200 "));
  const shed = heads.filter((text) => text.startsWith("HTTP/1.1 503 "));
  assert.equal(served.length + shed.length, 1.6 * PROGRESS);
  // Half of the twice as many that may wait: no caller gets more than what is still free.
  assert.ok(served.length >= PROGRESS && shed.length > 0, `${served.length} served, ${shed.length} shed`);
  for (const text of shed) {
    assert.match(text, /\r\nretry-after: 1(\r\n|$)/);
    assert.match(text, /\r\nconnection: keep-alive(\r\n|$)/i);
    assert.match(text, /\r\nx-sequence: \d+(\r\n|$)/);
  }
  assert.equal((await others).status, 200);
  for (const socket of sockets) socket.destroy();
  assert.equal(
    (await ask(t, "POST", "/v1/cti/bulk_lookup", { key: greedy, body })).status,
    200,
    "nothing is left held",
  );
});

test("each of many long waiting bodies, cut anywhere, gets a response for its own addresses", async (context) => {
  const t = await start(context);
  const key = await newKey(t, "many");
  const of = (index: number): string[] => Array.from({ length: 8000 }, (_, i) => `10.${index}.${i >> 8}.${i & 255}`);
  const asked = Array.from({ length: rounds({ short: 8, long: 30 }) }, async (_, index) => {
    const ips = of(index);
    const body = JSON.stringify({ ips });
    const head = `POST /v1/cti/bulk_lookup HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n`;
    const socket = await open(t, "127.0.0.1", "");
    const text = (async () => Buffer.concat(await socket.toArray()).toString())();
    const cut = 1 + ((index * 1777) % (head.length + body.length - 1));
    socket.write((head + body).slice(0, cut));
    await sleep(1);
    socket.write((head + body).slice(cut));
    const answer = await text;
    const found = JSON.parse(answer.slice(answer.indexOf("{"), answer.lastIndexOf("}") + 1));
    return { index, isOwn: JSON.stringify(Object.keys(found)) === JSON.stringify(ips) };
  });
  const wrong = (await Promise.all(asked)).filter(({ isOwn }) => !isOwn);
  assert.deepEqual(wrong, []);
});

test("the negative control: more long bodies than one key may have parsed, waiting for their client, are in no one's way", async (context) => {
  const t = await start(context);
  const key = await newKey(t, "slow");
  const { head, body } = longLookup(key);
  const sockets = await Promise.all(Array.from({ length: 150 }, () => open(t, "127.0.0.1", head + body.slice(0, 100))));
  const lookUp = async () => (await ask(t, "POST", "/v1/cti/bulk_lookup", { key, body })).status;
  await until("what has come of them is parsed", async () => (await lookUp()) === 200);
  assert.ok(sockets.filter((socket) => !socket.destroyed && socket.bytesRead === 0).length > 64);
  assert.equal(await lookUp(), 200);
  for (const socket of sockets) socket.destroy();
});

test("a body of a public operation is rejected beyond 4 KiB before it is read", async (context) => {
  const t = await start(context);
  for (const path of ["/dashboard/api/session", "/dashboard/api/join", "/dashboard/api/setup"]) {
    const headers = { Origin: t.server.url, "Sec-Fetch-Site": "same-origin" };
    assert.equal((await ask(t, "POST", path, { headers, body: { name: "x".repeat(5000) } })).status, 413, path);
    const socket = await open(
      t,
      "127.0.0.1",
      `POST ${path} HTTP/1.1\r\nHost: x\r\nSec-Fetch-Site: same-origin\r\nContent-Type: application/json\r\nContent-Length: 940000\r\n\r\n`,
    );
    assert.match(
      (await new Promise<Buffer>((resolve) => socket.once("data", resolve))).toString(),
      /^HTTP\/1\.1 413 /,
      path,
    );
    socket.destroy();
  }
});

const bytesHeld = async (t: TestServer): Promise<number> =>
  Number(/^ipsieve_body_bytes (\d+)$/m.exec((await ask(t, "GET", "/metrics")).text)?.[1]);

test("bodies in memory share one budget: beyond it 503, one key gets half of it, and everything is released", async (context) => {
  const t = await start(context, { bodyMemory: 2 << 20, rulesPerRuleset: 1_000_000 });
  const [greedy, other] = [await newKey(t, "greedy"), await newKey(t, "other")];
  const idOf = async (key: string) => (await ask(t, "GET", "/v1/edl/ip-rulesets/", { key })).body.items[0].id;
  const [id, otherId] = [await idOf(greedy), await idOf(other)];
  const lines = Array.from({ length: 20_000 }, (_, i) => `20.${i >> 16}.${(i >> 8) & 255}.${i & 255}\n`).join("");
  const head = `PUT /v1/edl/ip-rulesets/${id}/rules HTTP/1.1\r\nHost: x\r\nX-API-Key: ${greedy}\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n`;
  const chunk = `${Buffer.byteLength(lines).toString(16)}\r\n${lines}\r\n`;
  const held = await Promise.all(Array.from({ length: 8 }, () => open(t, "127.0.0.1", head + chunk)));
  await until("the bodies have arrived", async () => (await bytesHeld(t)) >= 600_000);
  const put = (key: string, own: string, body: string) =>
    ask(t, "PUT", `/v1/edl/ip-rulesets/${own}/rules`, { key, headers: { "Content-Type": "text/plain" }, body });
  const refused = await put(greedy, id, lines.repeat(3));
  assert.deepEqual([refused.status, refused.headers.get("retry-after")], [503, "1"]);
  assert.equal((await put(other, otherId, lines)).status, 200);
  for (const socket of held) socket.destroy();
  await until("no body is held", async () => (await bytesHeld(t)) === 0);
  assert.equal((await put(greedy, id, lines)).status, 200);
  assert.equal((await put(greedy, id, lines.repeat(5))).status, 413, "what can never be held is told so at once");
});

test("unread responses count: their key gets 503 until they are read, others continue", async (context) => {
  const t = await start(context, { bodyMemory: 1 << 20, bodyTimeout: 600 });
  const [greedy, other] = [await newKey(t, "greedy"), await newKey(t, "other")];
  const { id } = (await ask(t, "GET", "/v1/edl/ip-rulesets/", { key: greedy })).body.items[0];
  const rules = Array.from({ length: 1000 }, (_, i) => ({ ip: `20.0.${i >> 8}.${i & 255}`, name: "x".repeat(200) }));
  assert.equal((await ask(t, "PUT", `/v1/edl/ip-rulesets/${id}/rules`, { key: greedy, body: { rules } })).status, 200);
  const page = (key: string) => ask(t, "GET", `/v1/cbs/lookup?ip=1.1.1.1`, { key });
  const get = `GET /v1/edl/ip-rulesets/${id}/rules?page_size=1000 HTTP/1.1\r\nHost: x\r\nX-API-Key: ${greedy}\r\n\r\n`;
  const held = await Promise.all(Array.from({ length: 4 }, () => open(t, "127.0.0.1", get)));
  for (const socket of held) socket.pause();
  // The kernel buffers several megabytes of them; they are requested one by one, as too many at once would be rejected
  // immediately.
  let { status } = await page(greedy);
  for (let asked = 0; asked < 200 && status === 200; asked++) {
    for (const socket of held) socket.write(get);
    await sleep(10);
    ({ status } = await page(greedy));
  }
  assert.equal(status, 503);
  assert.equal((await page(other)).status, 200);
  for (const socket of held) socket.destroy();
  await until("the key is served again", async () => (await page(greedy)).status === 200);
});

test("connections: one address gets only a share, others can connect; trusted proxies have no limit", async (context) => {
  const t = await start(context, { connections: 40, trustProxy: "127.0.0.9" });
  const held = await Promise.all(
    Array.from({ length: 60 }, () => open(t, "127.0.0.2", "GET /livez HTTP/1.1\r\nHost: x\r\n\r\n")),
  );
  await until("each is answered or closed", () => held.every((socket) => socket.bytesRead > 0 || socket.destroyed));
  assert.equal(held.filter((socket) => socket.bytesRead > 0).length, 20);
  assert.equal(await statusFrom(t, "127.0.0.3", "GET", "/livez", {}), 200);
  const proxied = await Promise.all(
    Array.from({ length: 19 }, () => open(t, "127.0.0.9", "GET /livez HTTP/1.1\r\nHost: x\r\n\r\n")),
  );
  await until("each is answered", () => proxied.every((socket) => socket.bytesRead > 0));
  for (const socket of [...held, ...proxied]) socket.destroy();
});

test("a response before the end of its body: the connection continues, or is closed and says so; the rest is not a request", async (context) => {
  const t = await start(context);
  const key = await newKey(t, "early answers");
  const next = `GET /v1/cbs/lookup?ip=8.8.8.8 HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n\r\n`;
  const cases: [what: string, path: string, headers: string, length: number, ...statuses: number[]][] = [
    ["a line that is too long", "/v1/cti/bulk_lookup", `X-API-Key: ${key}\r\nContent-Type: text/plain`, 200_000, 200],
    ["no key", "/v1/cbs/lookup", "Content-Type: application/json", 200_000, 401],
    ["no key", "/v1/cbs/lookup", "Content-Type: application/json", 20_000, 401],
    ["no path", "/v1/nowhere", "Content-Type: application/json", 200_000, 404],
    ["another type", "/v1/cbs/lookup", `X-API-Key: ${key}\r\nContent-Type: image/png`, 50_000, 415],
    ["too long", "/v1/cbs/lookup", `X-API-Key: ${key}\r\nContent-Type: application/json`, 5_000_000, 413, 400],
  ];
  for (const [what, path, headers, length, ...statuses] of cases) {
    for (const isChunked of [false, true]) {
      const framing = isChunked ? "Transfer-Encoding: chunked" : `Content-Length: ${length}`;
      const socket = await open(t, "127.0.0.1", `POST ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n${framing}\r\n\r\n`);
      let received = "";
      socket.setEncoding("latin1").on("data", (text: string) => (received += text));
      const body = "x".repeat(length);
      socket.write(isChunked ? `${length.toString(16)}\r\n${body}\r\n0\r\n\r\n` : body);
      socket.write(next);
      await until(
        `${what}, ${length}, ${isChunked}: both are answered, or the connection is closed`,
        () => received.split("HTTP/1.1 ").length >= 3 || socket.closed,
      );
      const [, first = "", second, ...others] = received.split("HTTP/1.1 ");
      assert.ok(statuses.includes(Number(first.slice(0, 3))), `${what}: ${first}`);
      assert.equal(others.length, 0);
      if (second === undefined) assert.match(first, first.startsWith("200") ? /./ : /connection: close/i, what);
      else assert.match(second, /^200 [^]*"ip":"8\.8\.8\.8"/, what);
      socket.destroy();
    }
  }
});

test("a list that is sent again with the same Idempotency-Key has the first answer coming, whatever its type; another list has not", async (context) => {
  const t = await start(context);
  const key = await newKey(t, "lists again");
  const { id } = (await ask(t, "GET", "/v1/edl/ip-rulesets/", { key })).body.items[0];
  const json = (ip: string): object => ({ body: { rules: [{ ip }] } });
  const text = (ip: string): object => ({
    body: `${ip}\n${"# a comment\n".repeat(10_000)}`,
    headers: { "Content-Type": "text/plain" },
  });
  for (const [method, path] of [
    ["PUT", "rules"],
    ["POST", "rules:import"],
  ] as const) {
    for (const [index, list] of [json, text].entries()) {
      const send = (ip: string): ReturnType<typeof ask> => {
        const options = list(ip) as { body: unknown; headers?: object };
        return ask(t, method, `/v1/edl/ip-rulesets/${id}/${path}`, {
          key,
          ...options,
          headers: { ...options.headers, "idempotency-key": `${path}-${index}` },
        });
      };
      const first = await send(`8.8.${index}.8`);
      assert.equal(first.status, 200, first.text);
      const again = await send(`8.8.${index}.8`);
      assert.deepEqual([again.status, again.body], [200, first.body], `${method} ${path}: ${again.text}`);
      assert.equal((await send("9.9.9.9")).status, 422, `${method} ${path}`);
    }
  }
});

test("a body that is no list may be as long as is set, however it arrives", async (context) => {
  const t = await start(context, { bodyBytes: 100 << 10 });
  const key = await newKey(t, "long");
  const path = "/v1/edl/ip-rulesets/";
  const { id } = (await ask(t, "GET", path, { key })).body.items[0];
  const body = JSON.stringify({ description: "in pieces" }) + " ".repeat(80 << 10);
  const headers = { ...JSON_TYPE, "X-API-Key": key };
  assert.equal(await statusFrom(t, "127.0.0.1", "PATCH", path + id, headers, [body.slice(0, 10), body.slice(10)]), 200);
  assert.equal((await ask(t, "GET", path + id, { key })).body.description, "in pieces");
});
