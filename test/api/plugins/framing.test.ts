import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { after, before, test } from "node:test";
import { addKey, addOrganisation, startServer, type TestServer } from "../start-server.ts";

let t: TestServer;
let key = "";
before(async () => {
  t = await startServer();
  key = (await addKey(t, await addOrganisation(t, "framing"))).text;
});
after(() => t.close());

const NEXT = "GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";

/** What is received on a connection of its own until the server closes it. */
async function send(text: string): Promise<{ statuses: number[]; text: string }> {
  const { hostname, port } = new URL(t.server.url);
  const socket = connect(Number(port), hostname);
  let got = "";
  socket
    .setEncoding("latin1")
    .on("data", (part: string) => (got += part))
    .on("error", () => {});
  asked = text;
  socket.write(Buffer.from(text, "latin1"));
  await once(socket, "close");
  return { statuses: [...got.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => Number(status)), text: got };
}

/**
 * Every response names the request and says how many requests its address has left; every problem names the path, if it
 * could be read.
 */
function assertTold(text: string): void {
  for (const header of [
    /^x-request-id: [!-~]{1,128}\r$/im,
    /^ratelimit-limit: \d+\r$/im,
    /^ratelimit-remaining: \d+\r$/im,
    /^ratelimit-reset: \d+\r$/im,
  ])
    assert.match(text, header);
  const problem = /\r\n\r\n(\{"type":.*\})/.exec(text)?.[1];
  if (problem === undefined) return;
  const path = /^[A-Z]+ (?:https?:\/\/[^/]+)?(\/[^ ?\r]*)/.exec(asked)?.[1];
  assert.equal(JSON.parse(problem).instance, path ?? "");
}

/** The text that was sent last. */
let asked = "";

const LIVE = "GET /livez HTTP/1.1\r\n";
const LOOKUP = (): string =>
  `POST /v1/cbs/lookup HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\n`;
const BODY = '{"ips":["1.1.1.1"]}';
const CHUNKED = `13\r\n${BODY}\r\n0\r\n\r\n`;

/** Each gets one response, and whatever follows it on the connection gets none. */
const HOSTILE: readonly [what: string, status: number, text: () => string][] = [
  ["two Host headers", 400, () => `${LIVE}Host: a\r\nHost: b\r\n\r\n`],
  ["the same Host header twice", 400, () => `${LIVE}Host: a\r\nhost: a\r\n\r\n`],
  ["no Host header", 400, () => `${LIVE}\r\n`],
  ["a Host header that is no host", 400, () => `${LIVE}Host: a/b@c d\r\n\r\n`],
  ["a Host header with a user", 400, () => `${LIVE}Host: user@evil.example\r\n\r\n`],
  ["a target of another host", 400, () => "GET http://evil.example/livez HTTP/1.1\r\nHost: x\r\n\r\n"],
  ["an unknown Transfer-Encoding", 400, () => `${LOOKUP()}Transfer-Encoding: foo\r\n\r\n${BODY}`],
  ["an unknown Transfer-Encoding without a body", 400, () => `${LIVE}Host: x\r\nTransfer-Encoding: foo\r\n\r\n`],
  ["gzip, chunked", 400, () => `${LOOKUP()}Transfer-Encoding: gzip, chunked\r\n\r\n${CHUNKED}`],
  ["chunked, gzip", 400, () => `${LOOKUP()}Transfer-Encoding: chunked, gzip\r\n\r\n${CHUNKED}`],
  ["identity", 400, () => `${LOOKUP()}Transfer-Encoding: identity\r\n\r\n`],
  ["chunked twice", 400, () => `${LOOKUP()}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n${CHUNKED}`],
  [
    "Content-Length and Transfer-Encoding",
    400,
    () => `${LOOKUP()}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n${CHUNKED}`,
  ],
  [
    "Transfer-Encoding and Content-Length",
    400,
    () => `${LOOKUP()}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n${CHUNKED}`,
  ],
  ["two lengths", 400, () => `${LOOKUP()}Content-Length: 19\r\nContent-Length: 5\r\n\r\n${BODY}`],
  ["the same length twice", 400, () => `${LOOKUP()}Content-Length: 19\r\nContent-Length: 19\r\n\r\n${BODY}`],
  ...["19, 19", "+19", "-1", "1 9", "0x13", "", "19.0", "99999999999999999999"].map(
    (length): [string, number, () => string] => [
      `a length of "${length}"`,
      400,
      () => `${LOOKUP()}Content-Length: ${length}\r\n\r\n${BODY}`,
    ],
  ),
  ["a folded header", 400, () => `${LIVE}Host: x\r\nX-A: b\r\n c\r\n\r\n`],
  ["a folded Transfer-Encoding", 400, () => `${LOOKUP()}Transfer-Encoding:\r\n chunked\r\n\r\n${CHUNKED}`],
  ["lines that end in LF alone", 400, () => "GET /livez HTTP/1.1\nHost: x\n\n"],
  ["a header that ends in LF alone", 400, () => `${LIVE}Host: x\nX-A: b\r\n\r\n`],
  ["CR within a header", 400, () => `${LIVE}Host: x\r\nX-A: a\rb\r\n\r\n`],
  ["NUL within a header", 400, () => `${LIVE}Host: x\r\nX-A: a\0b\r\n\r\n`],
  ["a space before the colon", 400, () => `${LOOKUP()}Transfer-Encoding : chunked\r\n\r\n${CHUNKED}`],
  [
    "HTTP/1.0 with Transfer-Encoding",
    400,
    () => `${LOOKUP().replace("1.1", "1.0")}Connection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n${CHUNKED}`,
  ],
  ["HTTP/2.0", 400, () => "GET /livez HTTP/2.0\r\nHost: x\r\n\r\n"],
  ["HTTP/1.2", 400, () => "GET /livez HTTP/1.2\r\nHost: x\r\n\r\n"],
  ["HTTP/0.9", 400, () => "GET /livez\r\n"],
  ["the preface of HTTP/2", 400, () => "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
  ["TLS", 400, () => "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"],
  ["a chunk of no size", 400, () => `${LOOKUP()}Transfer-Encoding: chunked\r\n\r\nzz\r\n${BODY}\r\n0\r\n\r\n`],
  ["a chunk longer than it says", 400, () => `${LOOKUP()}Transfer-Encoding: chunked\r\n\r\n12\r\n${BODY}\r\n0\r\n\r\n`],
  ["chunks that end in LF alone", 400, () => `${LOOKUP()}Transfer-Encoding: chunked\r\n\r\n13\n${BODY}\n0\n\n`],
  ["headers that are too long", 431, () => `${LIVE}Host: x\r\nX-A: ${"a".repeat(40_000)}\r\n\r\n`],
  ["an expectation that there is not", 417, () => `${LOOKUP()}Expect: 200-ok\r\nContent-Length: 19\r\n\r\n${BODY}`],
  ["CONNECT", 405, () => "CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n"],
  ["another protocol", 200, () => `${LIVE}Host: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`],
];

for (const [what, status, text] of HOSTILE) {
  test(`one response, then the connection ends: ${what}`, async () => {
    const answer = await send(text() + NEXT);
    assert.deepEqual(answer.statuses, [status]);
    assert.match(answer.text, /^connection: close\r$/im);
    assert.match(answer.text, /^x-content-type-options: nosniff\r$/im);
    assertTold(answer.text);
    if (status !== 200) assert.match(answer.text, /^content-type: application\/problem\+json\r$/im);
  });
}

test("negative control: after a good request the next one is answered", async () => {
  for (const host of ["x", "x:80", "127.0.0.1@8090", "[::1]:80"])
    assert.deepEqual((await send(`${LIVE}Host: ${host}\r\n\r\n${NEXT}`)).statuses, [200, 200], host);
  assert.deepEqual((await send(`${LOOKUP()}Transfer-Encoding: chunked\r\n\r\n${CHUNKED}${NEXT}`)).statuses, [200, 200]);
  assert.deepEqual(
    (await send(`${LOOKUP()}Expect: 100-continue\r\nContent-Length: 19\r\n\r\n${BODY}${NEXT}`)).statuses,
    [100, 200, 200],
  );
});

test("a target in absolute form is the same as its path", async () => {
  const { text } = await send(
    `GET http://x/v1/cbs/providers?page_size=1 HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nConnection: close\r\n\r\n`,
  );
  assert.match(text, /"next":"http:\/\/x\/v1\/cbs\/providers\?page_size=1&page=2"/);
});

test("the error of a malformed request waits for the responses to earlier ones, and never interrupts a response", async () => {
  const ips = Array.from({ length: 9000 }, (_, i) => `10.${i >> 8}.${i & 255}.1`);
  const body = JSON.stringify({ ips });
  const { statuses, text } = await send(`${LOOKUP()}Content-Length: ${body.length}\r\n\r\n${body}BAD\r\n\r\n`);
  assert.deepEqual(statuses, [200, 400]);
  const [, first = ""] = text.split("\r\n\r\n");
  const answer = first
    .replace(/^[0-9a-f]+\r\n/, "")
    .replaceAll(/\r\n[0-9a-f]+\r\n/g, "")
    .replace(/\r\n0$/, "");
  assert.deepEqual(Object.keys(JSON.parse(answer)), ips);
});
