import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Random } from "../snapshot/harness/sample.ts";
import {
  EDGE_FAULTS,
  FAULTS,
  startBrokenServer,
  startDoubleServer,
  startMuteServer,
  startSwappingServer,
} from "./fuzz/broken-server.ts";
import { CHECKS, FOLLOW_UPS } from "./fuzz/checks.ts";
import { attackByEarlyAnswers } from "./fuzz/early-answers.ts";
import { fuzz } from "./fuzz/fuzz.ts";
import { type FuzzServer, startFuzzServer } from "./fuzz/fuzz-server.ts";
import { attack } from "./fuzz/hostile-connections.ts";
import { onlyLong, rounds, sampled } from "../rounds.ts";

// R8, short form; the long form is npm run torture -- api.
const SEED = 20_261_121;
const RUNS = rounds({ short: 8, long: 120 });
/** Seconds for which the server of hostile connections waits for a client. */
const LIMIT = 1;
const BUSY_RUNS = rounds({ short: 6, long: 60 });

let t: FuzzServer;
before(async () => {
  // Its time limits are those of a real server: a busy machine may take a second to send a request.
  t = await startFuzzServer();
});
after(() => t.close());

test("good and bad requests generated from the API document, for every operation: no 5xx, every response as documented", async (c) => {
  const { failures, ...report } = await fuzz({ url: t.server.url, key: t.key, seed: SEED, runs: RUNS });
  c.diagnostic(JSON.stringify(report));
  assert.deepEqual(failures, {});
  assert.ok(report.operations >= 27 && report.requests >= RUNS * report.operations);
});

test(
  "an overloaded server sheds some of the same requests, each as documented, and answers the others as usual",
  { skip: onlyLong() },
  async (c) => {
    const busy = await startFuzzServer({ concurrentRequests: 2 });
    c.after(() => busy.close());
    const { failures, ...report } = await fuzz({
      url: busy.server.url,
      key: busy.key,
      seed: SEED,
      runs: BUSY_RUNS,
      sheds: true,
    });
    c.diagnostic(JSON.stringify(report));
    assert.deepEqual(failures, {});
    assert.ok(report.byStatus["503"]! > 20 && report.byStatus["200"]! > 4, "some were shed, and others not");
    const broken = await startBrokenServer(busy.server.url, busy.key, {
      operation: "listRules",
      run: async (exchange, ask) => {
        const answer = await ask(exchange);
        return answer.status === 503 ? { ...answer, headers: { ...answer.headers, "retry-after": undefined } } : answer;
      },
    });
    c.after(() => broken.close());
    const { failures: noticed } = await fuzz({
      url: broken.url,
      key: busy.key,
      seed: SEED,
      runs: BUSY_RUNS,
      sheds: true,
    });
    assert.ok(
      Object.keys(noticed).some((name) => name.startsWith("response_headers_conformance ")),
      "negative control: a server that does not say how long to wait",
    );
  },
);

for (const name of sampled([...Object.keys(CHECKS), ...Object.keys(FOLLOW_UPS)], 3)) {
  test(`negative control: ${name} detects a wrong server`, async () => {
    const fault = FAULTS[name];
    assert.ok(fault !== undefined, "the check has no control");
    const broken = await startBrokenServer(t.server.url, t.key, fault);
    try {
      const { failures } = await fuzz({ url: broken.url, key: t.key, seed: SEED, runs: 150, only: fault.operation });
      assert.deepEqual(Object.keys(failures), [`${name} ${fault.operation}`]);
    } finally {
      broken.close();
    }
  });
}

for (const [name, fault] of Object.entries(EDGE_FAULTS)) {
  test(`negative control: a server that ${name} is detected`, async () => {
    const broken = await startBrokenServer(t.server.url, t.key, fault);
    try {
      const { failures } = await fuzz({ url: broken.url, key: t.key, seed: SEED, runs: 600, only: fault.operation });
      assert.deepEqual(Object.keys(failures), [`${fault.check} ${fault.operation}`]);
    } finally {
      broken.close();
    }
  });
}

test("responses before the end of a body: each request on the connection gets its own response, or the connection is closed", async (c) => {
  const { failures, ...report } = await attackByEarlyAnswers({
    url: t.server.url,
    key: t.key,
    random: new Random(SEED),
    connections: 150,
    bodyBytes: 200_000,
    patience: 60_000,
  });
  c.diagnostic(JSON.stringify(report));
  assert.deepEqual(failures, {});
  assert.ok(report.answered > 100);
});

test("negative control: a server that responds in the wrong order, or not at all, is detected", async () => {
  for (const server of [await startMuteServer(), await startSwappingServer()]) {
    const { failures } = await attackByEarlyAnswers({
      url: server.url,
      key: t.key,
      random: new Random(SEED),
      connections: 3,
      bodyBytes: 1000,
      patience: 2000,
    });
    server.close();
    assert.notDeepEqual(failures, {});
  }
});

test("negative control: hostile connections detect a server that responds twice, and one that never responds", async () => {
  const twice = await startDoubleServer();
  const { failures } = await attack({
    url: twice.url,
    key: t.key,
    random: new Random(SEED),
    connections: 250,
    timeLimit: Infinity,
    patience: 4000,
  });
  twice.close();
  assert.ok(failures.some((failure) => / 2 answers: /.test(failure)));
  assert.ok(failures.some((failure) => /no answer, but/.test(failure)));
});

test("hostile connections: responses are HTTP without 5xx, and the server keeps running", async (c) => {
  const hasty = await startFuzzServer({ headerTimeout: LIMIT, bodyTimeout: LIMIT, keepAlive: LIMIT });
  c.after(() => hasty.close());
  const { failures, ...report } = await attack({
    url: hasty.server.url,
    key: hasty.key,
    random: new Random(SEED),
    connections: 400,
    timeLimit: LIMIT * 1000,
  });
  c.diagnostic(JSON.stringify(report));
  assert.deepEqual(failures, []);
  assert.equal((await fetch(`${hasty.server.url}/readyz`)).status, 200);
});
