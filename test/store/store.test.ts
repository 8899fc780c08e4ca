import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { Random } from "../../bench/data/random.ts";
import { comparePrefixes, formatPrefix, parsePrefix } from "../../src/address/prefix.ts";
import type { Rule } from "../../src/rulesets/rule.ts";
import { CONFLICT_MODES, type ConflictMode } from "../../src/rulesets/write-rule.ts";
import type { BatchResult } from "../../src/store/command.ts";
import type { SeenMessage } from "../../src/store/limit-message.ts";
import { openStore, type StoreLocation } from "../../src/store/open-store.ts";
import type { SavedRules } from "../../src/store/saved-rules.ts";
import type { Ruleset } from "../../src/store/state.ts";
import type { StoreErrorCode } from "../../src/store/store-error.ts";
import { columnsOfTexts } from "./harness/columns.ts";
import { type HistoryReport, runHistory } from "./harness/history.ts";
import { adding, by, databases, ofVersion, Replica } from "./harness/stores.ts";
import { runSql } from "./harness/run-sql.ts";
import { until } from "../until.ts";
import { onlyLong, rounds } from "../rounds.ts";

for (const { name, skip, make, stop } of await databases()) {
  describe(`the store on ${name}`, { skip: skip || (name === "PostgreSQL" && onlyLong()) }, () => {
    after(stop);

    /** Runs with a replica, then compares its memory with a fresh load, and runs the database's own checks. */
    async function withReplica(
      run: (replica: Replica, location: StoreLocation) => Promise<void>,
      options = {},
    ): Promise<void> {
      const location = await make();
      const checked = async (replica: Replica): Promise<void> => {
        await run(replica, location);
        await replica.store.check();
      };
      await Replica.using(location, checked, options);
    }

    test("an organisation starts with two rulesets; another organisation with the same name is rejected", () =>
      withReplica(async (replica) => {
        const { organisation, allowlist, blocklist } = await replica.organisation();
        assert.deepEqual(replica.memory.organisations.get(organisation.id), {
          id: organisation.id,
          name: "Example",
          createdAt: 1,
          guardClasses: null,
        });
        const created = {
          organisationId: organisation.id,
          description: "",
          guard: "warn",
          guardClasses: null,
          neverBlock: false,
          createdAt: 1,
          updatedAt: 1,
        };
        assert.deepEqual(allowlist, {
          ...created,
          id: allowlist.id,
          name: "My Allowlist rules",
          purpose: "allowlist",
          version: 2,
          stamp: allowlist.stamp,
        });
        assert.deepEqual(blocklist, {
          ...created,
          id: blocklist.id,
          name: "My Blocklist rules",
          purpose: "blocklist",
          version: 3,
          stamp: blocklist.stamp,
        });
        assert.match(allowlist.stamp, /^[0-9a-f]{8}$/);
        assert.equal(blocklist.stamp, allowlist.stamp, "of one transaction");
        assert.ok(allowlist.id < blocklist.id);
        await refused("organisation-exists", replica.organisation());
        assert.equal(replica.memory.sequence, 3);
      }));

    test("users: a valid invitation names its user; names that look like existing ones are rejected", () =>
      withReplica(async (replica) => {
        const { store } = replica;
        const { id: organisationId } = (await replica.organisation()).organisation;
        const create = (name: string, digest: string) =>
          store.write({
            kind: "create-user",
            organisationId,
            name,
            role: "viewer",
            invitation: { digest, expiresAt: 100 },
            ...by(1),
          });
        const { user } = await create("coco", "first");
        assert.deepEqual(await store.read("invited", "first", 99), { id: user.id, organisationId, name: "coco" });
        assert.deepEqual(
          [await store.read("invited", "first", 100), await store.read("invited", "other", 1)],
          [null, null],
        );
        for (const name of ["COCO", "ｃｏｃｏ", "сосо", "СОСО", "ᴄᴏᴄᴏ"])
          await refused("user-exists", create(name, name));
        await create("cocoa", "second");
        await store.write({ kind: "delete-user", organisationId, userId: user.id, ...by(2) });
        assert.equal(await store.read("invited", "first", 2), null);
        await create("сосо", "third");
      }));

    test("conflict modes: the effect on an existing rule, and a rejection writes nothing", () =>
      withReplica(async (replica) => {
        const { organisation, blocklist } = await replica.organisation();
        const into = { kind: "add-rule", organisationId: organisation.id, rulesetId: blocklist.id } as const;
        const add = (at: number, ...request: Parameters<typeof adding>) =>
          replica.store.write({ ...into, request: adding(...request), ...by(at) });
        const rule: Rule = {
          prefix: parsePrefix("203.0.113.0/24"),
          name: null,
          expiresAt: 500,
          createdAt: 10,
          updatedAt: 10,
        };
        assert.deepEqual(await add(10, "203.0.113.0/24", { expiresAt: 500 }), { action: "created", rule });
        assert.deepEqual(await add(20, "203.0.113.0/24", { expiresAt: 400 }), { action: "skipped", rule });
        assert.deepEqual(await add(20, "203.0.113.0/24", { expiresAt: 400, mode: "skip" }), {
          action: "skipped",
          rule,
        });
        await assert.rejects(add(20, "203.0.113.0/24", { mode: "fail" }), {
          name: "StoreError",
          code: "conflict",
          existing: rule,
        });
        const before = replica.memory.sequence;
        const named = { ...rule, name: "scanner", expiresAt: null, updatedAt: 30 };
        assert.deepEqual(await add(30, "203.0.113.0/24", { name: "scanner" }), { action: "updated", rule: named });
        const replaced = { ...rule, name: null, expiresAt: 600, updatedAt: 40 };
        assert.deepEqual(await add(40, "203.0.113.0/24", { expiresAt: 600, mode: "override" }), {
          action: "updated",
          rule: replaced,
        });
        assert.equal(replica.memory.sequence, before + 2, "skipped and refused commands make no change");
        const now = replica.memory.rulesets.get(blocklist.id)!;
        assert.deepEqual(now, { ...blocklist, updatedAt: 40, version: before + 2, stamp: now.stamp });
        assert.notEqual(now.stamp, blocklist.stamp);
        for (const mode of CONFLICT_MODES)
          assert.equal(
            (await add(50, "2001:db8::/32", { mode, expiresAt: 1 }).catch(({ code }) => ({ action: code }))).action,
            { extend: "created", override: "updated", skip: "skipped", fail: "conflict" }[mode],
          );
      }));

    test("rules are updated and deleted; missing ones are reported", () =>
      withReplica(async (replica) => {
        const { organisation, blocklist } = await replica.organisation();
        const of = { organisationId: organisation.id, rulesetId: blocklist.id, prefix: parsePrefix("2001:db8::1") };
        await refused(
          "rule-not-found",
          replica.store.write({ kind: "update-rule", ...of, changes: { name: "x" }, ...by(2) }),
        );
        await refused("rule-not-found", replica.store.write({ kind: "delete-rule", ...of, ...by(2) }));
        await replica.store.write({ kind: "add-rule", ...of, request: adding("2001:db8::1"), ...by(3) });
        const { rule } = await replica.store.write({
          kind: "update-rule",
          ...of,
          changes: { name: "__proto__" },
          ...by(4),
        });
        assert.deepEqual(rule, { prefix: of.prefix, name: "__proto__", expiresAt: null, createdAt: 3, updatedAt: 4 });
        const { rule: same } = await replica.store.write({
          kind: "update-rule",
          ...of,
          changes: { name: "__proto__" },
          ...by(5),
        });
        assert.deepEqual(same, rule);
        assert.deepEqual(await replica.store.write({ kind: "delete-rule", ...of, ...by(6) }), {});
        assert.equal(replica.memory.rulesOf(blocklist.id).size, 0);
        await refused("rule-not-found", replica.store.write({ kind: "delete-rule", ...of, ...by(7) }));
      }));

    test("names and other texts round-trip; only those that a database cannot hold are rejected", () =>
      withReplica(async (replica) => {
        const { organisation, blocklist } = await replica.organisation("Ünïcode 🙂 ' \" \\ %s $1");
        const into = { kind: "add-rule", organisationId: organisation.id, rulesetId: blocklist.id } as const;
        const names = [
          "",
          "constructor",
          'it\'s "quoted" \\',
          "🙂 日本語 \u00a0",
          "null",
          "{}",
          "x".repeat(255),
          "\t\n",
        ];
        await Promise.all(
          names.map((text, i) =>
            replica.store.write({ ...into, request: adding(`198.51.100.${i}`, { name: text }), ...by(2) }),
          ),
        );
        names.forEach((text, i) =>
          assert.equal(replica.memory.rulesOf(blocklist.id).get(`198.51.100.${i}`)!.name, text),
        );
        const bad = ["\ud800", "a\0b"].map((text) =>
          refused(
            "invalid-text",
            replica.store.write({ ...into, request: adding("192.0.2.1", { name: text }), ...by(2) }),
          ),
        );
        const good = replica.store.write({ ...into, request: adding("192.0.2.2"), ...by(2) });
        await Promise.all([...bad, good]);
      }));

    test("a batch: each item sees earlier ones; atomic rejects all for one, without affecting other commands of the group", () =>
      withReplica(async (replica) => {
        const { organisation, blocklist } = await replica.organisation();
        const into = { organisationId: organisation.id, rulesetId: blocklist.id, ...by(2) };
        const items = [
          { add: adding("192.0.2.1") },
          { delete: parsePrefix("192.0.2.1") },
          { delete: parsePrefix("192.0.2.1"), mustExist: true },
          { add: adding("192.0.2.3", { mode: "fail" }) },
        ];
        const atomic = replica.store.write({ kind: "batch-rules", ...into, items, atomic: true });
        const beside = replica.store.write({ kind: "add-rule", ...into, request: adding("192.0.2.9") });
        const loose = replica.store.write({ kind: "batch-rules", ...into, items, atomic: false });
        const error = await atomic.then(
          () => assert.fail("not refused"),
          (cause) => cause,
        );
        assert.equal(error.code, "batch-refused");
        assert.deepEqual(
          error.results.map(({ action, error }: BatchResult) => [action, error]),
          [
            ["not_applied", undefined],
            ["not_applied", undefined],
            ["absent", "there is no rule for 192.0.2.1 to delete"],
            ["not_applied", undefined],
          ],
        );
        assert.equal((await beside).action, "created");
        assert.deepEqual(
          (await loose).results.map(({ action }) => action),
          ["created", "deleted", "absent", "created"],
        );
        assert.deepEqual([...replica.memory.rulesOf(blocklist.id).keys()].sort(), ["192.0.2.3", "192.0.2.9"]);
      }));

    test("a large batch, and one larger than a chunk of statements, in one change", () =>
      withReplica(
        async (replica) => {
          const { organisation, blocklist } = await replica.organisation();
          const items = Array.from({ length: 25_000 }, (_, i) => ({
            add: adding(`10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`),
          }));
          const { results } = await replica.store.write({
            kind: "batch-rules",
            organisationId: organisation.id,
            rulesetId: blocklist.id,
            items,
            atomic: true,
            ...by(2),
          });
          assert.equal(results.length, items.length);
          assert.equal(replica.memory.sequence, 4);
          assert.equal(replica.memory.rulesOf(blocklist.id).size, items.length);
        },
        { rulesPerRuleset: 30_000 },
      ));

    test("a replacement that would remove too much is rejected by the current content of the database, whoever else writes", () =>
      withReplica(async (replica, location) => {
        const other = await Replica.open(location, {});
        const { organisation, blocklist } = await replica.organisation();
        const into = { organisationId: organisation.id, rulesetId: blocklist.id };
        const lists = [40, 20, 10, 9, 30].map((count) =>
          columnsOfTexts(Array.from({ length: count }, (_, i) => `192.0.2.${i}`)),
        );
        const replace = (turn: number) =>
          (turn % 2 === 0 ? replica : other).store.write({
            kind: "replace-rules",
            ...into,
            rules: lists[(turn * 7) % lists.length]!.map((part) => structuredClone(part)),
            ...by(2 + turn),
          });
        const settled = await Promise.allSettled(Array.from({ length: 60 }, (_, turn) => replace(turn)));
        const done = settled.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
        const refusals = settled.flatMap((each) => (each.status === "rejected" ? [each.reason] : []));
        for (const { updated, removed, unchanged } of done) {
          const before = updated + removed + unchanged;
          assert.ok(before < 20 || 2 * removed <= before, `${removed} of ${before}`);
        }
        assert.ok(done.length > 5 && refusals.length > 5, `${done.length} done, ${refusals.length} refused`);
        for (const { code, shrink } of refusals)
          assert.deepEqual([code, 2 * shrink.removed > shrink.totalRules], ["shrinks-too-much", true]);
        await refused(
          "shrinks-too-much",
          replica.store.write({ kind: "replace-rules", ...into, rules: [], ...by(99) }),
        );
        assert.equal((await replica.store.check()).rules, replica.memory.rulesOf(blocklist.id).size);
        await other.store.close();
      }));

    test("a ruleset has no more rules than allowed, however they are added", () =>
      withReplica(
        async (replica) => {
          const { organisation, blocklist } = await replica.organisation();
          const into = { organisationId: organisation.id, rulesetId: blocklist.id, ...by(2) };
          const adds = await Promise.allSettled(
            Array.from({ length: 10 }, (_, i) =>
              replica.store.write({ kind: "add-rule", ...into, request: adding(`192.0.2.${i}`) }),
            ),
          );
          assert.equal(adds.filter(({ status }) => status === "fulfilled").length, 5);
          const items = [
            { delete: parsePrefix([...replica.memory.rulesOf(blocklist.id).keys()][0]!) },
            { add: adding("198.51.100.1") },
            { add: adding("198.51.100.2") },
          ];
          const { results } = await replica.store.write({ kind: "batch-rules", ...into, items, atomic: false });
          assert.deepEqual(
            results.map(({ action }) => action),
            ["deleted", "created", "too_many_rules"],
          );
          await refused(
            "batch-refused",
            replica.store.write({ kind: "batch-rules", ...into, items: items.slice(2), atomic: true }),
          );
          await refused(
            "too-many-rules",
            replica.store.write({
              kind: "replace-rules",
              ...into,
              rules: columnsOfTexts(["10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4", "10.0.0.5", "10.0.0.6"]),
            }),
          );
        },
        { rulesPerRuleset: 5 },
      ));

    test("an organisation has no more rulesets than allowed, however they are created, from several servers at once", () =>
      withReplica(
        async (replica, location) => {
          const other = await Replica.open(location, { rulesetsPerOrganisation: 5 });
          const { organisation, blocklist } = await replica.organisation();
          const of = { organisationId: organisation.id, ...by(2) };
          const create = ({ store }: Replica) =>
            store.write({ kind: "create-ruleset", ...of, name: "One more", purpose: "blocklist", description: "" });
          const made = await Promise.allSettled(
            Array.from({ length: 12 }, (_, i) => create(i % 2 === 0 ? replica : other)),
          );
          assert.equal(made.filter(({ status }) => status === "fulfilled").length, 3, "two come with the organisation");
          await refused("too-many-rulesets", create(replica));
          await assert.rejects(
            create(other),
            /at most 5 rulesets \(--rulesets-per-organisation or IPSIEVE_RULESETS_PER_ORGANISATION\); delete some first$/,
          );
          await replica.store.write({ kind: "delete-ruleset", ...of, rulesetId: blocklist.id });
          const { sequence } = (await replica.store.read("audit", organisation.id, { limit: 1 })).entries[0]!;
          await create(other);
          await refused("too-many-rulesets", replica.store.write({ kind: "restore-ruleset", ...of, sequence }));
          await replica.organisation("Another"); // which has a limit of its own
          await other.store.close();
        },
        { rulesetsPerOrganisation: 5 },
      ));

    test("what was deleted is restored only within limits that were lowered since, to the last rule that fits", () =>
      withReplica(
        async (replica, location) => {
          const { organisation, blocklist } = await replica.organisation();
          const of = { organisationId: organisation.id };
          const into = { ...of, rulesetId: blocklist.id };
          const newest = async () =>
            (await replica.store.read("audit", organisation.id, { limit: 1 })).entries[0]!.sequence;
          const emptied = { kind: "replace-rules", ...into, rules: [], shrink: { allowEmpty: true } } as const;
          const rules = columnsOfTexts(["10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4"]);
          await replica.store.write({ kind: "replace-rules", ...into, rules, ...by(2) });
          await replica.store.write({ ...emptied, ...by(3) });
          const rulesGone = await newest();
          await replica.store.write({ kind: "restore-rules", ...into, sequence: rulesGone, ...by(4) });
          await replica.store.write({ kind: "delete-ruleset", ...into, ...by(5) });
          const rulesetGone = await newest();
          const restoring = async (rulesPerRuleset: number, command: "restore-rules" | "restore-ruleset") => {
            const other = await Replica.open(location, { rulesPerRuleset });
            try {
              if (command === "restore-ruleset")
                await other.store.write({ kind: command, ...of, sequence: rulesetGone, ...by(6) });
              else await other.store.write({ kind: command, ...into, sequence: rulesGone, ...by(8) });
              return other.memory.rulesOf(blocklist.id).size;
            } finally {
              await other.store.close();
            }
          };
          await refused("too-many-rules", restoring(3, "restore-ruleset"));
          assert.equal(await restoring(4, "restore-ruleset"), 4);
          await replica.store.write({ ...emptied, ...by(7) });
          await refused("too-many-rules", restoring(3, "restore-rules"));
          assert.equal(await restoring(4, "restore-rules"), 4);
        },
        { rulesPerRuleset: 5 },
      ));

    test("a replacement: all or nothing, keeping the times of unchanged rules, only for the required version", () =>
      withReplica(async (replica) => {
        const { organisation, blocklist } = await replica.organisation();
        const into = { organisationId: organisation.id, rulesetId: blocklist.id };
        for (const text of ["10.0.0.0/8", "192.0.2.1", "2001:db8::/32"])
          await replica.store.write({ kind: "add-rule", ...into, request: adding(text, { name: "old" }), ...by(2) });
        const { version, stamp } = replica.memory.rulesets.get(blocklist.id)!;
        const rules = columnsOfTexts(["10.0.0.0/8", "10.0.0.0/9", "2001:db8::/32", "2001:db8::1"], "old");
        await refused(
          "version-mismatch",
          replica.store.write({
            kind: "replace-rules",
            ...into,
            rules,
            ifMatch: ofVersion(version - 1, stamp),
            ...by(3),
          }),
        );
        const counts = await replica.store.write({
          kind: "replace-rules",
          ...into,
          rules,
          ifMatch: ofVersion(version, stamp),
          ...by(3),
        });
        assert.deepEqual(counts, { added: 2, updated: 0, removed: 1, unchanged: 2, isKept: true });
        const held = replica.memory.rulesOf(blocklist.id);
        assert.deepEqual([...held.values()].map(({ createdAt }) => createdAt).sort(), [2, 2, 3, 3]);
        assert.deepEqual(await replica.store.write({ kind: "replace-rules", ...into, rules, ...by(4) }), {
          added: 0,
          updated: 0,
          removed: 0,
          unchanged: 4,
          isKept: true,
        });
        const renamed = columnsOfTexts(["10.0.0.0/8", "10.0.0.0/9", "2001:db8::/32", "2001:db8::1"], "new");
        assert.deepEqual(await replica.store.write({ kind: "replace-rules", ...into, rules: renamed, ...by(5) }), {
          added: 0,
          updated: 4,
          removed: 0,
          unchanged: 0,
          isKept: true,
        });
        assert.deepEqual(
          await replica.store.write({
            kind: "replace-rules",
            ...into,
            rules: [],
            shrink: { allowEmpty: true },
            ...by(6),
          }),
          { added: 0, updated: 0, removed: 4, unchanged: 0, isKept: true },
        );
      }));

    test("a replacement of many rules reaches another replica completely, with later changes", () =>
      withReplica(
        async (replica, location) => {
          const other = await Replica.open(location, { rulesPerRuleset: 100_000, pollEvery: 3_600_000 });
          const { organisation, blocklist, allowlist } = await replica.organisation();
          const into = { organisationId: organisation.id, rulesetId: blocklist.id };
          const texts = Array.from({ length: 25_000 }, (_, i) => `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`);
          await replica.store.write({ kind: "replace-rules", ...into, rules: columnsOfTexts(texts), ...by(2) });
          await replica.store.write({ kind: "delete-rule", ...into, prefix: parsePrefix("10.0.0.7"), ...by(3) });
          await replica.store.write({
            kind: "replace-rules",
            ...into,
            rulesetId: allowlist.id,
            rules: columnsOfTexts(texts),
            ...by(3),
          });
          await replica.store.write({ kind: "delete-ruleset", ...into, rulesetId: allowlist.id, ...by(4) });
          await other.store.write({
            kind: "add-rule",
            ...into,
            request: adding("10.0.0.7", { name: "again" }),
            ...by(5),
          });
          await until("the replica has what the other has", () => replica.memory.sequence === other.memory.sequence);
          assert.deepEqual(other.memory.contents(), replica.memory.contents());
          await other.store.close();
        },
        { rulesPerRuleset: 100_000 },
      ));

    test("rulesets are created, renamed and deleted with their rules", () =>
      withReplica(async (replica) => {
        const { organisation } = await replica.organisation();
        const of = { organisationId: organisation.id };
        const { ruleset } = await replica.store.write({
          kind: "create-ruleset",
          ...of,
          name: "Third",
          purpose: "blocklist",
          description: "of three",
          ...by(2),
        });
        assert.deepEqual(
          { ...ruleset, id: "" },
          {
            id: "",
            organisationId: organisation.id,
            name: "Third",
            purpose: "blocklist",
            description: "of three",
            guard: "warn",
            guardClasses: null,
            neverBlock: false,
            createdAt: 2,
            updatedAt: 2,
            version: 4,
            stamp: ruleset.stamp,
          },
        );
        const at = { ...of, rulesetId: ruleset.id };
        await replica.store.write({ kind: "add-rule", ...at, request: adding("192.0.2.1"), ...by(3) });
        const { ruleset: renamed } = await replica.store.write({
          kind: "update-ruleset",
          ...at,
          name: "3rd",
          ...by(4),
        });
        assert.deepEqual(renamed, { ...ruleset, name: "3rd", updatedAt: 4, version: 6, stamp: renamed.stamp });
        const { ruleset: same } = await replica.store.write({
          kind: "update-ruleset",
          ...at,
          name: "3rd",
          description: "of three",
          ...by(5),
        });
        assert.deepEqual(same, renamed);
        await replica.store.write({ kind: "delete-ruleset", ...at, ...by(6) });
        assert.equal(replica.memory.rulesets.has(ruleset.id), false);
        await refused("ruleset-not-found", replica.store.write({ kind: "delete-ruleset", ...at, ...by(7) }));
        await refused(
          "organisation-not-found",
          replica.store.write({
            kind: "create-ruleset",
            organisationId: ruleset.id,
            name: "x",
            purpose: "blocklist",
            description: "",
            ...by(8),
          }),
        );
      }));

    test("a replaced dataset changes nothing but the audit log", () =>
      withReplica(async (replica) => {
        const { organisation } = await replica.organisation();
        const facts = {
          dataset: "cti",
          source: "tor.txt",
          createdAt: 7,
          prefixes: 3,
          skipped: 1,
          digest: "ab",
        } as const;
        const about = { organisationId: organisation.id, ...by(2) };
        await replica.store.write({ kind: "import-feed", ...about, old: null, new: facts });
        await replica.store.write({
          kind: "update-catalogue",
          ...about,
          old: { dataset: "catalogue", createdAt: 1, prefixes: 2 },
          new: { dataset: "catalogue", createdAt: 2, prefixes: 3 },
        });
        const { entries } = await replica.store.read("audit", organisation.id, { limit: 2 });
        assert.deepEqual(
          entries.map(({ command, kind, old, new: now }) => [
            command,
            kind,
            (old as any)?.prefixes,
            (now as any).prefixes,
          ]),
          [
            ["update-catalogue", "dataset", 2, 3],
            ["import-feed", "dataset", undefined, 3],
          ],
        );
        assert.deepEqual(entries[1]!.new, facts);
        const unknown = { organisationId: "nobody", ...by(3), old: null, new: facts };
        await refused("organisation-not-found", replica.store.write({ kind: "import-feed", ...unknown }));
      }));

    test("plans and keys", () =>
      withReplica(async (replica) => {
        const { organisation } = await replica.organisation();
        const of = { organisationId: organisation.id };
        const plan = { ...of, area: "edl", active: true, until: 99, perMinute: 60, perMonth: null } as const;
        assert.deepEqual((await replica.store.write({ kind: "set-plan", ...plan, ...by(2) })).plan, plan);
        assert.deepEqual(
          (await replica.store.write({ kind: "set-plan", ...plan, active: false, until: null, ...by(3) })).plan,
          { ...plan, active: false, until: 3 },
          "a plan that is turned off ends then",
        );
        assert.equal(replica.memory.plans.size, 1);
        const create = {
          kind: "create-credential",
          credential: "api",
          ...of,
          label: "laptop",
          access: "read_write",
          digest: "d1",
          start: "ips_abcd",
          expiresAt: null,
        } as const;
        const { credential: key } = await replica.store.write({ ...create, ...by(4) });
        await refused("credential-exists", replica.store.write({ ...create, ...by(4) }));
        const { credential: revoked } = await replica.store.write({
          kind: "revoke-credential",
          credential: "api",
          ...of,
          credentialId: key.id,
          ...by(5),
        });
        assert.deepEqual(revoked, { ...key, revokedAt: 5 });
        assert.deepEqual(
          (
            await replica.store.write({
              kind: "revoke-credential",
              credential: "api",
              ...of,
              credentialId: key.id,
              ...by(6),
            })
          ).credential,
          revoked,
        );
        await refused(
          "credential-not-found",
          replica.store.write({
            kind: "revoke-credential",
            credential: "api",
            ...of,
            credentialId: organisation.id,
            ...by(7),
          }),
        );
      }));

    test("usage adds up over months, areas and servers", () =>
      withReplica(async (replica, location) => {
        const { organisation } = await replica.organisation();
        const key = async (digest: string) =>
          (
            await replica.store.write({
              kind: "create-credential",
              credential: "api",
              organisationId: organisation.id,
              label: "",
              access: "read",
              digest,
              start: "",
              expiresAt: null,
              ...by(2),
            })
          ).credential.id;
        const [a, b] = [await key("a"), await key("b")];
        const other = await openStore(location);
        await Promise.all(
          [replica.store, other].map((store) =>
            store.record("usage", [
              { keyId: b, area: "edl", month: "2026-11", requests: 5, lastUsedAt: 7 },
              { keyId: a, area: "edl", month: "2026-11", requests: 2, lastUsedAt: 9 },
            ]),
          ),
        );
        await other.record("usage", [
          { keyId: a, area: "edl", month: "2026-12", requests: 1, lastUsedAt: 8 },
          { keyId: a, area: "edl", month: "2026-11", requests: 1, lastUsedAt: 3 },
          // What could not be recorded before is beside what was counted since.
          { keyId: a, area: "cti", month: "2026-11", requests: 1, lastUsedAt: 12 },
          { keyId: a, area: "cti", month: "2026-11", requests: 6, lastUsedAt: 11 },
        ]);
        const november = [...(await other.read("usage", "2026-11"))].sort((x, y) => x.requests - y.requests);
        assert.deepEqual(november, [
          { keyId: a, area: "edl", month: "2026-11", requests: 5, lastUsedAt: 9 },
          { keyId: a, area: "cti", month: "2026-11", requests: 7, lastUsedAt: 12 },
          { keyId: b, area: "edl", month: "2026-11", requests: 10, lastUsedAt: 7 },
        ]);
        assert.deepEqual(
          (await other.read("usageOf", organisation.id, "2026-11")).find(({ keyId }) => keyId === a),
          { keyId: a, month: "2026-11", requests: 12, lastUsedAt: 12 },
        );
        await other.close();
      }));

    test("traffic adds up over servers, is kept in coarser steps the older it is, and takes a bounded number of rows", () =>
      withReplica(async (replica, location) => {
        const other = await openStore(location);
        const [minute, quarter, hour] = [60_000, 900_000, 3_600_000];
        const start = Date.UTC(2026, 10, 21, 12);
        const one = {
          requests: 3,
          refused: 2,
          failed: 1,
          lookups: 9_000_000_000,
          times: [
            [5, 2],
            [40, 1],
          ] as const,
        };
        const both = [replica.store, other];
        for (let at = start; at < start + 5 * minute; at += minute)
          await Promise.all(both.map((store) => store.record("traffic", [{ at, ...one }])));
        assert.deepEqual(
          (await other.read("traffic", minute, start)).map(({ at, requests, times }) => [at, requests, times]),
          [0, 1, 2, 3, 4].map((n) => [
            start + n * minute,
            6,
            [
              [5, 4],
              [40, 2],
            ],
          ]),
        );
        const all = {
          at: start,
          requests: 30,
          refused: 20,
          failed: 10,
          lookups: 90_000_000_000,
          times: [
            [5, 20],
            [40, 10],
          ],
        };
        for (const step of [quarter, hour]) assert.deepEqual(await other.read("traffic", step, start), [all]);
        assert.deepEqual(await other.read("traffic", minute, start + 5 * minute), []);
        // 40 days, every 40 minutes.
        for (let at = start; at < start + 40 * 24 * hour; at += 40 * minute * 24)
          await replica.store.record(
            "traffic",
            Array.from({ length: 24 }, (_, n) => ({ at: at + n * 40 * minute, ...one })),
          );
        const rows = await Promise.all(
          [minute, quarter, hour].map(async (step) => (await other.read("traffic", step, 0)).length),
        );
        assert.deepEqual(rows, [3, 72, 31 * 24]);
        await other.close();
      }));

    test("counts of limits: each message reaches every other server once, even if it is written twice or precedes the reader", (context) =>
      withReplica(async (replica, location) => {
        const other = await openStore(location);
        context.after(() => other.close());
        const tell = (server: string, number: number, counts: string, seen: readonly SeenMessage[] = []) =>
          replica.store.record("limits", server, { number, age: 1500.4, counts }, seen);
        const hear = async (server: string, seen: readonly SeenMessage[] = []) =>
          (await other.record("limits", server, null, seen)).map((found) => [
            found.server,
            found.number,
            found.counts,
            found.begun >= 1500 && found.begun < 60_000,
          ]);
        assert.deepEqual(await tell("a", 1, "one"), []);
        assert.deepEqual(await tell("a", 1, "one again"), [], "its confirmation was lost");
        assert.deepEqual(await hear("b"), [["a", 1, "one", true]]);
        assert.deepEqual(await hear("b", [["a", 1]]), []);
        await tell("a", 3, "three");
        const [ofA, ...rest] = await other.record("limits", "b", { number: 1, age: 2000, counts: "b's" }, [["a", 1]]);
        assert.deepEqual([ofA!.number, rest], [3, []]);
        assert.deepEqual(await hear("a"), [["b", 1, "b's", true]]);
        assert.deepEqual(await hear("c", [["gone", 9]]), [
          ["a", 1, "one", true],
          ["a", 3, "three", true],
          ["b", 1, "b's", true],
        ]);
        // Messages from three minutes ago, including one of a dead server.
        await runSql(location, "update limit_counts set at = at - 150000");
        assert.deepEqual(await hear("c"), [], "too old to be of use");
        await runSql(location, "update limit_counts set at = at - 31000 where number = 1");
        await Promise.all([
          tell("a", 4, "four"),
          other.record("limits", "d", { number: 1, age: 2000, counts: "d's" }, []),
        ]);
        assert.equal(
          await runSql(location, "select count(*) as result from limit_counts"),
          3,
          "the old ones are deleted",
        );
        await runSql(location, "update limit_counts set at = at + 86400000");
        assert.deepEqual(await hear("c"), [], "the clock was set back by a day");
        await tell("a", 5, "five");
        assert.deepEqual(await hear("c"), [["a", 5, "five", true]]);
        assert.equal(await runSql(location, "select count(*) as result from limit_counts"), 1, "they are deleted, too");
      }));

    test("another organisation's ruleset or key is treated as absent, by every command", () =>
      withReplica(async (replica) => {
        const mine = await replica.organisation("mine");
        const theirs = await replica.organisation("theirs");
        const own = { organisationId: mine.organisation.id };
        const { credential: key } = await replica.store.write({
          kind: "create-credential",
          credential: "api",
          organisationId: theirs.organisation.id,
          label: "",
          access: "read",
          digest: "x",
          start: "",
          expiresAt: null,
          ...by(2),
        });
        await replica.store.write({
          kind: "add-rule",
          organisationId: theirs.organisation.id,
          rulesetId: theirs.blocklist.id,
          request: adding("192.0.2.1"),
          ...by(2),
        });
        const attempts = (rulesetId: string, keyId: string) => [
          replica.store.write({
            kind: "add-rule",
            ...own,
            rulesetId,
            request: adding("192.0.2.1", { mode: "fail" }),
            ...by(3),
          }),
          replica.store.write({
            kind: "update-rule",
            ...own,
            rulesetId,
            prefix: parsePrefix("192.0.2.1"),
            changes: { name: "x" },
            ...by(3),
          }),
          replica.store.write({ kind: "delete-rule", ...own, rulesetId, prefix: parsePrefix("192.0.2.1"), ...by(3) }),
          replica.store.write({ kind: "batch-rules", ...own, rulesetId, items: [], atomic: true, ...by(3) }),
          replica.store.write({ kind: "replace-rules", ...own, rulesetId, rules: [], ifMatch: ofVersion(0), ...by(3) }),
          replica.store.write({ kind: "update-ruleset", ...own, rulesetId, name: "x", ...by(3) }),
          replica.store.write({ kind: "delete-ruleset", ...own, rulesetId, ...by(3) }),
          replica.store.write({ kind: "revoke-credential", credential: "api", ...own, credentialId: keyId, ...by(3) }),
        ];
        const absent = "00000000-0000-4000-8000-000000000000";
        const before = replica.memory.contents();
        const [foreign, none] = [
          await errorsOf(attempts(theirs.blocklist.id, key.id)),
          await errorsOf(attempts(absent, absent)),
        ];
        assert.deepEqual(
          foreign.map((text) => text.replaceAll(theirs.blocklist.id, "ID").replaceAll(key.id, "ID")),
          none.map((text) => text.replaceAll(absent, "ID")),
        );
        assert.ok(
          foreign.every((text) => /^(?:ruleset|credential)-not-found/.test(text)),
          foreign.join("\n"),
        );
        assert.deepEqual(replica.memory.contents(), before);
      }));

    test("an idempotency key of a long batch: all results are repeated, from another server too", () =>
      withReplica(async (replica, location) => {
        const { organisation, blocklist } = await replica.organisation();
        const other = await Replica.open(location);
        const write = async ({ store }: Replica, at: number) =>
          store.write({
            kind: "batch-rules",
            organisationId: organisation.id,
            rulesetId: blocklist.id,
            items: Array.from({ length: 2500 }, (_, i) => ({ add: adding(`198.18.${i >> 8}.${i & 255}`) })),
            atomic: true,
            idempotency: { key: "long", request: "digest" },
            ...by(at),
          });
        const first = await write(replica, 2);
        assert.deepEqual([first.results.length, first.results[2499]!.action], [2500, "created"]);
        for (const each of [replica, other]) assert.deepEqual(await write(each, 3), first);
        await other.store.close();
      }));

    test("an idempotency key: the first answer or rejection is repeated every time; another request is rejected", () =>
      withReplica(async (replica, location) => {
        const { organisation, blocklist } = await replica.organisation();
        const other = await Replica.open(location);
        const add = {
          kind: "add-rule",
          organisationId: organisation.id,
          rulesetId: blocklist.id,
          request: adding("192.0.2.1", { mode: "fail" }),
        } as const;
        const first = { key: "k1", request: "digest 1" };
        const answers = await Promise.all(
          [replica, replica, other, other].map(({ store }, i) =>
            store.write({ ...add, idempotency: first, ...by(10 + i) }),
          ),
        );
        for (const answer of answers) assert.deepEqual(answer, answers[0]);
        assert.equal(answers[0]!.action, "created");
        await refused(
          "conflict",
          replica.store.write({ ...add, idempotency: { key: "k2", request: "digest 1" }, ...by(20) }),
        );
        await replica.store.write({
          kind: "delete-rule",
          organisationId: organisation.id,
          rulesetId: blocklist.id,
          prefix: parsePrefix("192.0.2.1"),
          ...by(21),
        });
        await refused(
          "conflict",
          other.store.write({ ...add, idempotency: { key: "k2", request: "digest 1" }, ...by(22) }),
        );
        assert.deepEqual(await other.store.write({ ...add, idempotency: first, ...by(23) }), answers[0]);
        await refused(
          "idempotency-mismatch",
          other.store.write({ ...add, idempotency: { key: "k1", request: "digest 2" }, ...by(24) }),
        );
        const day = 24 * 60 * 60 * 1000;
        await other.store.write({
          ...add,
          request: adding("192.0.2.77"),
          idempotency: { key: "k3", request: "" },
          ...by(30 + day),
        });
        assert.equal(
          (await other.store.write({ ...add, idempotency: first, ...by(31 + day) })).action,
          "created",
          "forgotten after a day",
        );
        await until("the replica has what the other has", () => replica.memory.sequence === other.memory.sequence);
        const { organisation: second, blocklist: list } = await replica.organisation("another");
        const elsewhere = await replica.store.write({
          ...add,
          organisationId: second.id,
          rulesetId: list.id,
          idempotency: { key: "k3", request: "other" },
          ...by(32 + day),
        });
        assert.equal(elsewhere.action, "created", "keys belong to an organisation");
        await other.store.close();
      }));

    test("two replicas see each other's writes, in order, none lost, under random delays", (t) =>
      withReplica(async (replica, location) => {
        const others = await Promise.all([20, 3_600_000].map((pollEvery) => Replica.open(location, { pollEvery })));
        const all = [replica, ...others];
        const { organisation, blocklist } = await replica.organisation();
        const each = rounds({ short: 20, long: 40 });
        const own = await Promise.all(
          all.map(async ({ store }, who) => {
            for (let i = 0; i < each; i++) {
              const text = `10.${who}.0.${i}`;
              await store.write({
                kind: "add-rule",
                organisationId: organisation.id,
                rulesetId: blocklist.id,
                request: adding(text),
                ...by(100 + i),
              });
              assert.ok(all[who]!.memory.rulesOf(blocklist.id).has(text), "a replica reads its own write");
              if (Math.random() < 0.3) await delay(Math.random() * 10);
            }
            return each;
          }),
        );
        // The one that polls once an hour sees the remaining changes with its next write.
        await others[1]!.store.write({
          kind: "add-rule",
          organisationId: organisation.id,
          rulesetId: blocklist.id,
          request: adding("10.9.0.0"),
          ...by(1000),
        });
        await until("all replicas have every change", () =>
          all.every(({ memory }) => memory.sequence === 3 + 3 * each + 1),
        );
        for (const { memory } of others) {
          assert.deepEqual(memory.contents(), replica.memory.contents());
          assert.deepEqual(memory.seen, replica.memory.seen.slice(-memory.seen.length));
        }
        t.diagnostic(`${own.length} replicas, ${replica.memory.seen.length} changes`);
        for (const { store, failures } of others) {
          assert.deepEqual(failures, []);
          await store.close();
        }
      }));

    test("a reader that fails gets the error and no more changes, and writes wait until it has reloaded", async () => {
      const store = await openStore(await make(), { pollEvery: 20 });
      const told: unknown[] = [];
      const given: number[] = [];
      store.follow(
        0,
        (changes) => {
          given.push(...changes.map(({ sequence }) => sequence));
          if (given.length === 3) throw new Error("a defect");
        },
        (error, isLost) => told.push([error, isLost]),
      );
      const answered: string[] = [];
      const write = (name: string) =>
        store.write({ kind: "create-organisation", name, ...by(1) }).then(() => answered.push(name));
      const writes = [write("one")];
      await delay(50);
      writes.push(write("two"));
      await until("three changes have been given", () => given.length === 3);
      await delay(100);
      assert.deepEqual([given, told, answered], [[1, 2, 3], [[new Error("a defect"), true]], []]);
      let loaded = await store.load(null);
      await until("six changes are loaded", async () => (loaded = await store.load(null)).sequence === 6);
      assert.equal(loaded.organisations.length, 2);
      store.resume(3);
      await Promise.all(writes);
      assert.deepEqual(
        [given, answered],
        [
          [1, 2, 3, 4, 5, 6],
          ["one", "two"],
        ],
      );
      await store.close();
    });

    test("a list is imported all or nothing, each rule as if it were added alone; many rules are delivered as the whole ruleset", () =>
      withReplica(
        async (replica) => {
          const { organisation, blocklist } = await replica.organisation();
          const into = { organisationId: organisation.id, rulesetId: blocklist.id, ...by(2) };
          const texts = (count: number): string[] =>
            Array.from({ length: count }, (_, i) => `10.0.${i >> 8}.${i & 255}`);
          const importing = (count: number, name: string | null, mode: ConflictMode) =>
            replica.store.write({ kind: "import-rules", ...into, rules: columnsOfTexts(texts(count), name), mode });
          assert.deepEqual(await importing(3, null, "fail"), { created: 3, updated: 0, skipped: 0, isKept: true });
          assert.deepEqual(await importing(4, "named", "skip"), { created: 1, updated: 0, skipped: 3, isKept: true });
          assert.deepEqual(await importing(4, "named", "extend"), { created: 0, updated: 3, skipped: 1, isKept: true });
          await refused("batch-refused", importing(5, null, "fail"));
          await refused(
            "version-mismatch",
            replica.store.write({
              kind: "import-rules",
              ...into,
              rules: columnsOfTexts(texts(5)),
              mode: "extend",
              ifMatch: ofVersion(4),
            }),
          );
          await refused("batch-refused", importing(20_001, null, "extend"));
          assert.equal(replica.memory.rulesOf(blocklist.id).size, 4);
          assert.deepEqual(await importing(20_000, "named", "extend"), {
            created: 19_996,
            updated: 0,
            skipped: 4,
            isKept: true,
          });
          assert.equal(replica.memory.rulesOf(blocklist.id).size, 20_000);
          const told = (await replica.store.changesAfter(3)).map(({ kind }) => kind);
          assert.deepEqual(told, ["rules", "rules", "rules", "rules-replaced"]);
          assert.equal((await replica.store.check()).rules, 20_000);
        },
        { rulesPerRuleset: 20_000 },
      ));

    test("changes that list thousands of rules are read in parts", () =>
      withReplica(async (replica) => {
        const { organisation, blocklist } = await replica.organisation();
        const into = { organisationId: organisation.id, rulesetId: blocklist.id, ...by(2) };
        const versions: number[] = [];
        for (let batch = 0; batch < 4; batch++) {
          const items = Array.from({ length: 1500 }, (_, at) => ({
            add: adding(`20.${batch}.${at >> 8}.${at & 255}`),
          }));
          await replica.store.write({ kind: "batch-rules", ...into, items, atomic: true });
          versions.push(replica.memory.sequence);
        }
        const read: number[][] = [];
        for (let after = versions[0]! - 1; ; after = read.at(-1)!.at(-1)!) {
          const changes = await replica.store.changesAfter(after);
          if (changes.length === 0) break;
          read.push(changes.map(({ sequence }) => sequence));
          for (const change of changes) assert.ok(change.kind === "rules" && change.upserts.length === 1500);
        }
        assert.deepEqual(read, [versions.slice(0, 2), versions.slice(2)]);
      }));

    test("a reader that was away for too long, or is ahead of the database, must reload", () =>
      withReplica(async (replica) => {
        await replica.organisation();
        assert.equal((await replica.store.changesAfter(1)).length, 2);
        assert.deepEqual(await replica.store.changesAfter(3), []);
        await refused("changes-gone", replica.store.changesAfter(4));
      }));

    describe("saved rules", () => {
      /** Rules as a server saves them, with what it knows about them, and the rules as a map. */
      async function save({ store, memory }: Replica, rulesetId: string): Promise<[SavedRules, Map<string, Rule>]> {
        const mark = (await store.read("historyMark"))!;
        return [{ rulesetId, sequence: memory.sequence, mark }, new Map(memory.rulesOf(rulesetId))];
      }

      /** Loads with saved rules. Returns the outcome for each, and which rulesets were read. */
      async function load({ store }: Replica, saved: SavedRules) {
        const read = new Set<string>();
        const { caughtUp, sequence } = await store.load(({ rulesetId }) => read.add(rulesetId), [saved]);
        assert.equal(caughtUp.length, 1);
        return { result: caughtUp[0]!, read: [...read], sequence };
      }

      /** One of five writes, in one of two rulesets. */
      async function writeSome({ store }: Replica, random: Random, rulesets: readonly Ruleset[], at: number) {
        const { organisationId, id: rulesetId } = rulesets[random.below(rulesets.length)]!;
        const owned = { organisationId, rulesetId, ...by(at) };
        const prefix = `192.0.2.${random.below(40)}`;
        const add = adding(prefix, { name: `at ${at}`, mode: "override" });
        const kind = random.below(4);
        if (kind < 2) await store.write({ kind: "add-rule", ...owned, request: add });
        else if (kind === 2)
          await store.write({
            kind: "batch-rules",
            ...owned,
            atomic: false,
            items: [{ add }, { delete: parsePrefix(`192.0.2.${random.below(40)}`) }],
          });
        else await store.write({ kind: "update-ruleset", ...owned, description: `at ${at}` });
      }

      test("only missing changes are read, and applying them yields the rules, even if some are applied already", () =>
        withReplica(async (replica) => {
          const { allowlist, blocklist } = await replica.organisation();
          const { blocklist: elsewhere } = await replica.organisation("Elsewhere");
          const rulesets = [allowlist, blocklist, elsewhere];
          const random = new Random(16);
          let [changed, unchanged] = [0, 0];
          for (let at = 1; at < 30; at++) await writeSome(replica, random, rulesets, at);
          for (let round = 0; round < 20; round++) {
            const [{ sequence }] = await save(replica, blocklist.id);
            // A copy that a server makes while changes continue may include some of those after `sequence`, but none
            // after the mark.
            for (let some = random.below(3); some > 0; some--) await writeSome(replica, random, rulesets, 100 + round);
            const [saved, rules] = await save(replica, blocklist.id);
            for (let some = random.below(6); some > 0; some--) await writeSome(replica, random, rulesets, 200 + round);
            const { result, read } = await load(replica, { ...saved, sequence });
            assert.ok("changes" in result);
            assert.deepEqual(
              read.sort(),
              [allowlist.id, elsewhere.id].filter((id) => replica.memory.rulesOf(id).size > 0).sort(),
            );
            for (const { upserts, deletes } of result.changes) {
              for (const rule of upserts) rules.set(formatPrefix(rule.prefix), rule);
              for (const prefix of deletes) rules.delete(formatPrefix(prefix));
            }
            assert.deepEqual(sortedByPrefix(rules), sortedByPrefix(replica.memory.rulesOf(blocklist.id)));
            if (result.changes.length > 0) changed++;
            else unchanged++;
          }
          assert.ok(changed > 5 && unchanged > 0, `${changed} with changes, ${unchanged} without`);
        }));

      test("rules that may not belong to this database and its history are not used, and the rules are read", () =>
        withReplica(async (replica, location) => {
          const { allowlist, blocklist } = await replica.organisation();
          const random = new Random(17);
          for (let at = 1; at < 9; at++) await writeSome(replica, random, [blocklist], at);
          const [saved] = await save(replica, blocklist.id);
          const { mark } = saved;
          const refusedFor = async (reason: RegExp, change: Partial<SavedRules>): Promise<void> => {
            const { result, read } = await load(replica, { ...saved, ...change });
            assert.ok("reason" in result, "they are not used");
            assert.match(result.reason, reason);
            assert.deepEqual(read, [blocklist.id]);
          };
          assert.ok("changes" in (await load(replica, saved)).result, "control: as they are, they are used");
          await refusedFor(/schema 1, and the database has/, { mark: { ...mark, schema: 1 } });
          await refusedFor(/saved at change \d+, and the database is at change \d+/, {
            mark: { ...mark, sequence: mark.sequence + 1 },
          });
          await refusedFor(/another database/, {
            mark: { ...mark, transaction: "00000000-0000-4000-8000-000000000000" },
          });
          await refusedFor(/another database/, {
            sequence: saved.sequence - 2,
            mark: { ...mark, sequence: mark.sequence - 1 },
          });
          const { result: gone } = await load(replica, { ...saved, rulesetId: "00000000-0000-4000-8000-000000000000" });
          assert.deepEqual("reason" in gone && gone.reason, "the ruleset has been deleted");

          await replica.store.write({
            kind: "replace-rules",
            organisationId: allowlist.organisationId,
            rulesetId: blocklist.id,
            rules: columnsOfTexts(Array.from({ length: 5000 }, (_, i) => `198.18.${i >> 8}.${i & 255}`).sort()),
            ...by(300),
          });
          await refusedFor(/most of the rules have changed/, {});
          const [later] = await save(replica, blocklist.id);
          await replica.store.write({
            kind: "delete-ruleset",
            organisationId: allowlist.organisationId,
            rulesetId: blocklist.id,
            ...by(301),
          });
          await replica.store.write({
            kind: "restore-ruleset",
            organisationId: allowlist.organisationId,
            sequence: later.sequence + 1,
            ...by(302),
          });
          await refusedFor(/most of the rules have changed/, later);
          const [last] = await save(replica, blocklist.id);
          await writeSome(replica, random, [blocklist], 303);
          assert.ok("changes" in (await load(replica, last)).result);
          await writeSome(replica, random, [blocklist], 304);
          // The last change is kept: the store identifies its database by it.
          await replica.store.changesAfter(replica.memory.sequence);
          await runSql(location, `delete from changes where sequence <= ${last.sequence + 1}`);
          await refusedFor(/changes are kept from \d+ on/, last);
        }));
    });

    test("histories of concurrent writers are linearizable per rule, and extend never shortens (R9)", (t) =>
      withReplica(async (replica, location) => {
        const other = await Replica.open(location);
        const writes = rounds({ short: 15, long: 40 });
        const report: HistoryReport = await runHistory([replica, other], {
          seed: 9,
          writers: 24,
          writes,
          prefixes: 6,
        });
        t.diagnostic(JSON.stringify(report));
        assert.ok(report.writes === 24 * writes && report.chained >= 22.5 * writes);
        await other.store.close();
      }));

    test("commands passed to a store before it is closed are executed; later ones are rejected", async () => {
      const location = await make();
      const replica = await Replica.open(location);
      const { organisation, blocklist } = await replica.organisation();
      const writes = Array.from({ length: 50 }, (_, i) =>
        replica.store.write({
          kind: "add-rule",
          organisationId: organisation.id,
          rulesetId: blocklist.id,
          request: adding(`192.0.2.${i}`),
          ...by(2),
        }),
      );
      await replica.store.close();
      assert.equal((await Promise.all(writes)).length, 50);
      await refused("closed", replica.organisation("late"));
      const again = await Replica.open(location);
      assert.equal(again.memory.rulesOf(blocklist.id).size, 50);
      await again.store.close();
    });
  });
}

function sortedByPrefix(rules: ReadonlyMap<string, Rule>): Rule[] {
  return [...rules.values()].sort((one, other) => comparePrefixes(one.prefix, other.prefix));
}

async function refused(code: StoreErrorCode, promise: Promise<unknown>): Promise<void> {
  await assert.rejects(promise, { name: "StoreError", code });
}

async function errorsOf(promises: readonly Promise<unknown>[]): Promise<string[]> {
  return Promise.all(
    promises.map((promise) =>
      promise.then(
        () => "no error",
        ({ code, message }) => `${code} ${message}`,
      ),
    ),
  );
}
