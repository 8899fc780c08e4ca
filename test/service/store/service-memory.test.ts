/**
 * A ruleset that is replaced by a large one: readers see the old one or the new one, in the order of changes, and none
 * of them has to wait.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { copyOf } from "../../../src/service/store/copied-rules.ts";
import { ServiceMemory } from "../../../src/service/store/service-memory.ts";
import type { Rule } from "../../../src/rulesets/rule.ts";
import { columnsOf } from "../../../src/rulesets/rule-columns.ts";
import type { Change, ChangeBody } from "../../../src/store/change.ts";
import type { Ruleset } from "../../../src/store/state.ts";
import { EMPTY_STATE } from "../../../src/store/state.ts";
import { aboutRuleset } from "../rules/about-ruleset.ts";

const MANY = 120_000;
const organisationId = "organisation";
const about = (id: string): Ruleset => aboutRuleset(id, organisationId);

function rule(w0: number, name: string | null = null): Rule {
  return {
    prefix: { family: 4, w0, w1: 0, w2: 0, w3: 0, length: 32 },
    name,
    expiresAt: null,
    createdAt: 1,
    updatedAt: 1,
  };
}

function change(sequence: number, body: ChangeBody): Change {
  return { sequence, stamp: `stamp-${sequence}`, at: sequence, actor: "user:test", organisationId, ...body };
}

const replaced = (sequence: number, count: number): Change => {
  const rules = Array.from({ length: count }, (_, at) => rule(at, `rule ${at}`));
  const parts = Array.from({ length: Math.ceil(count / 8192) }, (_, at) =>
    columnsOf(rules.slice(8192 * at, 8192 * (at + 1))),
  ).flat();
  return change(sequence, { kind: "rules-replaced", rulesetId: "a", rules: parts });
};
const added = (sequence: number, rulesetId: string, w0: number): Change =>
  change(sequence, { kind: "rules", rulesetId, upserts: [rule(w0)], deletes: [] });

async function makeMemory(): Promise<ServiceMemory> {
  const memory = new ServiceMemory();
  await memory.addState({ ...EMPTY_STATE, sequence: 1, rulesets: [about("a"), about("b")] });
  return memory;
}

/** The state that readers see of both rulesets: version and number of rules. */
function seen(memory: ServiceMemory): number[] {
  return ["a", "b"].flatMap((id) => {
    const ruleset = memory.ruleset(organisationId, id);
    return [ruleset?.about.version ?? 0, ruleset?.rules.count ?? 0];
  });
}

test("the old ruleset is used until the new one is complete; other rulesets can change; its own changes wait, in order", async () => {
  const memory = await makeMemory();
  memory.apply([added(2, "a", 7)]);
  const building = memory.apply([replaced(3, MANY)]);
  const behind = memory.apply([
    added(4, "a", 0xffff_0000),
    change(5, { kind: "ruleset", ruleset: { ...about("a"), name: "renamed", version: 5 } }),
  ]);
  assert.equal(memory.apply([added(6, "b", 1)]), undefined);
  assert.deepEqual([memory.sequence, ...seen(memory)], [6, 2, 1, 6, 1]);
  const all = new Set<string>();
  let turns = 0;
  const built = { is: false };
  void Promise.resolve(building).then(() => (built.is = true));
  for (; !built.is; turns++) {
    all.add(seen(memory).join(" "));
    await nextTurn();
  }
  assert.ok(turns > 3, `${turns} turns`);
  assert.deepEqual(
    [...all].filter((state) => !["2 1 6 1", `3 ${MANY} 6 1`, `5 ${MANY + 1} 6 1`].includes(state)),
    [],
  );
  await behind;
  assert.deepEqual(seen(memory), [5, MANY + 1, 6, 1]);
  assert.equal(memory.ruleset(organisationId, "a")!.about.name, "renamed");
  assert.deepEqual(memory.ruleset(organisationId, "a")!.rules.get(rule(77).prefix), rule(77, "rule 77"));
  assert.equal(memory.apply([added(7, "a", 0xffff_0001)]), undefined);
  assert.deepEqual(seen(memory), [7, MANY + 2, 6, 1]);
});

test("a ruleset that is a ruleset that is a ruleset that is replaced twice in a row, and deleted", async () => {
  const memory = await makeMemory();
  const first = memory.apply([replaced(2, MANY)]);
  const second = memory.apply([replaced(3, 5), added(4, "a", 0xffff_0000)]);
  await first;
  await second;
  assert.deepEqual(seen(memory), [4, 6, 1, 0]);
  await Promise.all([
    memory.apply([replaced(5, MANY)]),
    memory.apply([change(6, { kind: "ruleset-deleted", rulesetId: "a" })]),
  ]);
  assert.deepEqual(seen(memory), [0, 0, 1, 0]);
});

test("a restored ruleset with many rules appears with all of them, or not at all", async () => {
  const memory = await makeMemory();
  memory.apply([change(2, { kind: "ruleset-deleted", rulesetId: "a" })]);
  const restored = { is: false };
  const building = memory.apply([
    change(3, { kind: "ruleset", ruleset: { ...about("a"), version: 3 } }),
    replaced(4, MANY),
  ]);
  void Promise.resolve(building).then(() => (restored.is = true));
  const all = new Set<string>();
  for (; !restored.is; await nextTurn()) all.add(seen(memory).join(" "));
  assert.deepEqual(
    [...all].filter((state) => state !== `4 ${MANY} 1 0`),
    ["0 0 1 0"],
  );
  assert.deepEqual([memory.sequence, ...seen(memory)], [4, 4, MANY, 1, 0]);
});

test("rulesets that are being built when everything is reloaded are dropped", async () => {
  const memory = await makeMemory();
  const building = memory.apply([replaced(2, MANY)]);
  const newer = await makeMemory();
  newer.apply([added(3, "a", 1)]);
  memory.replaceWith(newer);
  await building;
  assert.deepEqual(seen(memory), [3, 1, 1, 0]);
  await memory.apply([replaced(4, 3)]);
  assert.deepEqual(seen(memory), [4, 3, 1, 0]);
});

test("rules that are out of order are an error for the reader", async () => {
  const memory = await makeMemory();
  await assert.rejects(
    Promise.resolve(
      memory.apply([
        change(2, {
          kind: "rules-replaced",
          rulesetId: "a",
          rules: [...columnsOf([rule(2)]), ...columnsOf([rule(1)])],
        }),
      ]),
    ),
    RangeError,
  );
});

test("large changes are made to a copy, and become visible at once, in order", async () => {
  const memory = await makeMemory();
  const large = (sequence: number): Change =>
    change(sequence, {
      kind: "rules",
      rulesetId: "a",
      upserts: Array.from({ length: 30_000 }, (_, at) => rule(sequence * 100_000 + at)),
      deletes: sequence === 6 ? Array.from({ length: 10_000 }, (_, at) => rule(300_000 + at).prefix) : [],
    });
  const done = { is: false };
  void Promise.resolve(memory.apply([large(2), large(3), added(4, "a", 7), added(5, "b", 7), large(6)])).then(
    () => (done.is = true),
  );
  const states: string[] = [];
  let turns = 0;
  for (; !done.is; await nextTurn(), turns++)
    if (states.at(-1) !== seen(memory).join(" ")) states.push(seen(memory).join(" "));
  const possible = ["1 0 5 1", "2 30000 5 1", "3 60000 5 1", "4 60001 5 1", "6 80001 5 1"];
  assert.deepEqual(
    states,
    possible.filter((state) => states.includes(state)),
  );
  assert.ok(states.length >= 3 && turns > 10, `${turns} turns: ${states.join(", ")}`);
  assert.deepEqual(seen(memory), [6, 80_001, 5, 1]);
  const { rules } = memory.ruleset(organisationId, "a")!;
  assert.deepEqual(
    [rules.get(rule(300_000).prefix), rules.get(rule(310_000).prefix), rules.get(rule(7).prefix)],
    [undefined, rule(310_000), rule(7)],
  );
});

test("many small changes are not all made in one turn", async () => {
  const memory = await makeMemory();
  const small = (sequence: number): Change =>
    change(sequence, {
      kind: "rules",
      rulesetId: "a",
      upserts: Array.from({ length: 1000 }, (_, at) => rule(sequence * 10_000 + at)),
      deletes: [],
    });
  const done = { is: false };
  const all = Array.from({ length: 100 }, (_, at) => small(2 + at));
  void Promise.resolve(memory.apply(all)).then(() => (done.is = true));
  const versions = new Set<number>();
  for (; !done.is; await nextTurn()) versions.add(seen(memory)[0]!);
  assert.ok(versions.size > 5, [...versions].join(" "));
  assert.ok([...versions].every((version, at) => at === 0 || version > [...versions][at - 1]!));
  assert.deepEqual(seen(memory), [101, 100_000, 1, 0]);
});

test("a ruleset that is being copied changes only when the copy is complete, which is of one version", async () => {
  const memory = await makeMemory();
  await memory.apply([replaced(2, MANY)]);
  const before = memory.ruleset(organisationId, "a")!.rules;
  const copy = copyOf(before);
  assert.equal(copyOf(before), copy, "who asks meanwhile gets the same");
  const renamed = (w0: number): Rule => rule(w0, "renamed");
  const changed = memory.apply([
    change(3, { kind: "rules", rulesetId: "a", upserts: [renamed(0), renamed(MANY - 1)], deletes: [rule(1).prefix] }),
  ]);
  assert.equal(memory.apply([added(4, "b", 1)]), undefined, "another ruleset does not wait");
  assert.deepEqual(seen(memory), [2, MANY, 4, 1]);
  const copied = await copy;
  await changed;
  assert.deepEqual(seen(memory), [3, MANY - 1, 4, 1]);
  assert.equal(memory.ruleset(organisationId, "a")!.rules.get(rule(MANY - 1).prefix)!.name, "renamed");
  assert.deepEqual(
    [copied.count, ...[0, 1, MANY - 1].map((w0) => copied.get(rule(w0).prefix)?.name)],
    [MANY, "rule 0", "rule 1", `rule ${MANY - 1}`],
  );
});
