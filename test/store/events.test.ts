import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { formatPrefix, parsePrefix } from "../../src/address/prefix.ts";
import { Random } from "../../bench/data/random.ts";
import type { Rule } from "../../src/rulesets/rule.ts";
import type { Event } from "../../src/store/event.ts";
import { eventsOf } from "../../src/store/packed-events.ts";
import type { Ruleset } from "../../src/store/state.ts";
import type { Store } from "../../src/store/store.ts";
import { StoreError } from "../../src/store/store-error.ts";
import { onlyLong, rounds } from "../rounds.ts";
import { columnsOfTexts } from "./harness/columns.ts";
import { Memory } from "./harness/memory.ts";
import { ReplayedEvents } from "./harness/replayed-events.ts";
import { adding, by, databases, Replica } from "./harness/stores.ts";

for (const { name, skip, make, stop } of await databases()) {
  describe(`events on ${name}`, { skip: skip || (name === "PostgreSQL" && onlyLong()) }, () => {
    after(stop);

    test("every change of a rule is one event; an expiry comes before the write that follows it, once", async () => {
      const { store, ids, close } = await opened();
      const rulesetId = ids.blocklist;
      const add = (at: number, prefix: string, expiresAt: number | null, mode: "extend" | "override" = "extend") =>
        store.write({
          kind: "add-rule",
          organisationId: ids.organisation,
          rulesetId,
          ...by(at),
          request: adding(prefix, { expiresAt, mode }),
        });
      await add(10, "192.0.2.1", 20);
      await add(11, "192.0.2.2", 15);
      await add(12, "192.0.2.1", 20);
      await add(30, "192.0.2.3", 25);
      await add(40, "192.0.2.2", 50);
      await add(41, "192.0.2.1", 39, "override");
      await store.write({ kind: "expire-rules", ...by(60) });
      await store.write({ kind: "expire-rules", ...by(61) });
      await store.write({
        kind: "delete-rule",
        organisationId: ids.organisation,
        rulesetId,
        prefix: parsePrefix("192.0.2.2"),
        ...by(62),
      });
      const told = (await eventsAfter(store, ids.organisation, 2)).map((event) =>
        "rule" in event ? `${event.type.slice(5)} ${formatPrefix(event.rule.prefix)} ${event.at}` : event.type,
      );
      assert.deepEqual(told, [
        "created 192.0.2.1 10",
        "created 192.0.2.2 11",
        "expired 192.0.2.2 15",
        "expired 192.0.2.1 20",
        "created 192.0.2.3 30",
        "expired 192.0.2.3 25",
        "updated 192.0.2.2 40",
        "updated 192.0.2.1 41",
        "expired 192.0.2.2 50",
        "deleted 192.0.2.2 62",
      ]);
      await close();
    });

    test("keys and rulesets have events, and a deleted ruleset covers its rules; other organisations have their own numbers", async () => {
      const { store, ids, close } = await opened();
      const owned = { organisationId: ids.organisation };
      const key = { label: "k", access: "read" as const, digest: "d", start: "s", expiresAt: null };
      const { credential: made } = await store.write({
        kind: "create-credential",
        credential: "api",
        ...owned,
        ...key,
        ...by(3),
      });
      await store.write({ kind: "revoke-credential", credential: "api", ...owned, credentialId: made.id, ...by(4) });
      await store.write({ kind: "update-ruleset", ...owned, rulesetId: ids.blocklist, name: "b", ...by(5) });
      await store.write({
        kind: "add-rule",
        ...owned,
        rulesetId: ids.blocklist,
        request: adding("192.0.2.1"),
        ...by(6),
      });
      await store.write({ kind: "delete-ruleset", ...owned, rulesetId: ids.blocklist, ...by(7) });
      const { organisation } = await store.write({ kind: "create-organisation", name: "Other", ...by(8) });
      const events = await eventsAfter(store, ids.organisation, 0);
      assert.deepEqual(
        events.map(({ type }) => type),
        [
          "ruleset.created",
          "ruleset.created",
          "key.created",
          "key.revoked",
          "ruleset.updated",
          "rule.created",
          "ruleset.deleted",
        ],
      );
      assert.ok(!JSON.stringify(events).includes('"digest"'));
      assert.deepEqual(
        (await eventsAfter(store, organisation.id, 0)).map(({ sequence }) => sequence),
        [1, 2],
      );
      await close();
    });

    test("a list of 9,000 rules is as many events, in pieces; so are its undo and restoration", async () => {
      const { store, ids, replica, close } = await opened();
      const owned = { organisationId: ids.organisation, rulesetId: ids.blocklist };
      const texts = Array.from({ length: 9000 }, (_, at) => `198.${18 + (at >> 16)}.${(at >> 8) & 255}.${at & 255}`);
      await store.write({
        kind: "import-rules",
        ...owned,
        rules: columnsOfTexts(texts, "a"),
        mode: "extend",
        ...by(10),
      });
      await store.write({
        kind: "replace-rules",
        ...owned,
        rules: columnsOfTexts(texts.slice(2000), "b"),
        shrink: { maxShrink: 100 },
        ...by(11),
      } as never);
      const replaced = replica.memory.sequence;
      await store.write({ kind: "restore-rules", ...owned, sequence: replaced, ...by(12) });
      await store.write({ kind: "delete-ruleset", ...owned, ...by(13) });
      await store.write({ kind: "restore-ruleset", ...owned, sequence: replica.memory.sequence, ...by(14) });
      const replayed = new ReplayedEvents();
      await replayed.read(store, ids.organisation, 7777);
      assert.deepEqual(Object.fromEntries(replayed.counts), {
        "ruleset.created": 3,
        "ruleset.deleted": 1,
        "rule.created": 9000 + 2000 + 9000,
        "rule.updated": 7000 + 7000,
        "rule.deleted": 2000,
      });
      await compare(store, ids.organisation, replayed, 20);
      await close();
    });

    test("11,000 rules that expire at once are as many events, whoever appends them", async () => {
      const location = await make();
      const replica = await Replica.open(location);
      const other = await Replica.open(location);
      const { organisation, blocklist } = await replica.organisation();
      const texts = Array.from({ length: 11_000 }, (_, at) => `198.18.${at >> 8}.${at & 255}`);
      const [columns] = columnsOfTexts(texts);
      columns!.expiresAt.fill(100);
      await replica.store.write({
        kind: "import-rules",
        organisationId: organisation.id,
        rulesetId: blocklist.id,
        rules: [columns!],
        mode: "extend",
        ...by(10),
      });
      await Promise.all([replica, other].map(({ store }) => store.write({ kind: "expire-rules", ...by(100) })));
      const replayed = new ReplayedEvents();
      await replayed.read(other.store, organisation.id, 100_000);
      assert.equal(replayed.counts.get("rule.expired"), 11_000);
      await compare(other.store, organisation.id, replayed, 100);
      assert.equal(await other.store.read("nextExpiry"), null);
      await Promise.all([replica.store.close(), other.store.close()]);
    });

    test("old events are deleted; a reader that has not read them learns where the feed begins", async () => {
      const location = await make();
      const replica = await Replica.open(location, { eventsPerOrganisation: 1500 });
      const { organisation, blocklist } = await replica.organisation();
      const owned = { organisationId: organisation.id, rulesetId: blocklist.id };
      for (let at = 1; at <= 4; at++)
        await replica.store.write({
          kind: "batch-rules",
          ...owned,
          atomic: true,
          items: Array.from({ length: 1000 }, (_, n) => ({ add: adding(`198.18.${at * 8 + (n >> 8)}.${n & 255}`) })),
          ...by(at),
        });
      const { sequence, oldest, rows } = await replica.store.read("events", organisation.id, 0, 10);
      assert.deepEqual({ sequence, rows }, { sequence: 4002, rows: [] });
      assert.ok(oldest > 1000 && oldest <= 2503, `${oldest}`);
      const left = await eventsAfter(replica.store, organisation.id, oldest - 1);
      assert.deepEqual([left[0]!.sequence, left.at(-1)!.sequence, left.length], [oldest, 4002, 4003 - oldest]);
      await replica.store.close();
    });

    test("replaying the feed yields the rules of the store, whatever two servers write at the same time", async (t) => {
      const seed = Date.now() % 1e6;
      const steps = rounds({ short: 60, long: 2000 });
      const replayed = await writeAtRandom(seed, steps);
      t.diagnostic(`seed ${seed}: ${JSON.stringify(Object.fromEntries(replayed.counts))}`);
      for (const type of ["rule.created", "rule.updated", "rule.deleted", "rule.expired", "ruleset.deleted"])
        assert.ok((replayed.counts.get(type) ?? 0) > 0, `no ${type}, seed ${seed}`);
    });

    test("whatever the clocks of two servers do, a rule expires once, and never before its time by one of them", async (t) => {
      const seed = Date.now() % 1e6;
      const replayed = await writeAtRandom(seed, rounds({ short: 100, long: 600 }), 60);
      t.diagnostic(`seed ${seed}: ${JSON.stringify(Object.fromEntries(replayed.counts))}`);
      assert.ok((replayed.counts.get("rule.expired") ?? 0) > 0, `seed ${seed}`);
    });

    test("a clock that was ahead: what it announced is not announced again; what is written afterwards expires at its end", async () => {
      const { store, ids, replica, close } = await opened();
      const owned = { organisationId: ids.organisation, rulesetId: ids.blocklist };
      const add = (at: number, prefix: string, expiresAt: number | null, mode: "extend" | "override" = "override") =>
        store.write({ kind: "add-rule", ...owned, ...by(at), request: adding(prefix, { expiresAt, mode }) });
      const expire = (at: number) => store.write({ kind: "expire-rules", ...by(at) });
      let read = 2;
      const told = async (): Promise<string[]> => {
        const events = await eventsAfter(store, ids.organisation, read);
        read += events.length;
        return events.map((event) =>
          "rule" in event
            ? `${event.type.slice(5)} ${formatPrefix(event.rule.prefix).slice(8)} ${event.at}`
            : event.type,
        );
      };
      for (let last = 1; last <= 7; last++) await add(10, `192.0.2.${last}`, last === 7 ? 5000 : 100 + last);
      await told();
      await expire(1000);
      assert.deepEqual(
        await told(),
        [1, 2, 3, 4, 5, 6].map((last) => `expired ${last} ${100 + last}`),
        "the clock is ahead",
      );
      // The clock is right again: what is written now is announced at its end, and not at once.
      await add(20, "192.0.2.8", 50);
      await add(21, "192.0.2.1", 60);
      await store.write({
        kind: "update-rule",
        ...owned,
        prefix: parsePrefix("192.0.2.2"),
        changes: { name: "renamed" },
        ...by(22),
      });
      await store.write({ kind: "delete-rule", ...owned, prefix: parsePrefix("192.0.2.3"), ...by(23) });
      await add(24, "192.0.2.4", 9);
      const list = columnsOfTexts(["192.0.2.5"]);
      for (const { expiresAt } of list) expiresAt.fill(70);
      const refused = store.write({
        kind: "replace-rules",
        ...owned,
        rules: list,
        shrink: { maxShrink: 1 },
        ...by(25),
      });
      await assert.rejects(refused, { code: "shrinks-too-much" });
      const imported = { kind: "import-rules", ...owned, mode: "override" } as const;
      const nine = columnsOfTexts(["192.0.2.9"]);
      for (const { expiresAt } of nine) expiresAt.fill(80);
      await store.write({ ...imported, rules: nine, ...by(26) });
      assert.deepEqual(await told(), [
        "created 8 20",
        "updated 1 21",
        "updated 2 22",
        "deleted 3 23",
        "updated 4 24",
        "created 9 26",
      ]);
      await store.write({ kind: "restore-rules", ...owned, sequence: replica.memory.sequence, ...by(27) });
      assert.deepEqual(await told(), ["deleted 9 27"]);
      await expire(79);
      assert.deepEqual(await told(), ["expired 8 50", "expired 1 60"]);
      await expire(200);
      assert.deepEqual(await told(), ["expired 2 102"], "those of 5 and 6 were announced while the clock was ahead");
      await expire(6000);
      assert.deepEqual(await told(), ["expired 7 5000"]);
      await close();
    });

    async function opened() {
      const replica = await Replica.open(await make());
      const { organisation, blocklist } = await replica.organisation();
      const close = () => replica.store.close();
      return { replica, store: replica.store, ids: { organisation: organisation.id, blocklist: blocklist.id }, close };
    }

    /** `jump`: how far the clocks of the servers are set forward or back, each by itself, every now and then. */
    async function writeAtRandom(seed: number, steps: number, jump = 0): Promise<ReplayedEvents> {
      const location = await make();
      const replicas = [await Replica.open(location), await Replica.open(location)];
      const { organisation } = await replicas[0]!.organisation();
      const random = new Random(seed);
      let clock = 1000;
      const replayed = new ReplayedEvents();
      const ahead = [0, 0];
      for (let step = 0; step < steps; step++) {
        if (jump > 0) {
          const which = random.below(2);
          if (random.below(4) === 0) ahead[which] = random.below(2) * (random.below(2 * jump) - jump);
          if (random.below(20) === 0) {
            await replicas[which]!.store.close();
            replicas[which] = await Replica.open(location);
          }
        }
        const writes = Array.from({ length: 1 + random.below(6) }, () => {
          clock += random.below(3);
          const which = random.below(2);
          const at = clock + ahead[which]!;
          return writeOne(replicas[which]!, organisation.id, random, at).catch((error: unknown) => {
            if (!(error instanceof StoreError)) throw error;
          });
        });
        if (jump > 0) replayed.clock = clock + Math.max(...ahead);
        await Promise.all(writes);
        await replayed.read(replicas[random.below(2)]!.store, organisation.id, 1 + random.below(50));
      }
      clock += 2 * jump;
      replayed.clock = Number.POSITIVE_INFINITY;
      for (const { store } of replicas) await store.write({ kind: "expire-rules", ...by(clock) });
      await replayed.read(replicas[0]!.store, organisation.id, 100);
      await compare(replicas[1]!.store, organisation.id, replayed, clock);
      for (const { store } of replicas) await store.close();
      return replayed;
    }
  });
}

test("negative control: a replay detects a missing, repeated or misplaced event", () => {
  const rule: Rule = { prefix: parsePrefix("192.0.2.1"), name: null, expiresAt: 5, createdAt: 1, updatedAt: 1 };
  const about = { rulesetId: "r", rule };
  const ruleset = { id: "r" } as Ruleset;
  const good: Event[] = [
    { sequence: 1, at: 1, type: "ruleset.created", ruleset },
    { sequence: 2, at: 1, type: "rule.created", ...about },
    { sequence: 3, at: 5, type: "rule.expired", ...about },
    { sequence: 4, at: 6, type: "rule.deleted", ...about },
  ];
  const numbered = (events: readonly Event[]) => events.map((event, index) => ({ ...event, sequence: index + 1 }));
  const replay = (events: readonly Event[]) => {
    const replayed = new ReplayedEvents();
    for (const event of events) replayed.apply(event);
    return replayed;
  };
  replay(good);
  assert.throws(() => replay(good.toSpliced(1, 1)), /missing/);
  assert.throws(() => replay(numbered(good.toSpliced(1, 1))), /rule.expired of/);
  assert.throws(() => replay(numbered(good.toSpliced(3, 0, good[2]!))), /expires twice/);
  assert.throws(() => replay(numbered([good[0]!, good[2]!, good[1]!])), /rule.expired of/);
  assert.throws(() => replay(good.slice(0, 2)).rulesAt(5), /expires at 5/);
  const early = new ReplayedEvents();
  early.clock = 4;
  assert.throws(() => good.forEach((event) => early.apply(event)), /and it is 4/);
});

/** One command of any kind that changes rules, with few prefixes and short times, so that they interact. */
async function writeOne({ store, memory }: Replica, organisationId: string, random: Random, at: number): Promise<void> {
  const rulesets = [...memory.rulesets.keys()];
  const prefix = () => `192.0.2.${random.below(24)}`;
  const expiry = () => (random.below(4) === 0 ? null : at - 4 + random.below(24));
  const owned = { organisationId, rulesetId: rulesets[random.below(rulesets.length)]!, ...by(at) };
  const signed = { organisationId, ...by(at) };
  const list = () => {
    const columns = columnsOfTexts([...new Set(Array.from({ length: random.below(12) }, prefix))]);
    for (const { expiresAt } of columns)
      for (let i = 0; i < expiresAt.length; i++) expiresAt[i] = expiry() ?? Number.POSITIVE_INFINITY;
    return columns;
  };
  switch (random.below(11)) {
    case 0:
    case 1:
    case 2:
      return void (await store.write({
        kind: "add-rule",
        ...owned,
        request: adding(prefix(), { expiresAt: expiry(), mode: random.below(2) === 0 ? "extend" : "override" }),
      }));
    case 3:
      return void (await store.write({
        kind: "update-rule",
        ...owned,
        prefix: parsePrefix(prefix()),
        changes: { expiresAt: expiry() },
      }));
    case 4:
      return void (await store.write({ kind: "delete-rule", ...owned, prefix: parsePrefix(prefix()) }));
    case 5:
      return void (await store.write({
        kind: "batch-rules",
        ...owned,
        atomic: false,
        items: Array.from({ length: 8 }, () =>
          random.below(2) === 0
            ? { delete: parsePrefix(prefix()) }
            : { add: adding(prefix(), { expiresAt: expiry() }) },
        ),
      }));
    case 6:
      return void (await store.write({ kind: "import-rules", ...owned, rules: list(), mode: "override" }));
    case 7:
      return void (await store.write({
        kind: "replace-rules",
        ...owned,
        rules: list(),
        shrink: { maxShrink: 100, allowEmpty: true },
      }));
    case 8: {
      const changes = memory.seen.filter(({ kind }) => kind === "rules");
      const change = changes.at(-1 - random.below(3));
      if (change === undefined || !("rulesetId" in change)) return;
      return void (await store.write({
        kind: "restore-rules",
        ...owned,
        rulesetId: change.rulesetId,
        sequence: change.sequence,
      }));
    }
    case 9: {
      if (rulesets.length > 3) return void (await store.write({ kind: "delete-ruleset", ...owned }));
      return void (await store.write({
        kind: "create-ruleset",
        ...signed,
        name: `r${at}`,
        purpose: "blocklist",
        description: "",
      }));
    }
    default: {
      const deleted = memory.seen.findLast(({ kind }) => kind === "ruleset-deleted");
      if (deleted === undefined || random.below(3) > 0)
        return void (await store.write({ kind: "expire-rules", ...by(at) }));
      return void (await store.write({ kind: "restore-ruleset", ...signed, sequence: deleted.sequence }));
    }
  }
}

async function eventsAfter(store: Store, organisationId: string, after: number): Promise<Event[]> {
  const { rows } = await store.read("events", organisationId, after, 1e6);
  return rows.flatMap((row) => [...eventsOf(row, after)]);
}

async function compare(store: Store, organisationId: string, replayed: ReplayedEvents, now: number): Promise<void> {
  const loaded = new Memory();
  loaded.start(await store.load((part) => loaded.add(part)));
  const own = [...loaded.rulesets.values()].filter((ruleset) => ruleset.organisationId === organisationId);
  const textsOf = (rules: Iterable<Rule>) => [...rules].map((rule) => JSON.stringify(rule)).sort();
  const found = replayed.rulesAt(now);
  assert.deepEqual([...replayed.rulesets.keys()].sort(), own.map(({ id }) => id).sort());
  for (const { id } of own)
    assert.deepEqual(textsOf(found.get(id) ?? []), textsOf(loaded.rules.get(id)?.values() ?? []));
}
