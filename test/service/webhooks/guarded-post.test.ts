import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { parsePrefix } from "../../../src/address/prefix.ts";
import { GuardedPost } from "../../../src/service/webhooks/guarded-post.ts";
import { WebhookReceiver } from "../../api/harness/webhook-receiver.ts";
import { until } from "../../until.ts";

const TLS = join(import.meta.dirname, "../../update/tls");

let receiver: WebhookReceiver;
before(async () => {
  receiver = await WebhookReceiver.start();
});
after(() => receiver.close());

/**
 * Sends to localhost, whose name resolves to these lists of addresses, one list after another; only 127.0.0.1 may be
 * reached.
 */
async function sendTo(...answers: readonly (readonly string[])[]) {
  let asked = 0;
  const resolve = async (): Promise<readonly string[]> => answers[asked++] ?? [];
  const post = new GuardedPost({ allow: [parsePrefix("127.0.0.1")], resolve });
  const before = receiver.received.length;
  try {
    const result = await post.send(receiver.url.replace("127.0.0.1", "localhost"), {}, "{}");
    return { ...result, asked, arrived: receiver.received.length - before };
  } finally {
    await post.close();
  }
}

test("a name that resolves differently at connection time (DNS rebinding) is not connected to", async () => {
  const refused = { status: null, retryAfter: null, asked: 2, arrived: 0 };
  for (const later of [["127.0.0.2"], ["10.0.0.1"], ["::ffff:127.0.0.2"], ["127.0.0.1", "::1"]]) {
    const { error, ...result } = await sendTo(["127.0.0.1"], later);
    assert.deepEqual(result, refused, later.join());
    assert.match(error, /^localhost resolves to an address that is reserved or in a private network/);
    for (const address of later) assert.ok(!error.includes(address), error);
  }
});

test("negative control: a name that resolves to the same address both times is connected to", async () => {
  const result = await sendTo(["127.0.0.1"], ["127.0.0.1"]);
  assert.deepEqual(result, { status: 204, error: "", retryAfter: null, asked: 2, arrived: 1 });
});

const ALLOWED = ["127.0.0.0/8", "10.1.0.0/16", "fd00::/8"].map((text) => parsePrefix(text));
const LONGEST = `https://example.org/${"x".repeat(1980)}`;

test("a URL is accepted for its form alone, and http only for addresses of any of the allowed ranges", async () => {
  const post = new GuardedPost({ allow: ALLOWED, resolve: async () => ["127.0.0.1"] });
  const byHttp = ["http://127.0.0.1/", "http://10.1.2.3:8080/a?b", "http://[fd00::1]/", "http://localhost/"];
  const byHttps = ["https://example.org/", "https://10.1.255.255/", "https://8.8.8.8/", LONGEST];
  for (const url of [...byHttp, ...byHttps]) assert.equal(await post.errorOf(url), undefined, url);
  const rejected: readonly (readonly [url: string, error: RegExp])[] = [
    ["example.org", /^write a URL, such as https:/],
    ["ftp://example.org/", /^write a URL, such as https:/],
    ["xhttps://example.org/", /^write a URL/],
    [`${LONGEST}x`, /at most 2000 characters/],
    ["https://user@example.org/", /user name or password/],
    ["https://:pass@example.org/", /user name or password/],
    ["https://example.org/\ud800", /half a surrogate pair/],
    ["https://example.org/#top", /fragment/],
    ["https://example.org/#", /fragment/],
    ["http://example.org/", /^use https: only addresses that the operator allows are reached by http$/],
    ["http://10.2.0.0/", /^use https: .*--outbound-allow/],
    ["http://8.8.8.8/", /^use https: .*--outbound-allow/],
    ["http://[fe80::1]/", /^use https: .*--outbound-allow/],
    ["https://10.2.0.0/", /reserved or in a private network/],
    ["https://[fe80::1]/", /reserved or in a private network/],
  ];
  for (const [url, error] of rejected) assert.match((await post.errorOf(url)) ?? "", error, url);
  const elsewhere = new GuardedPost({ allow: ALLOWED, resolve: async () => ["10.2.0.1"] });
  assert.match((await elsewhere.errorOf("http://localhost/"))!, /reserved or in a private network/);
  assert.equal(await elsewhere.errorOf("https://localhost/"), undefined, "names are checked when they are used");
});

test("only 2xx is a success; redirects are not followed; Retry-After is read from other responses", async () => {
  const post = new GuardedPost({ allow: ALLOWED });
  const answered = async (status: number, retryAfter?: string) => {
    const headers = { location: "/elsewhere", ...(retryAfter !== undefined && { "retry-after": retryAfter }) };
    receiver.respond = (response) => void response.writeHead(status, headers).end();
    const before = receiver.received.length;
    const result = await post.send(`${receiver.url}/hook?a=b`, { "x-extra": "1" }, "{}");
    assert.equal(receiver.received.length, before + 1);
    return result;
  };
  const ended = (status: number, error: string, retryAfter: number | null = null) => ({ status, error, retryAfter });
  try {
    for (const status of [200, 204, 299]) assert.deepEqual(await answered(status, "7"), ended(status, ""));
    for (const status of [300, 308, 399])
      assert.deepEqual(await answered(status), ended(status, `status ${status}: redirects are not followed`));
    for (const status of [400, 410, 503]) assert.deepEqual(await answered(status), ended(status, `status ${status}`));
    assert.deepEqual(await answered(429, "7"), ended(429, "status 429", 7000));
    assert.deepEqual(await answered(429, "999999999"), ended(429, "status 429", 999_999_999_000));
    for (const text of ["soon", "9999999999", ""]) assert.equal((await answered(429, text)).retryAfter, null, text);
    assert.equal((await answered(429, "Thu, 01 Jan 1970 00:00:00 GMT")).retryAfter, 0);
    const { retryAfter } = await answered(429, new Date(Date.now() + 3_600_000).toUTCString());
    assert.ok(retryAfter! > 0 && retryAfter! <= 3_600_000, String(retryAfter));
    const { path, headers } = receiver.received.at(-1)!;
    assert.equal(path, "/hook?a=b");
    assert.deepEqual([headers["x-extra"], headers["content-type"], headers.accept], ["1", "application/json", "*/*"]);
  } finally {
    await post.close();
  }
});

test("the connection of a response of 16 KiB is used again, that of a longer one is not", async () => {
  const post = new GuardedPost({ allow: ALLOWED });
  const responses: ServerResponse[] = [];
  const send = async (bytes: number): Promise<Socket | null> => {
    receiver.respond = (response) => void responses.push(response.writeHead(200, { "content-length": bytes }));
    const sent = post.send(receiver.url, {}, "{}");
    await until("the request has arrived", () => responses.length > 0);
    const response = responses.pop()!;
    const { socket } = response;
    response.flushHeaders();
    assert.equal((await sent).status, 200);
    response.end("x".repeat(bytes));
    return socket;
  };
  const isReused = async (socket: Socket | null): Promise<boolean> => {
    for (let again = 0; again < 10; again++) if ((await send(1)) === socket) return true;
    return false;
  };
  try {
    await until("a connection is used again", async () => isReused(await send(1 << 14)));
    assert.ok(!(await isReused(await send((1 << 14) + 1))));
  } finally {
    receiver.respond = (response) => void response.writeHead(204).end();
    await post.close();
  }
});

test("a certificate that is not trusted is told from no response", async () => {
  const [key, cert] = ["key", "crt"].map((name) => readFileSync(join(TLS, `server.${name}`))) as [Buffer, Buffer];
  const server = createServer({ key, cert }, () => assert.fail("it is not sent"));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const post = new GuardedPost({ allow: ALLOWED });
  const { status, error } = await post.send(`https://127.0.0.1:${(server.address() as AddressInfo).port}/`, {}, "{}");
  await post.close();
  server.close();
  assert.equal(status, null);
  assert.match(error, /^the certificate is not trusted \([A-Z_]+\)$/);
});

test("why there is no response is said without an address", async () => {
  const failing = async (url: string, limit?: number, signal?: AbortSignal, resolve = async () => ["127.0.0.1"]) => {
    const post = new GuardedPost({ allow: ALLOWED, resolve }, limit);
    const { status, error, retryAfter } = await post.send(url, {}, "{}", signal);
    await post.close();
    assert.deepEqual([status, retryAfter], [null, null]);
    return error;
  };
  receiver.respond = () => undefined;
  assert.equal(await failing(receiver.url, 50), "no response within 0.05 s");
  const ending = new AbortController();
  receiver.respond = () => ending.abort();
  assert.equal(await failing(receiver.url, undefined, ending.signal), "ended before there was a response");
  assert.equal(await failing("http://127.0.0.1:1/"), "no response (ECONNREFUSED)");
  assert.match(await failing("ftp://127.0.0.1/"), /^write a URL/);
  const nowhere = async (): Promise<string[]> => [];
  assert.match(await failing("https://example.org/", undefined, undefined, nowhere), /^example\.org has no address$/);
  receiver.respond = (response) => void response.writeHead(204).end();
});
