/** What the server says of requests that it rejects before, or without, the operation: exactly, and with whose id. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { Duplex } from "node:stream";
import { after, before, test } from "node:test";
import { answerClientError } from "../../../src/api/plugins/framing.ts";
import { withListErrors } from "../../../src/api/plugins/json-body.ts";
import type { SocketAnswers } from "../../../src/api/plugins/socket-answers.ts";
import { JsonListError } from "../../../src/json/json-list.ts";
import { definitionOf } from "../../deployments/definition-of.ts";
import { until } from "../../until.ts";
import { addKey, addOrganisation, ask, startServer, type TestServer } from "../start-server.ts";

let t: TestServer;
let key = "";
before(async () => {
  t = await startServer();
  key = (await addKey(t, await addOrganisation(t, "told"))).text;
});
after(() => t.close());

/** What is received until the server closes the connection, whose client sends no more but reads on. */
async function send(text: string): Promise<string> {
  const { hostname, port } = new URL(t.server.url);
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
  let got = "";
  socket
    .setEncoding("latin1")
    .on("data", (part: string) => (got += part))
    .on("end", () => socket.end())
    .on("error", () => {});
  socket.write(text);
  if (!text.endsWith(OPEN)) socket.end();
  await once(socket, "close");
  return got;
}

const OPEN = "Content-Length: 99999999\r\n\r\n";
const get = (path: string, headers = ""): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;
const post = (headers: string): string =>
  `POST /v1/cbs/lookup HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nX-Request-Id: mine-1\r\nContent-Type: application/json\r\n${headers}`;
const body = (text: string): string => post(`Content-Length: ${text.length}\r\n\r\n${text}`);
const keyed = (headers: string): string => `X-API-Key: ${key}\r\n${headers}`;

const CHALLENGE = 'www-authenticate: ApiKey realm="api", header="X-API-Key"';
const MINE = "x-request-id: mine-1";

/** The head and the body of the one response; each must have the text. */
const ROWS: readonly (readonly [what: string, text: () => string, status: number, head: string, told: string])[] = [
  ["no key", () => get("/v1/cbs/providers"), 401, CHALLENGE, "/problems/"],
  ["no session", () => get("/dashboard/api/audit"), 401, 'www-authenticate: Session realm="dashboard"', "/problems/"],
  ["a path that is too long, where nothing is", () => get(`/${"a".repeat(9000)}`), 414, "", "longer than 8192 bytes"],
  ["nothing at a path", () => get("/a"), 404, "", "nothing is served at /a"],
  [
    "a sequence that is no number",
    () => get("/v1/cbs/providers", keyed("X-After-Sequence: 1x\r\n")),
    400,
    "",
    '"X-After-Sequence":["must be a whole number, as in the X-Sequence header of a response"]',
  ],
  ["a coding that is not chunked", () => post("Transfer-Encoding: foo\r\n\r\n"), 400, "", "is not chunked"],
  [
    "a chunk without a size",
    () => post("Transfer-Encoding: chunked\r\n\r\nzz\r\n"),
    400,
    MINE,
    "not an HTTP/1.1 request",
  ],
  ["a body that will be too long", () => post(OPEN), 413, MINE, "/problems/content-too-large"],
  ["letters without quotes", () => body("z".repeat(20)), 400, MINE, "0"],
  [
    "another method of HTTP",
    () => "CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\nX-Request-Id: mine-1\r\n\r\n",
    405,
    MINE,
    "CONNECT is not supported",
  ],
];

for (const [what, text, status, head, told] of ROWS)
  test(`${what}: ${status}`, async () => {
    const answer = await send(text());
    assert.ok(answer.startsWith(`HTTP/1.1 ${status} `), answer);
    const [heads = "", problem = ""] = answer.split("\r\n\r\n");
    assert.ok(heads.toLowerCase().includes(head.toLowerCase()), heads);
    assert.ok(problem.includes(told) && !problem.includes("nested"), problem);
  });

test("a client that sends no more gets its response, and then the end", async () => {
  const answer = await send(get("/livez", "X-After-Sequence: 1x\r\n"));
  assert.match(answer, /^HTTP\/1\.1 200 /);
  assert.match(answer, /^ratelimit-limit: \d+\r$/im, "without a key, the window of the address");
});

test("a connection that is gone gets no response", () => {
  const given: string[] = [];
  const answers = { answer: (_: Duplex, kind: string) => given.push(kind) } as unknown as SocketAnswers;
  const make = () => new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() });
  const fail = (code: string, socket: Duplex): boolean => {
    answerClientError(answers)(Object.assign(new Error(code), { code }), socket);
    return socket.destroyed;
  };
  assert.equal(fail("ECONNRESET", make()), true);
  assert.equal(fail("HPE_INVALID_METHOD", make().end()), true);
  assert.deepEqual(given, []);
  assert.equal(fail("HPE_INVALID_METHOD", make()), false);
  assert.deepEqual(given, ["validation-error"]);
});

test("an error of a list is the client's; any other is not", () => {
  const failing = (error: Error) => () =>
    withListErrors(() => {
      throw error;
    });
  const other = new RangeError("bad");
  assert.throws(failing(other), (error) => error === other);
  assert.throws(failing(new JsonListError("bad")), { code: "invalid" });
});

test("a request waits only since its turn began, however long the server has run", async (context) => {
  const eventLoopDelay = 1000;
  const running = await startServer({ eventLoopDelay });
  context.after(() => running.close());
  await until("the process has run for longer", () => performance.now() > 2 * eventLoopDelay);
  // A busy machine may really keep one waiting.
  await until("a request is served", async () => (await ask(running, "GET", "/v1/cbs/providers")).status === 401);
});

test("a device that has its list is told so before the framework, but not if anything else is wrong", async () => {
  const organisationId = await addOrganisation(t, "device");
  const definition = definitionOf({ include: [{ prefixes: ["192.0.2.0/24"] }] });
  const about = { actor: "command:test", at: t.clock.now, organisationId, name: "edge", definition };
  const { deployment } = await t.server.store.write({ kind: "create-deployment", ...about });
  const { lists, feedTokens } = t.server.services.publishing;
  await until("the list is published", () => lists.served(deployment.id) !== undefined);
  const path = `/feeds/${feedTokens.tokenOf(deployment)}/combined.txt`;
  const tag = /^etag: (.+)\r$/im.exec(await send(get(path)))![1]!;
  const statusOf = async (headers: string) =>
    Number((await send(get(path, `If-None-Match: ${tag}\r\n${headers}`))).split(" ")[1]);
  assert.equal(await statusOf(""), 304);
  assert.equal(await statusOf("Host: y\r\n"), 400);
  assert.equal(await statusOf("Expect: 200-ok\r\n"), 417);
});
