import assert from "node:assert/strict";
import { createServer } from "node:http";
import { once } from "node:events";
import { type AddressInfo, createServer as createListener } from "node:net";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { FairQueue } from "../../src/service/fair-queue.ts";
import { FairShare } from "../../src/api/http/fair-share.ts";
import { rounds, sampled } from "../rounds.ts";
import { until } from "../until.ts";
import { type HeldShares, watchShares } from "./harness/held-shares.ts";
import { askAlone, goSilent, hangUp, STAGES, type SentRequest, type WholeAnswer } from "./harness/interruptions.ts";
import { SAMPLE_THREATS } from "./harness/service-process.ts";
import { type Walked, WholeWalk } from "./harness/whole-walk.ts";
import { startServer, type TestServer } from "./start-server.ts";

// Every operation of both documents, and the requests of devices, from clients that disconnect, fall silent, or come
// all at once.
const AT_ONCE = rounds({ short: 3, long: 8 });
/** The short form takes one out of this many, a different one in each test. */
const EVERY = 6;
/** The number of clients that are silent at the same time. */
const SILENT_AT_ONCE = 32;
const LIMITS = {
  perMinute: 1e9,
  perMonth: 1e12,
  failuresPerMinute: 1e9,
  signInsPerMinute: 1e9,
  rulesetsPerOrganisation: 100_000,
  logLevel: "error",
} as const;

let shares: HeldShares;
let t: TestServer;
/** A server that waits one second for a body. */
let hasty: TestServer;
let walk: WholeWalk;

before(async () => {
  shares = watchShares();
  const start = (settings: Parameters<typeof startServer>[0]) => startServer(settings, undefined, SAMPLE_THREATS);
  [t, hasty] = await Promise.all([start(LIMITS), start({ ...LIMITS, bodyTimeout: 1 })]);
  walk = await WholeWalk.over(t);
});
after(async () => {
  await Promise.all([t.close(), hasty.close()]);
  shares.stop();
});

const portOf = ({ server }: TestServer): number => Number(new URL(server.url).port);

async function untilNothingIsHeld(name: string): Promise<void> {
  await until(`everything that ${name} held is given back`, () => shares.count() === 0, { every: 1 });
}

/** The error of a response to one of many requests at once; undefined if there is none. */
function errorIn({ answer, received, end }: WholeAnswer): string | undefined {
  if (answer === undefined) return `no whole answer, ${end}: ${received}`;
  if (answer.status === 503 && answer.headers.has("retry-after")) return undefined;
  return answer.status < 500 ? undefined : `${answer.status} ${answer.body.toString()}`;
}

/** The error of a response to a body that does not continue. */
function errorInSilence({ answer, received, end }: WholeAnswer): string | undefined {
  if (end === "stuck") return `the connection stayed open: ${received}`;
  // A stream that has arrived in part may have been answered, but its end must not look as if all of it had been.
  if (answer === undefined) return /^HTTP\/1\.1 (?!5)/.test(received) ? undefined : `${end} without an answer`;
  // If the end of a log has not arrived, what has is kept, and marked as incomplete.
  if (answer.body.includes('"state":"failed"')) return undefined;
  return answer.status >= 400 && answer.status < 500 ? undefined : `answered with ${received}`;
}

test("negative controls: shares that are not released, a server that fails, and one that waits forever are detected", async () => {
  const share = new FairShare(10);
  share.take("x", 1);
  const [queue, done] = [new FairQueue({ atOnce: 1, what: "tasks" }), Promise.withResolvers<void>()];
  const running = queue.run({ who: "x", isKnown: true }, () => done.promise);
  assert.equal(shares.count(), 2);
  share.give("x", 1);
  done.resolve();
  await running;
  assert.equal(shares.count(), 0);

  const request = { method: "POST", path: "/", headers: {}, body: Buffer.from("{}") };
  const failing = createServer((_request, response) => response.writeHead(500).end()).listen(0, "127.0.0.1");
  await once(failing, "listening");
  assert.match(errorIn(await askAlone((failing.address() as AddressInfo).port, request))!, /^500/);
  failing.close();

  const waiting = createListener((socket) => void socket.resume()).listen(0, "127.0.0.1");
  await once(waiting, "listening");
  const report = await goSilent((waiting.address() as AddressInfo).port, request, false, 200);
  assert.match(errorInSilence(report)!, /stayed open/);
  waiting.close();
});

/** Milliseconds until the effects of earlier requests, such as lists of deployments, have been written. */
const [TRIES, PAUSE] = [10, 50];

/**
 * Whether clients that disconnect in the middle of the body change something: a fault does so every time, other writes
 * do not.
 */
async function isHalfABodyTaken({ name, make }: Walked, isChunked: boolean): Promise<boolean> {
  const { memory } = t.server.services;
  for (let tries = 0; tries < TRIES; tries++, await sleep(PAUSE)) {
    const request = await make();
    const before = memory.sequence;
    await hangUp(portOf(t), request, "in the body", isChunked);
    await untilNothingIsHeld(`${name}, gone in the body,`);
    if (memory.sequence === before) return false;
  }
  return true;
}

test("clients that disconnect at any stage: everything is released, and half a body changes nothing", async (c) => {
  const errors: string[] = [];
  for (const [index, walked] of sampled(walk.all, EVERY).entries()) {
    const { name, make, isEndless = false } = walked;
    const isChunked = index % 2 === 1;
    if ((await make()).body !== undefined && (await isHalfABodyTaken(walked, isChunked))) errors.push(name);
    for (const stage of isEndless ? STAGES.slice(-1) : STAGES) {
      await hangUp(portOf(t), await make(), stage, !isChunked);
      await untilNothingIsHeld(`${name}, gone ${stage},`);
    }
  }
  c.diagnostic(`${sampled(walk.all, EVERY).length} of ${walk.all.length} requests, in ${STAGES.length + 1} stages`);
  assert.deepEqual(errors, [], "half a body was taken for all of it");
  assert.equal(t.logged(), "", "errors in the log");
});

test("the same request many times at once: each gets a response, none of them a server error", async (c) => {
  const errors: string[] = [];
  const statuses = new Map<number, number>();
  for (const { name, make, isEndless } of sampled(walk.all, EVERY, 1)) {
    if (isEndless === true) continue;
    const request = await make();
    const reports = await Promise.all(Array.from({ length: AT_ONCE }, () => askAlone(portOf(t), request)));
    for (const report of reports) {
      const error = errorIn(report);
      if (error !== undefined) errors.push(`${name}: ${error}`);
      const status = report.answer?.status ?? 0;
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    await untilNothingIsHeld(name);
  }
  c.diagnostic([...statuses].map((each) => each.join(" x ")).join(", "));
  assert.deepEqual(errors, []);
  assert.equal(t.logged(), "", "errors in the log");
  // The sample has reads, and writes of some kind; which kinds, the seed decides.
  assert.ok(statuses.has(200) && [201, 204, 404, 409].filter((status) => statuses.has(status)).length >= 2);
});

test("half a body and then silence: the server ends the request, and everything is released", async (c) => {
  const errors: string[] = [];
  const statuses = new Map<number, number>();
  const over = await WholeWalk.over(hasty);
  const left: { name: string; request: SentRequest }[] = [];
  for (const { name, make } of sampled(over.all, EVERY, 2)) {
    const request = await make();
    if (request.body !== undefined) left.push({ name, request });
  }
  const work = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const { name, request } = next;
      const index = left.length;
      const report = await goSilent(portOf(hasty), request, index % 2 === 1);
      const error = errorInSilence(report);
      if (error !== undefined) errors.push(`${name}: ${error}`);
      const status = report.answer?.status ?? 0;
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: SILENT_AT_ONCE }, work));
  c.diagnostic([...statuses].map((each) => each.join(" x ")).join(", "));
  assert.deepEqual(errors, []);
  assert.ok(statuses.get(408)! > rounds({ short: 5, long: 15 }));
  await untilNothingIsHeld("bodies that did not go on");
  assert.equal(hasty.logged(), "", "errors in the log");
});
