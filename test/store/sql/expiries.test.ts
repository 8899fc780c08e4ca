import assert from "node:assert/strict";
import { test } from "node:test";
import { formatPrefix } from "../../../src/address/prefix.ts";
import { eventsOf } from "../../../src/store/packed-events.ts";
import type { ConflictMode } from "../../../src/rulesets/write-rule.ts";
import { columnsOfTexts } from "../harness/columns.ts";
import { adding, by } from "../harness/stores.ts";
import { sqliteStores, type SmallStore } from "../harness/sqlite-stores.ts";

const withStore = sqliteStores();

/** An organisation of a store. */
type Small = Omit<SmallStore, "replica" | "blocklist" | "file">;

/** A list of rules that expire at this time. */
function listOf(texts: readonly string[], expiresAt: number) {
  const list = columnsOfTexts(texts);
  for (const each of list) each.expiresAt.fill(expiresAt);
  return list;
}

/** What a test of expiries does: at a time, by the clock of the server that does it. */
function clockIn({ store, owned, organisation, allowlist }: Small) {
  let last = 2;
  return {
    add: (at: number, text: string, expiresAt: number | null, mode: ConflictMode = "override") =>
      store.write({ kind: "add-rule", ...owned, ...by(at), request: adding(text, { expiresAt, mode }) }),
    allow: (at: number, text: string, expiresAt: number | null) =>
      store.write({
        kind: "add-rule",
        ...owned,
        rulesetId: allowlist.id,
        ...by(at),
        request: adding(text, { expiresAt }),
      }),
    expire: (at: number) => store.write({ kind: "expire-rules", ...by(at) }),
    /** The expiries since it was asked last. */
    async expired(): Promise<string[]> {
      const { rows, sequence } = await store.read("events", organisation.id, last, 1_000_000);
      const all = rows.flatMap((row) => [...eventsOf(row, last)]);
      last = sequence;
      return all.flatMap((event) =>
        event.type === "rule.expired" ? [`${formatPrefix(event.rule.prefix)} ${event.at}`] : [],
      );
    },
  };
}

test("expiries of all rulesets are in one order, each once, at the moment that they are due", () =>
  withStore(async (small) => {
    const { add, allow, expire, expired } = clockIn(small);
    assert.equal(await small.store.read("nextExpiry"), null);
    await add(10, "192.0.2.2", 100);
    await add(10, "192.0.2.1", 100);
    await allow(10, "192.0.2.3", 100);
    await allow(10, "192.0.2.4", 99);
    await add(10, "192.0.2.5", 101);
    await add(10, "192.0.2.6", null);
    assert.equal(await small.store.read("nextExpiry"), 99);
    await expire(98);
    assert.deepEqual(await expired(), []);
    await expire(100);
    assert.deepEqual(await expired(), ["192.0.2.4 99", "192.0.2.3 100", "192.0.2.1 100", "192.0.2.2 100"]);
    assert.equal(await small.store.read("nextExpiry"), 101);
    await small.store.write({
      kind: "import-rules",
      ...small.owned,
      rules: listOf(["192.0.2.7"], 500),
      mode: "extend",
      ...by(101),
    });
    assert.deepEqual(await expired(), ["192.0.2.5 101"]);
    assert.equal(await small.store.read("nextExpiry"), 500);
  }));

test("a list of one ruleset appends the expiries of others, too", () =>
  withStore(async (small) => {
    const { allow, expired } = clockIn(small);
    await allow(10, "192.0.2.3", 100);
    await small.store.write({
      kind: "import-rules",
      ...small.owned,
      rules: listOf(["192.0.2.7"], 500),
      mode: "extend",
      ...by(101),
    });
    assert.deepEqual(await expired(), ["192.0.2.3 100"]);
  }));

const AHEAD = 1000;
/**
 * What is written at 20 while the feed has all expiries up to 1,000, and what expires at which of the times after that:
 * by rules that were announced (192.0.2.1, at 500), and by what is written.
 */
const WRITTEN: readonly (readonly [
  name: string,
  write: (clock: ReturnType<typeof clockIn>, small: Small) => Promise<unknown>,
  expired: readonly string[],
])[] = [
  ["nothing", async () => undefined, []],
  ["a rule that expires before", ({ add }) => add(20, "192.0.2.9", 60), ["192.0.2.9 60"]],
  ["a rule that expires at the same moment", ({ add }) => add(20, "192.0.2.9", AHEAD), [`192.0.2.9 ${AHEAD}`]],
  ["a rule that expires later", ({ add }) => add(20, "192.0.2.9", AHEAD + 1), [`192.0.2.9 ${AHEAD + 1}`]],
  ["a rule that does not expire", ({ add }) => add(20, "192.0.2.9", null), []],
  ["the announced rule, with another time", ({ add }) => add(20, "192.0.2.1", 60), ["192.0.2.1 60"]],
  ["the announced rule, without a time", ({ add }) => add(20, "192.0.2.1", null), []],
  [
    "several rules at once, one of which expires before",
    ({ add }) => Promise.all([add(20, "192.0.2.9", 60), add(20, "192.0.2.8", null), add(20, "192.0.2.7", 5000)]),
    ["192.0.2.9 60", "192.0.2.7 5000"],
  ],
  [
    "a batch, one of which expires before",
    (_, { store, owned }) =>
      store.write({
        kind: "batch-rules",
        ...owned,
        items: [{ add: adding("192.0.2.8") }, { add: adding("192.0.2.9", { expiresAt: 70 }) }],
        atomic: true,
        ...by(20),
      }),
    ["192.0.2.9 70"],
  ],
  [
    "a list",
    (_, { store, owned }) =>
      store.write({ kind: "import-rules", ...owned, rules: listOf(["192.0.2.9"], 80), mode: "override", ...by(20) }),
    ["192.0.2.9 80"],
  ],
  [
    "a list that is refused once it has written the announced rule",
    (_, { store, owned }) =>
      assert.rejects(
        store.write({
          kind: "import-rules",
          ...owned,
          rules: listOf(["192.0.2.1", "192.0.2.8", "192.0.2.9", "192.0.2.10", "192.0.2.11"], 600),
          mode: "override",
          ...by(20),
        }),
        { code: "batch-refused" },
      ),
    [],
  ],
];

test("a clock that was ahead announces nothing twice and hides nothing that is written after it", () =>
  withStore(
    async ({ replica, store }) => {
      const cases = [];
      for (const [name, write, expected] of WRITTEN) {
        const { organisation, allowlist, blocklist } = await replica.organisation(name);
        const owned = { organisationId: organisation.id, rulesetId: blocklist.id };
        const small = { store, organisation, allowlist, owned };
        cases.push({ name, write, expected, small, clock: clockIn(small) });
      }
      const expire = (at: number) => store.write({ kind: "expire-rules", ...by(at) });
      for (const { clock } of cases) {
        await clock.add(10, "192.0.2.1", 500);
        await clock.allow(10, "192.0.2.2", 500);
      }
      await expire(AHEAD);
      for (const { clock } of cases) assert.deepEqual(await clock.expired(), ["192.0.2.2 500", "192.0.2.1 500"]);
      for (const { name, write, small, clock } of cases) {
        await write(clock, small);
        assert.deepEqual(await clock.expired(), [], name);
      }
      for (const at of [21, 59, 499, AHEAD, 10_000]) await expire(at);
      for (const { name, expected, clock } of cases) assert.deepEqual(await clock.expired(), expected, name);
      assert.equal(await store.read("nextExpiry"), null);
    },
    { rulesPerRuleset: 4 },
  ));
