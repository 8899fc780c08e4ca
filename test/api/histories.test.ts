import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Random } from "../snapshot/harness/sample.ts";
import { type Fault, startBrokenServer } from "./fuzz/broken-server.ts";
import { expireExactly } from "./histories/expire-exactly.ts";
import { linearize } from "./histories/linearize.ts";
import { runHistories } from "./histories/run-histories.ts";
import { addKey, addOrganisation, START, startServer, type TestServer } from "./start-server.ts";
import { rounds, sampled } from "../rounds.ts";

const SEED = 20_261_121;
const EXPIRIES = rounds({ short: 2_000, long: 30_000 });

let t: TestServer;
let key = "";
before(async () => {
  t = await startServer({ perMinute: 1e9, perMonth: 1e12, logLevel: "silent" });
  key = (await addKey(t, await addOrganisation(t, "histories"))).text;
});
after(() => t.close());

const OPTIONS = { now: START, seed: SEED, writers: 12, operations: rounds({ short: 30, long: 60 }) };

test("R9: rules are linearizable under concurrent writes, extend never shortens, and every rule is active or expired", async (c) => {
  const { failures, ...report } = await runHistories({ ...OPTIONS, url: t.server.url, key });
  c.diagnostic(JSON.stringify(report));
  assert.deepEqual(failures, []);
  assert.ok(report.ordered > rounds({ short: 200, long: 400 }) && report.reads > 25);
});

/** Answers a read with the result of an earlier read. */
function staleReads(): Fault {
  const before = new Map<string, Awaited<ReturnType<Fault["run"]>>[]>();
  const run: Fault["run"] = async (exchange, ask) => {
    const answer = await ask(exchange);
    if (exchange.method !== "GET" || !exchange.path.includes("/rules/rule")) return answer;
    const seen = before.get(exchange.path) ?? [];
    before.set(exchange.path, seen);
    seen.push(answer);
    return seen.length > 4 && seen.length % 3 === 0 ? seen.at(-4)! : answer;
  };
  return { operation: "getRule", run };
}

test("negative controls: stale reads, partial batches, and extensions that shorten are detected", async () => {
  const overriding: Fault = {
    operation: "addRule",
    run: (exchange, ask) =>
      ask({
        ...exchange,
        body: exchange.body.replace(/^(\{"ip":"203.0.113.9".*)\}$/, '$1,"conflict_resolution":"override"}'),
      }),
  };
  const halved: Fault = {
    operation: "batchRules",
    run: (exchange, ask) =>
      ask({ ...exchange, body: exchange.body.replace(/^\{"items":\[(\{[^}]*\}),.*$/, '{"items":[$1]}') }),
  };
  const controls = [
    [staleReads(), /no order explains/],
    [overriding, /extend has shortened/],
    [halved, /in pairs/],
  ] as const;
  for (const [fault, message] of sampled(controls, 3)) {
    const broken = await startBrokenServer(t.server.url, key, fault);
    const { failures } = await runHistories({ ...OPTIONS, url: broken.url, key });
    broken.close();
    assert.ok(
      failures.some((failure) => message.test(failure)),
      `${message}: ${failures.slice(0, 3).join("\n")}`,
    );
  }
});

test("the linearizability checker: only overlapping operations may be reordered", () => {
  const write = (began: number, ended: number, value: number) => ({ began, ended, apply: (): number => value });
  const read = (began: number, ended: number, value: number) => ({
    began,
    ended,
    apply: (state: number) => (state === value ? state : undefined),
  });
  assert.equal(linearize([write(0, 1, 1), read(2, 3, 1)], 0), 2);
  assert.equal(linearize([write(0, 1, 1), read(2, 3, 0)], 0), 1);
  assert.equal(linearize([write(0, 3, 1), read(1, 2, 0), read(1, 4, 1)], 0), 3);
  assert.equal(linearize([write(0, 3, 1), read(1, 2, 1), read(4, 5, 0)], 0), 2);
});

test("R12: every rule is active one millisecond before its expiry, and not at it or after it, whichever way the clock steps", async (c) => {
  const big = await startServer({
    perMinute: 1e9,
    perMonth: 1e12,
    rulesPerRuleset: EXPIRIES,
    logLevel: "silent",
  });
  try {
    const { text } = await addKey(big, await addOrganisation(big, "expiry"));
    const report = await expireExactly({
      server: big,
      key: text,
      random: new Random(SEED),
      rules: EXPIRIES,
      together: 1000,
    });
    c.diagnostic(JSON.stringify(report));
    assert.deepEqual(report, { rules: EXPIRIES, asked: 3 * EXPIRIES, wrong: 0 });
  } finally {
    await big.close();
  }
});
