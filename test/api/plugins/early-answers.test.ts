import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { after, before, describe, test } from "node:test";
import { Worker } from "node:worker_threads";
import { type EarlyCase, EarlyAnswers } from "../harness/early-answers.ts";
import type { LateBody } from "../harness/late-body.ts";
import { exchange, errorIn, type SlowRequest, smuggledRequests } from "../harness/raw-exchange.ts";
import { onlyLong, rounds, sampled } from "../../rounds.ts";

/** More than fits into the buffers of a connection; the streams respond with five times as much. */
const LARGEST = rounds({ short: 2 << 20, long: 5 << 20 });
const SIZES = [1024, 200_000, 1 << 20, LARGEST];
const AT_A_TIME = 8;

interface LabelledRequest {
  readonly name: string;
  readonly request: SlowRequest;
}

/** A small body and one of the larger ones in turn, each with a length and in chunks. */
function requestsOf(cases: readonly EarlyCase[]): LabelledRequest[] {
  return cases.flatMap(({ name, request, letter }, index) => {
    const sizes = letter === undefined ? [SIZES[0]!, SIZES[1 + (index % 3)]!] : [SIZES[1]!];
    return sizes.flatMap((size) => {
      const body = letter === undefined ? smuggledRequests(size) : Buffer.alloc(size, letter);
      return (["length", "chunked"] as const).map((framing) => ({
        name: `${name}, ${framing}, ${size} bytes`,
        request: { ...request, framing, body },
      }));
    });
  });
}

/**
 * Runs all exchanges, several at a time, and returns what was wrong with them and the number of first responses by
 * status.
 */
async function runAll(
  port: number,
  requests: readonly LabelledRequest[],
): Promise<{ errors: string[]; statuses: Map<number, number> }> {
  const errors: string[] = [];
  const statuses = new Map<number, number>();
  let next = 0;
  const work = async (): Promise<void> => {
    for (let index = next++; index < requests.length; index = next++) {
      const { name, request } = requests[index]!;
      const report = await exchange(port, request);
      const status = report.answers[0]?.status;
      if (status !== undefined) statuses.set(status, (statuses.get(status) ?? 0) + 1);
      const fault = errorIn(report);
      if (fault !== undefined) errors.push(`${name}: ${status ?? "-"}: ${fault}`);
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
  return { errors, statuses };
}

describe("a response before the end of the body", () => {
  let service: EarlyAnswers;
  /** A server for which every request is one too many. */
  let busy: EarlyAnswers;
  before(async () => {
    [service, busy] = await Promise.all([EarlyAnswers.start(), EarlyAnswers.start({ concurrentRequests: 0 })]);
  });
  after(() => Promise.all([service.test.close(), busy.test.close()]));

  test("negative controls: a server that takes the body for requests, and one that never responds again", async () => {
    const answer = (id: string) => `HTTP/1.1 400 Bad Request\r\nX-Request-Id: ${id}\r\nContent-Length: 0\r\n\r\n`;
    for (const [answers, fault] of [
      [[answer("first"), answer("smuggled")], /body were read as a request/],
      [[answer("first")], /never answered/],
    ] as const) {
      const server = createServer(
        (socket) =>
          void socket
            .on("error", () => {})
            .once("data", () => socket.write(answers.join("")))
            .resume(),
      ).listen(0, "127.0.0.1");
      await once(server, "listening");
      const report = await exchange(
        (server.address() as AddressInfo).port,
        { method: "POST", path: "/", headers: {}, framing: "length", body: smuggledRequests(1000) },
        500,
      );
      assert.match(String(errorIn(report)), fault);
      server.close();
    }
  });

  test("every operation, every early response: the next request gets its own response, or the connection is closed", async (t) => {
    // Coprime to the number of requests of a case: all sizes and framings occur.
    const requests = sampled(requestsOf(service.cases()), 59);
    const { errors, statuses } = await runAll(service.port, requests);
    t.diagnostic(
      `${service.operations.length} operations, ${requests.length} requests; answers: ${[...statuses]
        .sort(([a], [b]) => a - b)
        .map((each) => each.join(" x "))
        .join(", ")}`,
    );
    // 406 is decided when the whole body has been read.
    for (const status of [400, 401, 403, 404, ...(onlyLong() === false ? [405, 409, 413, 415, 429] : [])])
      assert.ok(statuses.has(status), `no answer was ${status}`);
    assert.deepEqual(errors, []);
  });

  test("every operation of an overloaded server", async () => {
    const { errors, statuses } = await runAll(
      busy.port,
      sampled(requestsOf(busy.cases().filter(({ name }) => name.endsWith("no credentials"))), 17),
    );
    assert.deepEqual([...statuses.keys()], [503]);
    assert.deepEqual(errors, []);
  });

  test("a body that arrives in time while the process is busy beyond that time is read, not cut off", async (t) => {
    // Of the first service, this address has asked too often without a key.
    const idle = await EarlyAnswers.start();
    t.after(() => idle.test.close());
    const go = new Int32Array(new SharedArrayBuffer(4));
    /** The last one exceeds what is read to keep the connection. */
    const workers = [1000, 900_000, 2 << 20].map(
      (length) =>
        new Worker(new URL("../harness/late-body.ts", import.meta.url), {
          workerData: { port: idle.port, length, go } satisfies LateBody,
        }),
    );
    await Promise.all(workers.map((worker) => once(worker, "message")));
    const ends = workers.map(async (worker) => (await once(worker, "message"))[0]);
    Atomics.store(go, 0, 1);
    Atomics.notify(go, 0);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3500);
    assert.deepEqual(await Promise.all(ends), [
      "HTTP/1.1 401, HTTP/1.1 200, closed",
      "HTTP/1.1 401, HTTP/1.1 200, closed",
      "HTTP/1.1 401, closed",
    ]);
  });
});
