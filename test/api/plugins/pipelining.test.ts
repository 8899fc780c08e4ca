/** Successive requests on one connection: they are processed one at a time, and all are answered, in order. */
import assert from "node:assert/strict";
import { channel } from "node:diagnostics_channel";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { after, before, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { MAX_BEGUN, TurnBudget } from "../../../src/api/http/turn-budget.ts";
import { completeAnswers, type RawAnswer } from "../harness/raw-exchange.ts";
import { addKey, addOrganisation, startServer, type TestServer } from "../start-server.ts";
import { sampled } from "../../rounds.ts";
import { until } from "../../until.ts";

let t: TestServer;
let key: string;
before(async () => {
  t = await startServer();
  key = (await addKey(t, await addOrganisation(t, "pipelining"))).text;
});
after(() => t.close());

const started = channel("http.server.request.start");
const finished = channel("http.server.response.finish");

/**
 * The maximum number of requests of one connection that were in progress at the same time during the work, over all
 * servers of this process.
 */
async function mostUnderWay(work: () => Promise<void>): Promise<number> {
  const underWay = new Map<Socket, number>();
  let most = 0;
  const add = (socket: Socket, change: number): void => {
    underWay.set(socket, (underWay.get(socket) ?? 0) + change);
    most = Math.max(most, underWay.get(socket)!);
  };
  const onStart = (message: unknown): void => add((message as { socket: Socket }).socket, 1);
  const onFinish = (message: unknown): void => add((message as { socket: Socket }).socket, -1);
  started.subscribe(onStart);
  finished.subscribe(onFinish);
  await work();
  started.unsubscribe(onStart);
  finished.unsubscribe(onFinish);
  return most;
}

function get(path: string, id: number | string = "x"): string {
  return `GET ${path} HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: ${id}\r\n\r\n`;
}

function post(id: number | string, body: string, isChunked = false): string {
  const framing = isChunked ? "Transfer-Encoding: chunked" : `Content-Length: ${Buffer.byteLength(body)}`;
  const sent = isChunked ? `${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n0\r\n\r\n` : body;
  return `POST /v1/cbs/lookup HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: ${key}\r\nContent-Type: application/json\r\nX-Request-Id: ${id}\r\n${framing}\r\n\r\n${sent}`;
}

async function open(port = Number(new URL(t.server.url).port)): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  return socket;
}

/** Sends the parts, and reads until there are this many responses or the connection ends. */
async function answersTo(parts: Iterable<string | Buffer>, count: number, isEnded = false): Promise<RawAnswer[]> {
  const socket = await open();
  const received: Buffer[] = [];
  socket.on("data", (bytes) => received.push(bytes)).on("error", () => {});
  for (const part of parts) {
    socket.write(part);
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (isEnded) socket.end();
  const answers: RawAnswer[] = [];
  let rest: Buffer = Buffer.alloc(0);
  const take = (): void => {
    if (received.length === 0) return;
    const bytes = Buffer.concat([rest, ...received.splice(0)]);
    const complete = completeAnswers(bytes);
    answers.push(...complete.answers);
    rest = bytes.subarray(complete.end);
  };
  for (; answers.length < count && !socket.readableEnded; await delay(5)) take();
  socket.destroy();
  take();
  return answers;
}

test("of a thousand requests that come at once no more than two are under way at a time, whether their answers are read or not", async () => {
  for (const path of sampled(["/openapi.json", "/livez", "/nothing", "/v1/cbs/lookup?ip=1.1.1.1"], 4)) {
    const most = await mostUnderWay(async () => {
      const answers = await answersTo([Array.from({ length: 1000 }, (_, id) => get(path, id)).join("")], 100);
      assert.ok(answers.length >= 100);
    });
    assert.ok(most <= 2, `${path}: ${most}`);
  }
  const unread = await mostUnderWay(async () => {
    const socket = await open();
    socket.pause();
    socket.write(get("/openapi.json").repeat(2000));
    await delay(500);
    socket.destroy();
  });
  assert.ok(unread <= 2, String(unread));
});

test("the negative control: a server of node:http by itself has as many under way as have been read", async () => {
  const server = createServer(
    (_request: IncomingMessage, response: ServerResponse) => void setImmediate(() => response.end("ok")),
  );
  await once(server.listen(0, "127.0.0.1"), "listening");
  const most = await mostUnderWay(async () => {
    const socket = await open((server.address() as AddressInfo).port);
    socket.write(get("/").repeat(1000));
    await once(socket, "data");
    socket.destroy();
  });
  server.close();
  assert.ok(most > 100, String(most));
});

test("all are answered in order, however they are cut, with bodies between them", async () => {
  const requests = Array.from({ length: 120 }, (_, id) => {
    if (id % 5 === 1) return post(id, JSON.stringify({ ips: ["1.1.1.1", "203.0.113.7"] }));
    if (id % 5 === 3) return post(id, `{"ips":\r\n\r\n\r\n\r\n["1.1.1.1"]\r\n\r\n}`, true);
    return get(id % 5 === 0 ? "/livez" : "/nothing", id);
  });
  const all = Buffer.from(requests.join(""));
  for (const size of sampled([1, 7, 63, 64, 65, 1000, all.length], 3)) {
    const parts = Array.from({ length: Math.ceil(all.length / size) }, (_, i) =>
      all.subarray(i * size, (i + 1) * size),
    );
    const answers = await answersTo(parts, 120);
    assert.deepEqual(
      answers.map(({ headers }) => headers.get("x-request-id")),
      requests.map((_, id) => String(id)),
      `in pieces of ${size}`,
    );
    assert.deepEqual([...new Set(answers.map(({ status }) => status))].sort(), [200, 404]);
    for (const [id, { body }] of answers.entries())
      if (id % 5 === 3) assert.ok(JSON.parse(String(body))["1.1.1.1"].found !== undefined, String(body));
  }
});

test("a client that sends everything and closes its side gets every response", async () => {
  const answers = await answersTo([Array.from({ length: 50 }, (_, id) => get("/livez", id)).join("")], 50, true);
  assert.equal(answers.length, 50);
});

test("long bodies, and requests after them", async () => {
  const ips = Array.from({ length: 9000 }, (_, i) => `10.0.${i >> 8}.${i & 255}`);
  for (const isChunked of [false, true]) {
    const answers = await answersTo([post("long", JSON.stringify({ ips }), isChunked) + get("/livez", "behind")], 2);
    assert.deepEqual(
      answers.map(({ status, headers }) => [status, headers.get("x-request-id")]),
      [
        [200, "long"],
        [200, "behind"],
      ],
    );
  }
});

test("a malformed request ends the connection, even after others and after CONNECT", async () => {
  const line = /"status":400/;
  // Lines that end in LF only: the parser gets all of them at once, and rejects the first.
  const bare = await answersTo([get("/livez").replaceAll("\r\n", "\n").repeat(100)], 2);
  assert.deepEqual([bare.length, bare[0]!.status], [1, 400]);
  const empty = await answersTo(["\r\n\r\n".repeat(10_000) + get("/livez", "after")], 1);
  assert.deepEqual(
    empty.map(({ status, headers }) => [status, headers.get("x-request-id")]),
    [[200, "after"]],
  );
  const broken = await answersTo([`${get("/livez", 1)}${get("/livez", 2)}NONSENSE\r\n\r\n${get("/livez", 3)}`], 4);
  assert.deepEqual(
    broken.map(({ status }) => status),
    [200, 200, 400],
  );
  assert.match(String(broken[2]!.body), line);
  const tunnel = await answersTo(
    [`CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n${get("/livez")}`, get("/livez"), get("/livez")],
    2,
  );
  assert.deepEqual(
    tunnel.map(({ status }) => status),
    [405],
  );
  assert.equal((await answersTo([get("/livez")], 1))[0]!.status, 200);
});

/** The maximum number of requests that were started in one turn of the event loop, over all servers of this process. */
async function mostBegunInATurn(work: () => Promise<void>): Promise<number> {
  let [count, most, isCounting] = [0, 0, true];
  const onStart = (): void => void (most = Math.max(most, ++count));
  // The budget's own turn starts in the same phase: requests that it starts there count for one turn or the next.
  const onTurn = (): void => {
    count = 0;
    if (isCounting) setImmediate(onTurn);
  };
  started.subscribe(onStart);
  setImmediate(onTurn);
  await work();
  isCounting = false;
  started.unsubscribe(onStart);
  return most;
}

const CONNECTIONS = 300;

/** Short requests behind a body: of a known length that contains an empty line, or chunked. */
function behindBody(isChunked: boolean): string {
  const short = "GET /livez HTTP/1.1\r\nHost:a\r\n\r\n".repeat(100);
  if (isChunked) return post("x", "{}", true) + short;
  const body = `${"x".repeat(3000)}\r\n\r\nx`;
  return `POST / HTTP/1.1\r\nHost:a\r\nContent-Length:${body.length}\r\n\r\n${body}${short}`;
}

/**
 * Connections that all send at once. Each has made a request before: the server accepts only one new connection per
 * turn, together with what it has sent by then.
 */
async function sendAtOnce(port: number, pieces: string[], isAnswered: (received: string) => boolean): Promise<void> {
  const sockets = await Promise.all(Array.from({ length: CONNECTIONS }, () => open(port)));
  const received = (isEnough: (received: string) => boolean): Promise<unknown> =>
    Promise.all(sockets.map((socket) => receive(socket, isEnough)));
  for (const socket of sockets) socket.write(get("/livez"));
  await received((text) => /ok\n?$/.test(text));
  const answered = received(isAnswered);
  for (const piece of pieces) {
    for (const socket of sockets) socket.write(piece);
    await new Promise((resolve) => setImmediate(resolve));
  }
  for (const socket of sockets) socket.end();
  await answered;
  for (const socket of sockets) socket.destroy();
}

function receive(socket: Socket, isEnough: (received: string) => boolean): Promise<void> {
  return new Promise((resolve) => {
    let received = "";
    const take = (bytes: Buffer): void => {
      if (!isEnough((received += bytes))) return;
      socket.off("data", take);
      resolve();
    };
    socket.on("data", take);
  });
}

test("of hundreds of connections whose requests come at once a turn begins no more than its budget, and all are answered", async () => {
  const port = Number(new URL(t.server.url).port);
  const rest = get("/livez").slice(20) + get("/livez").repeat(2);
  const cases = [
    [get("/livez").repeat(3)],
    [get("/openapi.json").repeat(3)],
    // Such bodies once had the parser read what follows: 1,900 requests of a connection began in a turn.
    [behindBody(false)],
    [behindBody(true)],
    // What arrives while the first piece waits, in two pieces; then the client sends no more.
    [get("/livez").slice(0, 20), rest.slice(0, 30), rest.slice(30)],
  ];
  for (const pieces of sampled(cases, 3, 2)) {
    const most = await mostBegunInATurn(() =>
      // An overloaded server closes a connection on which a chunked body is still arriving.
      sendAtOnce(port, pieces, (received) => received.split("HTTP/1.1 200").length > 3 || /: close\r/.test(received)),
    );
    assert.ok(most <= 2 * MAX_BEGUN, `${pieces[0]}: ${most}`);
  }
});

test("the negative control: a server of node:http by itself begins all in a turn", async () => {
  const server = createServer((_request: IncomingMessage, response: ServerResponse) => void response.end("ok"));
  await once(server.listen(0, "127.0.0.1", 1000), "listening");
  const { port } = server.address() as AddressInfo;
  const most = await mostBegunInATurn(() => sendAtOnce(port, [get("/")], (received) => received.endsWith("ok")));
  server.close();
  assert.ok(most > 2 * MAX_BEGUN, String(most));
});

test("those that wait for a turn come by address: one connection of its own does not wait for hundreds of another's", async () => {
  const budget = new TurnBudget();
  const admitted: string[] = [];
  const ask = (origin: string): void => {
    if (!budget.take()) budget.wait({ origin, admit: () => void admitted.push(origin) });
  };
  for (let count = 0; count < 10 * MAX_BEGUN; count++) ask("many");
  ask("one");
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(admitted.length, MAX_BEGUN);
  assert.equal(admitted.indexOf("one"), 1);
  await until("all but the last turn have begun", () => admitted.length >= 9 * MAX_BEGUN + 1);
  assert.ok(budget.take());
});

/** The sizes of the turns in which requests of a millisecond each start, with or without new connections. */
async function turnsOf(isAccepting: boolean): Promise<number[]> {
  const [budget, requests] = [new TurnBudget(), 4 * MAX_BEGUN];
  const turns: number[] = [];
  let inTurn = 0;
  const admit = (): void => {
    const end = performance.now() + 1;
    while (performance.now() < end);
    inTurn++;
  };
  for (let count = 0; count < requests; count++) if (!budget.take()) budget.wait({ origin: "x", admit });
  for (let left = requests - MAX_BEGUN; left > 0; left -= turns.at(-1)!) {
    if (isAccepting) budget.accepted();
    await new Promise((resolve) => setImmediate(resolve));
    turns.push(inTurn);
    inTurn = 0;
  }
  return turns;
}

test("while connections are accepted, one per turn, turns are short", async () => {
  // The possible length of the first turn is not known yet.
  const [, ...short] = await turnsOf(true);
  assert.ok(Math.max(...short) <= 2, String(short));
  assert.ok(Math.min(...short) >= 1, "what has come goes on");
  assert.ok(Math.max(...(await turnsOf(false))) === MAX_BEGUN);
});
