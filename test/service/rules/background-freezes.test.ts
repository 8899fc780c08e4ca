import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { createLog } from "../../../src/api/plugins/logging.ts";
import type { Rule } from "../../../src/rulesets/rule.ts";
import { columnsOf } from "../../../src/rulesets/rule-columns.ts";
import { partsOf, type RuleIndex } from "../../../src/rulesets/index/rule-index.ts";
import { BackgroundFreezes } from "../../../src/service/rules/background-freezes.ts";
import { ServiceMemory } from "../../../src/service/store/service-memory.ts";
import { Metrics } from "../../../src/service/usage/metrics.ts";
import type { Change, ChangeBody } from "../../../src/store/change.ts";
import { until } from "../../until.ts";
import { EMPTY_STATE } from "../../../src/store/state.ts";
import { aboutRuleset } from "./about-ruleset.ts";

const organisationId = "organisation";

function rule(w0: number): Rule {
  return {
    prefix: { family: 4, w0: w0 >>> 0, w1: 0, w2: 0, w3: 0, length: 32 },
    name: null,
    expiresAt: null,
    createdAt: 1,
    updatedAt: 1,
  };
}

const rulesFrom = (start: number, count: number): Rule[] =>
  Array.from({ length: count }, (_, at) => rule(start + 512 * at));

/** A memory with rulesets of these sizes, what freezes them, and the outcomes. */
async function setUp(context: TestContext, counts: Readonly<Record<string, number>>) {
  const memory = new ServiceMemory();
  const rulesets = Object.entries(counts).map(([id, count]) => {
    for (const rules of columnsOf(rulesFrom(0, count))) memory.addRules({ rulesetId: id, rules });
    return aboutRuleset(id, organisationId);
  });
  await memory.addState({ ...EMPTY_STATE, sequence: 1, rulesets });
  const metrics = new Metrics();
  const lines: string[] = [];
  const log = createLog("debug", { write: (line) => void lines.push(line) });
  const freezes = new BackgroundFreezes({ memory, metrics, log, firstRetry: 5, rest: 0 });
  context.after(() => freezes.stop());
  const countOf = async (result: "done" | "failed"): Promise<number> =>
    (await metrics.freezes.get()).values.find(({ labels }) => labels.result === result)?.value ?? 0;
  const change = (body: ChangeBody): void | Promise<void> => {
    const sequence = memory.sequence + 1;
    return memory.apply([{ sequence, at: 1, actor: "user:test", organisationId, ...body } as Change]);
  };
  return { memory, freezes, lines, countOf, change, rulesOf: (id: string): RuleIndex => memory.rulesOf(id)! };
}

const isFrozen = (rules: RuleIndex): boolean => partsOf(rules)[0].decider.frozen !== undefined;

test("rulesets are frozen one after the other, in slices, and again after enough writes; small ones are not", async (t) => {
  const { freezes, countOf, change, rulesOf } = await setUp(t, { large: 60_000, other: 20_000, small: 200 });
  freezes.check();
  let turns = 0;
  for (; !isFrozen(rulesOf("large")) || !isFrozen(rulesOf("other")); turns++) {
    assert.ok(turns < 1e6);
    await nextTurn();
  }
  assert.ok(turns > 3, `others had ${turns} turns meanwhile`);
  await until("both are counted", async () => (await countOf("done")) === 2);
  assert.equal(isFrozen(rulesOf("small")), false);

  void change({ kind: "rules", rulesetId: "other", upserts: rulesFrom(7, 200), deletes: [] });
  freezes.check();
  await sleep(20);
  assert.equal(await countOf("done"), 2, "a few changes are not worth a freeze");
  const before = partsOf(rulesOf("other"))[0].decider.frozen;
  void change({ kind: "rules", rulesetId: "other", upserts: rulesFrom(7 + 512 * 200, 200), deletes: [] });
  freezes.check();
  await until("the ruleset is frozen again", async () => (await countOf("done")) === 3);
  const { frozen, changes } = partsOf(rulesOf("other"))[0].decider;
  assert.ok(frozen !== before && frozen!.count === 20_400 && changes === 0);
});

test("a freeze that fails is logged, counted and tried again, later each time; checks stay exact", async (t) => {
  const { freezes, lines, countOf, rulesOf } = await setUp(t, { a: 1000 });
  const rules = rulesOf("a");
  let tries = 0;
  // A test cannot run out of memory on demand: the error is the engine's own.
  rules.freezing = function* () {
    if (++tries === 3) Reflect.deleteProperty(rules, "freezing");
    yield;
    Reflect.construct(ArrayBuffer, [Number.MAX_SAFE_INTEGER]);
  };
  freezes.check();
  await until("the third try", () => tries === 3);
  assert.equal(rules.check(rule(512).prefix, 5).covering.length, 1);
  await until("the ruleset is frozen", async () => (await countOf("done")) === 1);
  assert.equal(await countOf("failed"), 3);
  const errors = lines.map((line) => JSON.parse(line)).filter(({ msg }) => /could not be frozen/.test(msg));
  assert.deepEqual(
    errors.map(({ msg }) => /the next try is in (.*) s/.exec(msg)?.[1]),
    ["0.005", "0.01", "0.02"],
  );
  for (const { err } of errors) assert.match(err.message, /allocation failed/);
  assert.ok(isFrozen(rules));
});

test("a freeze ends without effect when its ruleset is replaced or deleted, and when the server stops", async (t) => {
  const { freezes, countOf, change, rulesOf } = await setUp(t, { replaced: 60_000, deleted: 60_000, last: 60_000 });
  const [replaced, deleted] = [rulesOf("replaced"), rulesOf("deleted")];
  freezes.check();
  await nextTurn();
  await change({ kind: "rules-replaced", rulesetId: "replaced", rules: columnsOf(rulesFrom(3, 1000)) });
  void change({ kind: "ruleset-deleted", rulesetId: "deleted" });
  await until("what took its place is frozen", () => isFrozen(rulesOf("replaced")));
  assert.ok(!isFrozen(replaced) && !isFrozen(deleted));
  const last = rulesOf("last");
  const done = await countOf("done");
  if (!isFrozen(last)) {
    freezes.check();
    await nextTurn();
  }
  await freezes.stop();
  freezes.check();
  await sleep(30);
  assert.equal(await countOf("done"), done);
});

test("the tables of earlier freezes are released", async (t) => {
  const { freezes, countOf, change, rulesOf } = await setUp(t, { a: 60_000 });
  freezes.check();
  await until("the first freeze", async () => (await countOf("done")) === 1);
  // At once, not when the engine decides to.
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const bytesLeft = (): number => {
    collect();
    return process.memoryUsage().arrayBuffers;
  };
  const before = bytesLeft();
  for (let round = 1; round <= 6; round++) {
    void change({ kind: "rules", rulesetId: "a", upserts: rulesFrom(round, 1500), deletes: [] });
    freezes.check();
    await until(`freeze ${round + 1}`, async () => (await countOf("done")) === round + 1);
    void change({ kind: "rules", rulesetId: "a", upserts: [], deletes: rulesFrom(round, 1500).map((r) => r.prefix) });
  }
  const { byteLength } = partsOf(rulesOf("a"))[0].decider.frozen!;
  await until("memory is given back", () => bytesLeft() < before + 3 * byteLength);
});
