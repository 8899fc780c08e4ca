import assert from "node:assert/strict";
import { test } from "node:test";
import { formatPrefix, parsePrefix } from "../../../src/address/prefix.ts";
import type { Rule } from "../../../src/rulesets/rule.ts";
import { openStore } from "../../../src/store/open-store.ts";
import type { Event } from "../../../src/store/event.ts";
import { eventsOf } from "../../../src/store/packed-events.ts";
import type { Store } from "../../../src/store/store.ts";
import { columnsOfTexts } from "../harness/columns.ts";
import { runSql } from "../harness/run-sql.ts";
import { adding, by } from "../harness/stores.ts";
import { sqliteStores } from "../harness/sqlite-stores.ts";

const DAY = 86_400_000;
const withStore = sqliteStores();

/** So many addresses, each a rule. */
function texts(count: number, first = 10): string[] {
  return Array.from({ length: count }, (_, i) => `${first}.${i >> 16}.${(i >> 8) & 255}.${i & 255}`);
}

async function toldAfter(store: Store, organisationId: string, after: number): Promise<string[]> {
  const { sequence } = await store.read("events", organisationId, 0, 1);
  const all: Event[] = [];
  for (let last = after; last < sequence; last = all.at(-1)!.sequence)
    for (const row of (await store.read("events", organisationId, last, 100_000)).rows)
      all.push(...eventsOf(row, last));
  assert.deepEqual(
    all.map((event) => event.sequence),
    Array.from({ length: sequence - after }, (_, i) => after + 1 + i),
    "without a gap",
  );
  return all.map((event) => ("rule" in event ? `${event.type} ${formatPrefix(event.rule.prefix)}` : event.type));
}

test("changes are sent as they were made, and read again from the file", () =>
  withStore(async ({ replica, store, owned, blocklist }) => {
    const prefix = parsePrefix("192.0.2.1");
    await replica.addRule(blocklist, "192.0.2.1", "a");
    await store.write({ kind: "update-rule", ...owned, prefix, changes: { name: "b", expiresAt: 900 }, ...by(5) });
    await store.write({ kind: "delete-rule", ...owned, prefix, ...by(6) });
    await store.write({
      kind: "replace-rules",
      ...owned,
      rules: columnsOfTexts(["192.0.2.2", "2001:db8::"]),
      ...by(7),
    });
    await store.write({ kind: "update-ruleset", ...owned, name: "n".repeat(100), description: "d", ...by(8) });
    const found = await store.changesAfter(0);
    const seen = replica.memory.seen;
    assert.deepEqual(found.slice(-seen.length), seen);
    assert.deepEqual(await store.changesAfter(seen.at(-1)!.sequence), []);
  }));

test("changes are read a few thousand rules at a time, at least one", () =>
  withStore(async ({ store, owned }) => {
    const { sequence } = await store.load(null);
    const batch = (count: number, name: string) =>
      store.write({
        kind: "batch-rules",
        ...owned,
        items: texts(count).map((text) => ({ add: adding(text, { name, mode: "override" }) })),
        atomic: false,
        ...by(5),
      });
    const longs = [2000, 2000, 1, 4001, 1];
    for (const [index, count] of longs.entries()) await batch(count, `name ${index}`);
    const pages = [];
    for (let after = sequence; after < sequence + longs.length; after += pages.at(-1)!)
      pages.push((await store.changesAfter(after)).length);
    assert.deepEqual(pages, [2, 1, 1, 1]);
  }));

test("a change is deleted when it is as old as changes are kept, if a hundred thousand have followed it", () =>
  withStore(async ({ replica, store, blocklist, file }) => {
    for (const last of [1, 2, 3]) await replica.addRule(blocklist, `192.0.2.${last}`);
    const { sequence } = replica.memory;
    const copy = `${file}.old`;
    await store.backup(copy);
    const now = 10 * DAY;
    await runSql({ file: copy }, `update changes set at = ${now - DAY} + (sequence > ${sequence - 2})`);
    await runSql({ file: copy }, "update store set sequence = 101999");
    await runSql({ file: copy }, "update changes set sequence = sequence - 1000000");
    await runSql({ file: copy }, "update changes set sequence = sequence + 1000999");
    const old = await openStore({ file: copy }, { auditDays: 1 });
    await old.write({ kind: "create-organisation", name: "b", ...by(now) });
    await old.close();
    assert.equal(await runSql({ file: copy }, "select min(sequence) as result from changes"), 999 + sequence - 1);
  }));

test("the audit log has each change with its author and the states before and after it", () =>
  withStore(async ({ store, owned, organisation, blocklist }) => {
    const organisationId = organisation.id;
    const { ruleset } = await store.write({
      kind: "update-ruleset",
      ...owned,
      name: "renamed",
      actor: "user:a",
      at: 3,
    });
    const guarded = { kind: "set-guard-classes", organisationId, guardClasses: ["dns"] } as never;
    await store.write({ ...(guarded as object), actor: "command:root", at: 4 } as never);
    const plan = { area: "cbs", active: true, until: 77, perMinute: 5, perMonth: 6 } as const;
    await store.write({ kind: "set-plan", organisationId, ...plan, actor: "user:b", at: 5 });
    await store.write({
      kind: "batch-rules",
      ...owned,
      items: ["192.0.2.1", "192.0.2.2"].map((text) => ({ add: adding(text) })),
      atomic: true,
      actor: "user:a",
      at: 6,
    });
    await store.write({ kind: "delete-rule", ...owned, prefix: parsePrefix("192.0.2.1"), actor: "user:a", at: 7 });
    const { entries, nextBefore } = await store.read("audit", organisationId, { limit: 5 });
    const rule = (text: string): Rule => {
      return { prefix: parsePrefix(text), name: null, expiresAt: null, createdAt: 6, updatedAt: 6 };
    };
    const none = { count: 0, only: null };
    const facts = entries.map(({ at, actor, command, rulesetId, ruleCount, rules, isKept, old, new: now }) => {
      return { at, actor, command, rulesetId, ruleCount, rules, isKept, old, now };
    });
    const ofEntity = { rulesetId: null, ruleCount: null, rules: null, isKept: false };
    const ofRules = { rulesetId: blocklist.id, isKept: true, old: null, now: null };
    assert.deepEqual(facts.slice(0, 2), [
      {
        at: 7,
        actor: "user:a",
        command: "delete-rule",
        ...ofRules,
        ruleCount: 1,
        rules: {
          added: none,
          changed: none,
          deleted: { count: 1, only: parsePrefix("192.0.2.1") },
          before: [rule("192.0.2.1")],
          beforeCount: 1,
          after: [],
          afterCount: 0,
        },
      },
      {
        at: 6,
        actor: "user:a",
        command: "batch-rules",
        ...ofRules,
        ruleCount: 2,
        rules: {
          added: { count: 2, only: null },
          changed: none,
          deleted: none,
          before: [],
          beforeCount: 0,
          after: ["192.0.2.1", "192.0.2.2"].map(rule),
          afterCount: 2,
        },
      },
    ]);
    assert.deepEqual(
      facts.slice(2),
      [
        { at: 5, actor: "user:b", command: "set-plan", ...ofEntity, old: null, now: { organisationId, ...plan } },
        {
          at: 4,
          actor: "command:root",
          command: "set-guard-classes",
          ...ofEntity,
          old: organisation,
          now: { ...organisation, guardClasses: ["dns"] },
        },
        {
          at: 3,
          actor: "user:a",
          command: "update-ruleset",
          ...ofEntity,
          rulesetId: blocklist.id,
          old: blocklist,
          now: { ...ruleset, version: 0, stamp: "" },
        },
      ].map((each, index) => (index < 2 ? each : { ...each, now: facts[4]!.now })),
    );
    assert.equal((facts[4]!.now as { name: string }).name, "renamed");
    for (const { sequence } of entries)
      assert.deepEqual(
        await store.read("auditEntry", organisationId, sequence),
        entries.find((entry) => entry.sequence === sequence),
      );
    assert.equal(await store.read("auditEntry", crypto.randomUUID(), entries[0]!.sequence), null);
    const numbers = entries.map(({ sequence }) => sequence);
    assert.equal(nextBefore, numbers.at(-1));
    const QUERIES = [
      [{ limit: 2 }, [0, 1], true],
      [{ limit: 2, before: numbers[1]! }, [2, 3], true],
      [{ limit: 9, rulesetId: blocklist.id, from: 2 }, [0, 1, 4], false],
      [{ limit: 9, actor: "user:b" }, [2], false],
      [{ limit: 9, actor: "command:*" }, [3], false],
      [{ limit: 9, command: "batch-rules" }, [1], false],
      [{ limit: 9, from: 4, until: 6 }, [2, 3], false],
      [{ limit: 9, from: 7 }, [0], false],
      [{ limit: 1, from: 7 }, [0], false],
      [{ limit: 9, from: 8 }, [], false],
    ] as const;
    for (const [query, found, isMore] of QUERIES) {
      const page = await store.read("audit", organisationId, query);
      assert.deepEqual(
        page.entries.map(({ sequence }) => numbers.indexOf(sequence)),
        found,
        JSON.stringify(query),
      );
      assert.equal(page.nextBefore, isMore ? numbers[found.at(-1)!] : null);
    }
    const brief = await store.read("audit", organisationId, { limit: 1, isBrief: true });
    assert.deepEqual(brief.entries[0], { ...entries[0], rules: null, isKept: brief.entries[0]!.isKept });
  }));

test("authors of rules are told by the times of their changes, unless two of one millisecond were theirs", () =>
  withStore(async ({ store, owned }) => {
    const { organisationId, rulesetId } = owned;
    const add = (text: string, actor: string, at: number) =>
      store.write({ kind: "add-rule", ...owned, request: adding(text), actor, at });
    await add("192.0.2.1", "user:a", 5);
    await add("192.0.2.2", "user:a", 6);
    await add("192.0.2.3", "user:a", 6);
    await add("192.0.2.4", "user:a", 7);
    await add("192.0.2.5", "user:b", 7);
    const at = [7, 6, 5, 4].map((each) => ({ rulesetId, at: each }));
    const asked = [...at, { rulesetId: crypto.randomUUID(), at: 5 }];
    assert.deepEqual(await store.read("ruleAuthors", organisationId, asked), [null, "user:a", "user:a", null, null]);
    assert.deepEqual(await store.read("ruleAuthors", crypto.randomUUID(), at), [null, null, null, null]);
  }));

test("a long change, and what it replaced, is restored as a short one is, with an event for each rule", () =>
  withStore(async ({ replica, store, owned, organisation }) => {
    for (const [index, count] of [0, 1, 4000, 4001].entries()) {
      const name = `name ${index}`;
      const before = texts(count, 10);
      await store.write({ kind: "replace-rules", ...owned, rules: columnsOfTexts(before, name), ...by(10) });
      const { sequence: from } = await store.read("events", organisation.id, 0, 1);
      const state = () => replica.memory.contents().rules;
      const rules = state();
      await store.write({ kind: "delete-ruleset", ...owned, ...by(20) });
      const { sequence } = replica.memory;
      await store.write({ kind: "restore-ruleset", organisationId: organisation.id, sequence, ...by(30) });
      const last = replica.memory.seen.at(-1)!;
      assert.equal(last.kind, count === 0 ? "ruleset" : count > 4000 ? "rules-replaced" : "rules", `${count} rules`);
      const told = await toldAfter(store, organisation.id, from);
      assert.deepEqual(told, ["ruleset.deleted", "ruleset.created", ...before.map((text) => `rule.created ${text}`)]);
      const after = state();
      assert.deepEqual(JSON.stringify(after), JSON.stringify(rules).replaceAll('"updatedAt":10', '"updatedAt":30'));
    }
  }));

test("a list is undone as long as its rules are as it left them", () =>
  withStore(async ({ replica, store, owned, organisation }) => {
    const organisationId = organisation.id;
    const add = (text: string, at: number) =>
      store.write({ kind: "add-rule", ...owned, request: adding(text), ...by(at) });
    const rules = () => [...replica.memory.rulesOf(owned.rulesetId).keys()].length;
    const { sequence: from } = await store.read("events", organisationId, 0, 1);
    await add("203.0.113.1", 5);
    for (const count of [3, 5000]) {
      const list = columnsOfTexts(texts(count), "list");
      await store.write({ kind: "import-rules", ...owned, rules: list, mode: "extend", ...by(10) });
      const { sequence } = replica.memory;
      assert.equal(rules(), count + 1);
      assert.equal(await store.read("isAsLeft", organisationId, sequence), true);
      await add("203.0.113.2", 11);
      assert.equal(await store.read("isAsLeft", organisationId, sequence), true);
      await store.write({ kind: "delete-rule", ...owned, prefix: parsePrefix("203.0.113.2"), ...by(12) });
      await store.write({ kind: "restore-rules", ...owned, sequence, ...by(13) });
      assert.equal(rules(), 1);
      assert.equal(await store.read("isAsLeft", organisationId, sequence), false);
      await assert.rejects(store.write({ kind: "restore-rules", ...owned, sequence, ...by(14) }), {
        code: "rules-changed",
      });
    }
    const told = await toldAfter(store, organisationId, from);
    const count = (type: string) => told.filter((each) => each.startsWith(type)).length;
    assert.deepEqual([count("rule.created"), count("rule.deleted")], [5003 + 3, 5003 + 2]);
  }));

test("what a list would skip is found beforehand, at the version of its ruleset", () =>
  withStore(async ({ store, owned, replica, blocklist }) => {
    const list = () => columnsOfTexts(["192.0.2.1", "192.0.2.2", "192.0.2.3"])[0]!;
    const asked = { kind: "import-rules", ...owned, mode: "extend", ...by(5) } as const;
    assert.equal(await store.read("unskippedRules", asked, list()), null);
    await replica.addRule(blocklist, "192.0.2.2");
    const found = await store.read("unskippedRules", asked, list());
    assert.deepEqual(
      [found!.version, [...found!.indexes]],
      [replica.memory.rulesets.get(blocklist.id)!.version, [0, 2]],
    );
    assert.equal(await store.read("unskippedRules", { ...asked, organisationId: crypto.randomUUID() }, list()), null);
  }));

test("an organisation without events has none", () =>
  withStore(async ({ store }) => {
    const { feed, sequence, oldest, rows } = await store.read("events", crypto.randomUUID(), 0, 10);
    assert.deepEqual([feed, sequence, oldest, rows], ["", 0, 1, []]);
  }));
