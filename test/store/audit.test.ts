import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { sql } from "kysely";
import { formatPrefix, parsePrefix } from "../../src/address/prefix.ts";
import type { Rule } from "../../src/rulesets/rule.ts";
import type { AuditEntry, ChangedRules, Tally } from "../../src/store/records/audit.ts";
import type { Engine } from "../../src/store/sql/_engine.ts";
import type { BatchItem } from "../../src/store/command.ts";
import { openStore, type StoreLocation } from "../../src/store/open-store.ts";
import { openPool } from "../../src/store/postgres/_database.ts";
import type { Store } from "../../src/store/store.ts";
import { openDatabase } from "../../src/store/sqlite/_database.ts";
import { columnsOfTexts } from "./harness/columns.ts";
import { adding, by, databases, ofVersion, Replica } from "./harness/stores.ts";
import { onlyLong, rounds } from "../rounds.ts";

/** Rules of a long list. */
const MANY = rounds({ short: 20_000, long: 60_000 });

const texts = (rules: readonly Rule[] | undefined) =>
  rules?.map(({ prefix, name }) => `${formatPrefix(prefix)} ${name}`).sort();
const shown = ({ command, kind, rules, ruleCount }: AuditEntry) => [
  command,
  kind,
  ruleCount,
  texts(rules?.before),
  texts(rules?.after),
];
const tally = (rules: number | string = 0) =>
  typeof rules === "number" ? { count: rules, only: null } : { count: 1, only: parsePrefix(rules) };

const countsOf = (rules: ChangedRules | null) => {
  const { added, changed, deleted, beforeCount, afterCount } = rules!;
  return [added, changed, deleted, beforeCount, afterCount];
};
/** How many of the rules before and after the change are shown. */
const shownOf = (rules: ChangedRules | null) => [rules!.before.length, rules!.after.length];
const networks = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, i) => `10.${(from + i) >> 8}.${(from + i) & 255}.0/24`);

async function newest(store: Store, organisationId: string): Promise<AuditEntry> {
  return (await store.read("audit", organisationId, { limit: 1 })).entries[0]!;
}

/** All rules of a ruleset, without the time of their update, which reverting a change moves. */
function rulesIn({ memory }: Replica, rulesetId: string): Rule[] {
  return [...memory.rulesOf(rulesetId).values()]
    .map((rule) => ({ ...rule, updatedAt: 0 }))
    .sort((a, b) => (formatPrefix(a.prefix) < formatPrefix(b.prefix) ? -1 : 1));
}

/** A store that is opened again has what the replica has. */
async function checkAndClose({ store, memory }: Replica, location: StoreLocation): Promise<void> {
  const fresh = await Replica.open(location);
  assert.deepEqual(fresh.memory.contents(), memory.contents());
  await fresh.store.close();
  await store.check();
  await store.close();
}

/** Adds old changes up to this number. */
async function addOldChanges(location: StoreLocation, organisationId: string, last: number): Promise<void> {
  const engine: Engine = "url" in location ? openPool(location.url, 1).engine : openDatabase(location.file, false);
  await sql`
    with recursive numbers (number) as (select cast(4 as bigint) union all select number + 1 from numbers where number < ${sql.lit(last)})
    insert into changes (sequence, "transaction", at, actor, organisation_id, kind, body)
    select number, 't', 1, 'command:test', ${sql.lit(organisationId)}, 'plan', '{}' from numbers`.execute(engine.db);
  await sql`update store set sequence = ${sql.lit(last)}`.execute(engine.db);
  await engine.db.destroy();
}

for (const { name, skip, make, stop } of await databases()) {
  describe(`the audit log on ${name}`, { skip: skip || (name === "PostgreSQL" && onlyLong()) }, () => {
    after(stop);

    test("changes of rules: the command, the previous and the new state", async () => {
      const replica = await Replica.open(await make());
      const { organisation, blocklist } = await replica.organisation();
      const { id: organisationId } = organisation;
      const into = { organisationId, rulesetId: blocklist.id };
      const { store } = replica;
      const add = (...request: Parameters<typeof adding>) =>
        store.write({ kind: "add-rule", ...into, request: adding(...request), ...by(5) });
      await add("192.0.2.1", { name: "a" });
      await add("192.0.2.1", { name: "b", mode: "override" });
      await add("192.0.2.1", { name: "c", mode: "skip" });
      await store.write({
        kind: "update-rule",
        ...into,
        prefix: parsePrefix("192.0.2.1"),
        changes: { name: "d" },
        ...by(6),
      });
      const items = [{ add: adding("192.0.2.2", { name: "e" }) }, { delete: parsePrefix("192.0.2.1") }];
      await store.write({ kind: "batch-rules", ...into, items, atomic: true, ...by(7) });
      await store.write({ kind: "replace-rules", ...into, rules: columnsOfTexts(["192.0.2.3"]), ...by(8) });
      await store.write({ kind: "delete-rule", ...into, prefix: parsePrefix("192.0.2.3"), ...by(9) });
      await store.write({
        kind: "import-rules",
        ...into,
        rules: columnsOfTexts(["192.0.2.4"]),
        mode: "extend",
        ...by(10),
      });
      await store.write({
        kind: "import-rules",
        ...into,
        rules: columnsOfTexts(["192.0.2.4", "192.0.2.5"], "f"),
        mode: "extend",
        ...by(10),
      });
      const { entries, nextBefore } = await store.read("audit", organisationId, { limit: 8 });
      assert.deepEqual(entries.map(shown), [
        ["import-rules", "rules", 2, ["192.0.2.4 null"], ["192.0.2.4 f", "192.0.2.5 f"]],
        ["import-rules", "rules", 1, [], ["192.0.2.4 null"]],
        ["delete-rule", "rules", 1, ["192.0.2.3 null"], []],
        ["replace-rules", "rules", 2, ["192.0.2.2 e"], ["192.0.2.3 null"]],
        ["batch-rules", "rules", 2, ["192.0.2.1 d"], ["192.0.2.2 e"]],
        ["update-rule", "rules", 1, ["192.0.2.1 b"], ["192.0.2.1 d"]],
        ["add-rule", "rules", 1, ["192.0.2.1 a"], ["192.0.2.1 b"]],
        ["add-rule", "rules", 1, [], ["192.0.2.1 a"]],
      ]);
      const rest = await store.read("audit", organisationId, { limit: 6, before: nextBefore! });
      assert.deepEqual(
        rest.entries.map(shown),
        Array.from({ length: 3 }, (_, i) => [
          "create-organisation",
          i < 2 ? "ruleset" : "organisation",
          null,
          undefined,
          undefined,
        ]),
      );
      assert.equal(rest.nextBefore, null);
      assert.deepEqual(await store.read("auditEntry", organisationId, entries[3]!.sequence), entries[3]);
      assert.deepEqual(
        [
          await store.read("auditEntry", "another", entries[1]!.sequence),
          (await store.read("audit", "another", { limit: 9 })).entries,
        ],
        [null, []],
      );
      assert.equal(
        (await store.read("audit", organisationId, { limit: 99, rulesetId: blocklist.id })).entries.length,
        9,
      );
      assert.equal((await store.read("audit", organisationId, { limit: 99, actor: "user:nobody" })).entries.length, 0);
      await store.close();
    });

    test("other changes: the previous and the new state; no entry of users has digests or passwords", async () => {
      const { store } = await Replica.open(await make());
      const session = { digest: "session-digest", expiresAt: 1e6 };
      const { user } = await store.write({
        kind: "set-up",
        ...by(1),
        organisation: "Example",
        name: "Ann",
        password: "secret-hash",
        session,
      });
      const { organisationId, id: userId } = user;
      const { user: bob } = await store.write({
        kind: "create-user",
        ...by(2),
        organisationId,
        name: "Bob",
        role: "viewer",
        invitation: { digest: "invited", expiresAt: 1e6 },
      });
      await store.write({ kind: "set-role", ...by(3), organisationId, userId: bob.id, role: "editor" });
      await store.write({
        kind: "start-session",
        ...by(4),
        organisationId,
        userId,
        checked: "secret-hash",
        session: { ...session, digest: "other-digest" },
      });
      await store.write({
        kind: "set-password",
        ...by(5),
        organisationId,
        userId,
        checked: "secret-hash",
        password: "other-hash",
        session: "other-digest",
      });
      await store.write({ kind: "end-session", ...by(6), organisationId, digest: "other-digest" });
      const { entries } = await store.read("audit", organisationId, { limit: 100 });
      assert.deepEqual(
        entries.slice(0, 5).map(({ command, kind }) => [command, kind]),
        [
          ["end-session", "sessions-ended"],
          ["set-password", "user"],
          ["start-session", "user"],
          ["set-role", "user"],
          ["create-user", "user"],
        ],
      );
      const { old, new: made } = entries[3]!;
      assert.deepEqual([old, made], [bob, { ...bob, role: "editor" }]);
      assert.equal(entries.filter(({ command }) => command === "set-up").length, 7);
      assert.deepEqual([entries[5]!.old, entries[5]!.new], [null, user]);
      for (const secret of ["secret-hash", "other-hash", '"invited"', "session-digest"])
        assert.ok(!JSON.stringify(entries).includes(secret), secret);
      await store.close();
    });

    test("deleted and replaced rules are restored exactly, unless the ruleset has changed since", async () => {
      const location = await make();
      const replica = await Replica.open(location, { rulesPerRuleset: 100_000 });
      const { organisation, blocklist } = await replica.organisation();
      const into = { organisationId: organisation.id, rulesetId: blocklist.id };
      const { store, memory } = replica;
      await store.write({
        kind: "replace-rules",
        ...into,
        rules: columnsOfTexts(networks(0, MANY / 2)),
        ...by(5),
      });
      await store.write({
        kind: "add-rule",
        ...into,
        request: adding("192.0.2.1", { name: "named", expiresAt: 1e9 }),
        ...by(6),
      });
      const whole = () => rulesIn(replica, blocklist.id);
      const before = whole();
      await store.write({
        kind: "replace-rules",
        ...into,
        rules: columnsOfTexts(["192.0.2.9"]),
        shrink: { maxShrink: 100 },
        ...by(7),
      });
      const page = await newest(store, organisation.id);
      assert.deepEqual([page.kind, page.ruleCount], ["rules-replaced", MANY / 2 + 2]);
      const { rules } = (await store.read("auditEntry", organisation.id, page.sequence))!;
      assert.deepEqual(countsOf(rules), [tally("192.0.2.9"), tally(), tally(MANY / 2 + 1), MANY / 2 + 1, 1]);
      assert.deepEqual(shownOf(rules), [100, 1]);
      const version = () => memory.rulesets.get(blocklist.id)!.version;
      const restore = { kind: "restore-rules", ...into, sequence: page.sequence, ...by(8) } as const;
      assert.equal(await store.read("isAsLeft", organisation.id, page.sequence), true);
      await store.write(restore);
      assert.equal(await store.read("isAsLeft", organisation.id, page.sequence), false);
      await assert.rejects(store.write(restore), { code: "rules-changed" });
      for (const sequence of [1, page.sequence - 100, 1e9])
        await assert.rejects(store.write({ ...restore, sequence }), { code: "change-not-kept" });
      assert.deepEqual(whole(), before);

      await assert.rejects(store.write({ kind: "delete-ruleset", ...into, ifMatch: ofVersion(1), ...by(9) }), {
        code: "version-mismatch",
      });
      await assert.rejects(
        store.write({ kind: "update-ruleset", ...into, name: "x", ifMatch: ofVersion(1), ...by(9) }),
        { code: "version-mismatch" },
      );
      await assert.rejects(
        store.write({ kind: "batch-rules", ...into, items: [], atomic: true, ifMatch: ofVersion(1), ...by(9) }),
        { code: "version-mismatch" },
      );
      const ruleset = memory.rulesets.get(blocklist.id)!;
      await store.write({ kind: "delete-ruleset", ...into, ifMatch: ofVersion(version(), ruleset.stamp), ...by(9) });
      const gone = await newest(store, organisation.id);
      assert.deepEqual(
        [gone.command, gone.ruleCount, gone.old, gone.rules!.beforeCount],
        ["delete-ruleset", MANY / 2 + 1, ruleset, MANY / 2 + 1],
      );
      const again = {
        kind: "restore-ruleset",
        organisationId: organisation.id,
        sequence: gone.sequence,
        ...by(10),
      } as const;
      await assert.rejects(store.write({ ...again, sequence: page.sequence }), { code: "change-not-kept" });
      await assert.rejects(store.write({ ...again, organisationId: "another" }), { code: "change-not-kept" });
      await store.write(again);
      assert.deepEqual(whole(), before);
      await assert.rejects(store.write({ ...again, ...by(11) }), { code: "ruleset-exists" });
      await checkAndClose(replica, location);
    });

    test("of many rules the first are shown, and all are counted; an entry also counts those that a page leaves out", async () => {
      const { store } = await Replica.open(await make());
      const { organisation, rulesets } = await store.write({ kind: "create-organisation", name: "counted", ...by(1) });
      const into = { organisationId: organisation.id, rulesetId: rulesets[0]!.id };
      const batch = async (items: readonly BatchItem[], at: number) => {
        await store.write({ kind: "batch-rules", ...into, items, atomic: true, ...by(at) });
        return await newest(store, organisation.id);
      };
      const add = (from: number, to: number, name: string): BatchItem[] =>
        Array.from({ length: to - from }, (_, at) => ({
          add: adding(`10.0.${(from + at) >> 8}.${(from + at) & 255}`, { name, mode: "override" }),
        }));
      const kept = await batch(add(0, 150, "a"), 2);
      assert.deepEqual(countsOf(kept.rules), [tally(150), tally(), tally(), 0, 150]);
      assert.deepEqual(shownOf(kept.rules), [0, 100]);
      const { rules } = await batch(
        [...add(0, 120, "b"), { add: adding("192.0.2.1") }, { delete: parsePrefix("10.0.0.149") }],
        3,
      );
      assert.deepEqual(countsOf(rules), [tally("192.0.2.1"), tally(120), tally("10.0.0.149"), 121, 121]);
      assert.deepEqual(shownOf(rules), [100, 100]);
      assert.deepEqual(await store.read("isAsLeft", organisation.id, kept.sequence), false);
      const long = await batch([...add(100, 1000, "€".repeat(100)), { delete: parsePrefix("192.0.2.1") }], 4);
      assert.deepEqual(countsOf(long.rules), [tally(851), tally(49), tally("192.0.2.1"), 50, 900]);
      assert.equal(long.ruleCount, 901);
      assert.ok(long.rules!.after.length > 10 && long.rules!.after.length < 100, "rules with long names are fewer");
      assert.deepEqual(await store.read("auditEntry", organisation.id, long.sequence), long);
      const brief = (await store.read("audit", organisation.id, { limit: 9, isBrief: true })).entries;
      assert.deepEqual(
        brief.map(({ rules: none, old, new: made }) => [none, old, made]),
        Array.from({ length: 6 }, () => [null, null, null]),
      );
      assert.deepEqual(
        brief.map(({ sequence }) => sequence),
        (await store.read("audit", organisation.id, { limit: 9 })).entries.map(({ sequence }) => sequence),
      );
      assert.deepEqual(
        [
          await store.read("isAsLeft", organisation.id, long.sequence),
          await store.read("isAsLeft", "another", long.sequence),
          await store.read("isAsLeft", organisation.id, 1e9),
        ],
        [true, false, false],
      );
      await store.close();
    });

    test("changes are kept for the configured days, and are then deleted in order, without a gap", async () => {
      const location = await make();
      const first = await openStore(location);
      const { organisation, rulesets } = await first.write({ kind: "create-organisation", name: "old", ...by(1) });
      await first.close();
      await addOldChanges(location, organisation.id, 103_500);
      const into = { organisationId: organisation.id, rulesetId: rulesets[0]!.id };
      const [day, numbers] = [86_400_000, Array.from({ length: 1000 }, (_, i) => i)];
      const write = async (auditDays: number, name: string) => {
        const store = await openStore(location, { auditDays });
        await Promise.all(
          numbers.map((i) =>
            store.write({
              kind: "add-rule",
              ...into,
              request: adding(`10.0.${i >> 8}.${i & 255}`, { name, mode: "override" }),
              ...by(2 * day),
            }),
          ),
        );
        await store.check();
        return store;
      };
      const patient = await write(3, "a");
      assert.equal((await patient.read("auditEntry", organisation.id, 1))?.command, "create-organisation");
      await patient.close();
      const store = await write(1, "b");
      assert.deepEqual(
        [
          await store.read("auditEntry", organisation.id, 2000),
          (await store.read("auditEntry", organisation.id, 2001))?.sequence,
        ],
        [null, 2001],
      );
      await assert.rejects(store.changesAfter(3000), { code: "changes-gone" });
      assert.equal((await store.changesAfter(105_000)).length, 500);
      await store.close();
    });

    test("a list of many rules: its counts, first rules and digest are shown; it is undone exactly, unless one of its rules has changed", async () => {
      const location = await make();
      const replica = await Replica.open(location);
      const { organisation, blocklist } = await replica.organisation();
      const into = { organisationId: organisation.id, rulesetId: blocklist.id };
      const { store } = replica;
      await store.write({
        kind: "import-rules",
        ...into,
        rules: columnsOfTexts(networks(0, 300), "old"),
        mode: "extend",
        ...by(5),
      });
      await store.write({
        kind: "import-rules",
        ...into,
        rules: columnsOfTexts(["192.0.2.1"]),
        mode: "extend",
        ...by(6),
      });
      const whole = () => rulesIn(replica, blocklist.id);
      const before = whole();
      const list = (count: number) => columnsOfTexts(networks(100, 100 + count), "new");
      const ways = [
        {
          write: () =>
            store.write({
              kind: "import-rules",
              ...into,
              rules: list(MANY),
              mode: "override",
              digest: "d1",
              ...by(7),
            }),
          told: [MANY - 200, 200, 0, 0, "d1"],
        },
        {
          write: () =>
            store.write({ kind: "import-rules", ...into, rules: list(5000), mode: "skip", digest: "d2", ...by(8) }),
          told: [4800, 0, 0, 200, "d2"],
        },
        {
          write: () => store.write({ kind: "replace-rules", ...into, rules: list(25_000), digest: "d3", ...by(9) }),
          told: [24_800, 200, 101, 0, "d3"],
        },
      ] as const;
      const restore = { kind: "restore-rules", ...into, ...by(20) } as const;
      for (const {
        write,
        told: [added, changed, deleted, skipped, digest],
      } of ways) {
        assert.equal((await write()).isKept, true);
        const entry = await newest(store, organisation.id);
        const { rules, list: about } = entry;
        assert.deepEqual(about, { skipped, digest });
        const counts = [tally(added), tally(changed), tally(deleted), changed + deleted, added + changed];
        assert.deepEqual(countsOf(rules), counts);
        assert.deepEqual(shownOf(rules), [changed + deleted === 0 ? 0 : 100, 100]);
        assert.deepEqual(await store.read("auditEntry", organisation.id, entry.sequence), entry);
        await store.write({ ...restore, sequence: entry.sequence });
        assert.deepEqual(whole(), before);
        const undone = countsOf((await newest(store, organisation.id)).rules);
        assert.deepEqual(
          undone.slice(0, 3).map((each) => (each as Tally).count),
          [deleted, changed, added],
        );
      }
      await ways[2].write();
      const { sequence } = await newest(store, organisation.id);
      assert.equal(await store.read("isAsLeft", organisation.id, sequence), true);
      await store.write({
        kind: "update-rule",
        ...into,
        prefix: parsePrefix("10.90.0.0/24"),
        changes: { name: "mine" },
        ...by(10),
      });
      assert.equal(await store.read("isAsLeft", organisation.id, sequence), false);
      await assert.rejects(store.write({ ...restore, sequence }), { code: "rules-changed" });
      await checkAndClose(replica, location);
    });

    test(
      "a change with more rules than are kept shows its effect, and that it cannot be undone; kept rules are deleted by age",
      { skip: onlyLong() },
      async () => {
        const { store } = await Replica.open(await make());
        const { organisation, rulesets } = await store.write({ kind: "create-organisation", name: "many", ...by(1) });
        const into = { organisationId: organisation.id, rulesetId: rulesets[0]!.id };
        const count = 230_000;
        const many = () =>
          columnsOfTexts(
            Array.from({ length: count }, (_, i) => `${20 + (i >> 16)}.${(i >> 8) & 255}.${i & 255}.0/24`),
            "x".repeat(255),
          );
        assert.equal(
          (await store.write({ kind: "import-rules", ...into, rules: many(), mode: "extend", digest: "d", ...by(2) }))
            .isKept,
          false,
        );
        const imported = await newest(store, organisation.id);
        assert.deepEqual(
          [imported.rules!.added, imported.isKept, imported.list],
          [tally(count), false, { skipped: 0, digest: "d" }],
        );
        assert.ok(imported.rules!.after.length > 10);
        await assert.rejects(store.write({ kind: "restore-rules", ...into, sequence: imported.sequence, ...by(3) }), {
          code: "change-not-kept",
        });
        await store.write({ kind: "delete-ruleset", ...into, ...by(4) });
        const deleted = await newest(store, organisation.id);
        assert.deepEqual([deleted.rules!.deleted, deleted.isKept], [tally(count), false]);
        await assert.rejects(
          store.write({
            kind: "restore-ruleset",
            organisationId: organisation.id,
            sequence: deleted.sequence,
            ...by(5),
          }),
          { code: "change-not-kept" },
        );

        const other = { organisationId: organisation.id, rulesetId: rulesets[1]!.id };
        const some = () => columnsOfTexts(networks(0, 5000));
        await store.write({ kind: "import-rules", ...other, rules: some(), mode: "extend", ...by(6) });
        const { sequence } = await newest(store, organisation.id);
        assert.equal((await store.read("auditEntry", organisation.id, sequence))!.isKept, true);
        await store.write({
          kind: "replace-rules",
          ...other,
          rules: [],
          shrink: { allowEmpty: true },
          ...by(31 * 86_400_000),
        });
        const aged = (await store.read("auditEntry", organisation.id, sequence))!;
        assert.deepEqual([aged.isKept, aged.rules!.added.count], [false, 5000]);
        await assert.rejects(store.write({ kind: "restore-rules", ...other, sequence, ...by(32 * 86_400_000) }), {
          code: "change-not-kept",
        });
        await store.close();
      },
    );
  });
}
