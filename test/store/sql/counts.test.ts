import assert from "node:assert/strict";
import { test } from "node:test";
import type { Deployment, PullToRecord } from "../../../src/store/records/deployment.ts";
import type { Traffic } from "../../../src/store/records/traffic.ts";
import type { Replica } from "../harness/stores.ts";
import { runSql } from "../harness/run-sql.ts";
import { by } from "../harness/stores.ts";
import { sqliteStores } from "../harness/sqlite-stores.ts";
import { definitionOf } from "../../deployments/definition-of.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** A midnight, UTC. */
const NOW = 20_000 * DAY;
const NONE = { pulls: 0, bytes: 0 };
const withStore = sqliteStores();

async function deploymentIn(store: Replica["store"], organisationId: string, name = "d"): Promise<Deployment> {
  const definition = definitionOf({});
  return (await store.write({ kind: "create-deployment", organisationId, name, definition, ...by(3) })).deployment;
}

function pullOf(deploymentId: string, at: number, status = 200): PullToRecord {
  const device = { file: "combined.txt", address: "192.0.2.1", agent: "curl" };
  return { deploymentId, at, id: `pull ${at}`, ...device, status, bytes: 10, earlier: NONE };
}

test("pulls are read as they were recorded, newest first, each once, and counted by day with those before them", () =>
  withStore(async ({ store, organisation }) => {
    const { id } = await deploymentIn(store, organisation.id);
    const other = await deploymentIn(store, organisation.id, "other");
    await store.record("pulls", []);
    const [first, second] = [pullOf(id, NOW + 5), { ...pullOf(id, NOW + DAY, 404), earlier: { pulls: 7, bytes: 90 } }];
    await store.record("pulls", [second, first, pullOf(other.id, NOW + 9)]);
    await store.record("pulls", [first]);
    const shown = ({ id: _id, earlier: _earlier, ...pull }: PullToRecord) => pull;
    assert.deepEqual(await store.read("pulls", id), {
      pulls: [shown(second), shown(first)],
      days: [
        { day: NOW, pulls: 1, bytes: 10 },
        { day: NOW + DAY, pulls: 8, bytes: 100 },
      ],
    });
    const times = (await store.read("pullTimes")).map(({ deploymentId, at }) => [deploymentId, at]);
    assert.deepEqual(
      new Map(times as [string, number][]),
      new Map([
        [id, NOW + DAY],
        [other.id, NOW + 9],
      ]),
    );
  }));

test("of pulls the last hundred are kept, and counts of the last 31 days", () =>
  withStore(async ({ store, organisation }) => {
    const { id } = await deploymentIn(store, organisation.id);
    const pulls = Array.from({ length: 101 }, (_, at) => pullOf(id, NOW + at));
    await store.record("pulls", [pullOf(id, NOW - 30 * DAY), pullOf(id, NOW - 31 * DAY), ...pulls]);
    const kept = await store.read("pulls", id);
    assert.deepEqual(
      [kept.pulls.length, kept.pulls[0]!.at, kept.pulls.at(-1)!.at, kept.days.map(({ day }) => day)],
      [100, NOW + 100, NOW + 1, [NOW - 30 * DAY, NOW]],
    );
  }));

test("usage adds up by key, area and month; the last use is the latest", () =>
  withStore(async ({ store, organisation }) => {
    const key = { credential: "api", label: "k", access: "read", digest: "d", start: "s" } as const;
    const { credential } = await store.write({
      kind: "create-credential",
      organisationId: organisation.id,
      ...key,
      ...by(3),
    });
    const use = (month: string, requests: number, lastUsedAt: number) =>
      ({ keyId: credential.id, area: "edl", month, requests, lastUsedAt }) as const;
    await store.record("usage", []);
    await store.record("usage", [use("2026-01", 2, 90), use("2026-01", 3, 50), use("2026-02", 4, 200)]);
    await store.record("usage", [use("2026-01", 1, 80), { ...use("2026-01", 5, 85), area: null }]);
    const found = await store.read("usage", "2026-01");
    assert.deepEqual(
      found.toSorted((a, b) => a.requests - b.requests),
      [{ ...use("2026-01", 5, 85), area: null }, use("2026-01", 6, 90)],
    );
    assert.deepEqual(await store.read("usageOf", organisation.id, "2026-01"), [
      { keyId: credential.id, month: "2026-01", requests: 11, lastUsedAt: 200 },
    ]);
    assert.deepEqual(await store.read("usageOf", crypto.randomUUID(), "2026-01"), []);
  }));

test("traffic adds up in steps of every length, and each length has an age of its own", () =>
  withStore(async ({ store }) => {
    const minute = (at: number, requests: number): Traffic => ({
      at,
      requests,
      refused: 1,
      failed: 2,
      lookups: 3,
      times: [[4, requests]],
    });
    await store.record("traffic", []);
    await store.record("traffic", [minute(NOW, 5), minute(NOW + 60_000, 6)]);
    await store.record("traffic", [minute(NOW, 1)]);
    const sum = { refused: 3, failed: 6, lookups: 9 };
    assert.deepEqual(await store.read("traffic", 60_000, NOW), [
      { at: NOW, requests: 6, refused: 2, failed: 4, lookups: 6, times: [[4, 6]] },
      minute(NOW + 60_000, 6),
    ]);
    for (const step of [900_000, 3_600_000])
      assert.deepEqual(await store.read("traffic", step, NOW), [{ at: NOW, requests: 12, ...sum, times: [[4, 12]] }]);
    assert.deepEqual(await store.read("traffic", 60_000, NOW + 1), [minute(NOW + 60_000, 6)]);
    await store.record("traffic", [minute(NOW + 2 * HOUR, 7)]);
    const starts = async (step: number) => (await store.read("traffic", step, 0)).map(({ at }) => at - NOW);
    assert.deepEqual(await starts(60_000), [60_000, 2 * HOUR], "what is two hours old is gone");
    assert.deepEqual(await starts(900_000), [0, 2 * HOUR], "of longer steps it is not");
    await store.record("traffic", [minute(NOW + 31 * DAY, 8)]);
    for (const step of [60_000, 900_000]) assert.deepEqual(await starts(step), [31 * DAY]);
    assert.deepEqual(await starts(3_600_000), [2 * HOUR, 31 * DAY]);
  }));

test("what was blocked adds up by source, prefix, unit and hour, for 31 days; beyond 500 rows of an hour it is another's", () =>
  withStore(async ({ store, organisation }) => {
    const { id: deploymentId } = await deploymentIn(store, organisation.id);
    const count = (source: string, amount: number, prefix = "192.0.2.0/24") =>
      ({ source, prefix, unit: "packet", amount }) as const;
    const report = (at: number, ...counts: ReturnType<typeof count>[]) =>
      store.record("blocked", { deploymentId, at, counts });
    await report(NOW + 1);
    await report(NOW - 31 * DAY, count("old", 1));
    await report(NOW + 1, count("a", 2), count("a", 3), count("b", 9));
    await report(NOW + HOUR, count("a", 10));
    await store.record("blocked", {
      deploymentId,
      at: NOW,
      counts: [{ source: "b", prefix: "", unit: "byte", amount: 1 }],
    });
    assert.deepEqual(await store.read("blocked", deploymentId, NOW), {
      counts: [count("a", 15), count("b", 9), { source: "b", prefix: "", unit: "byte", amount: 1 }],
      hours: [
        { at: NOW, unit: "byte", amount: 1 },
        { at: NOW, unit: "packet", amount: 14 },
        { at: NOW + HOUR, unit: "packet", amount: 10 },
      ],
    });
    const many = Array.from({ length: 501 }, (_, i) => count("x", 1000 - i, `10.0.${i >> 8}.${i & 255}`));
    await report(NOW + 40 * DAY, ...many, many[0]!);
    const { counts } = await store.read("blocked", deploymentId, NOW + 40 * DAY);
    assert.deepEqual([counts.length, counts[0]], [200, { ...many[0], amount: 2000 }]);
    assert.equal((await store.read("blocked", deploymentId, NOW + 40 * DAY)).hours.length, 1);
    await report(NOW + 40 * DAY, count("y", 5000), count("z", 5000));
    const [most] = (await store.read("blocked", deploymentId, NOW + 40 * DAY)).counts;
    assert.deepEqual(most, { source: "other", prefix: "", unit: "packet", amount: 10_500 });
  }));

test("activity is of the last day by the hour, and of 31 days of pulls; errors are counted by status", () =>
  withStore(async ({ store, organisation, owned }) => {
    const now = NOW + 10;
    const { id } = await deploymentIn(store, organisation.id);
    const gone = await deploymentIn(store, organisation.id, "gone");
    const rename = (name: string, at: number) => store.write({ kind: "update-ruleset", ...owned, name, ...by(at) });
    for (const [index, at] of [NOW - 23 * HOUR - 1, NOW - 23 * HOUR, NOW - HOUR, NOW - 1, NOW].entries())
      await rename(`name ${index}`, at);
    await store.record("pulls", [
      pullOf(id, now - DAY, 404),
      pullOf(id, now - DAY + 1, 404),
      pullOf(id, now - 2, 404),
      pullOf(id, now - 1, 400),
      pullOf(id, now, 399),
      pullOf(gone.id, now, 500),
    ]);
    const counts = [{ source: "a", prefix: "", unit: "request", amount: 3 }] as const;
    for (const at of [NOW - 24 * HOUR, NOW - 23 * HOUR, NOW])
      await store.record("blocked", { deploymentId: id, at, counts });
    await store.write({ kind: "delete-deployment", organisationId: organisation.id, deploymentId: gone.id, ...by(4) });
    const { errors, ...rest } = await store.read("activity", organisation.id, now);
    assert.deepEqual(rest, {
      changes: [
        { at: NOW - 23 * HOUR, count: 1 },
        { at: NOW - HOUR, count: 2 },
        { at: NOW, count: 1 },
      ],
      blocked: [NOW - 23 * HOUR, NOW].map((at) => ({ at, unit: "request", amount: 3 })),
      days: [
        { day: NOW - DAY, pulls: 2 },
        { day: NOW, pulls: 3 },
      ],
    });
    assert.deepEqual(
      errors.toSorted((a, b) => a.status - b.status),
      [
        { deploymentId: id, status: 400, count: 1, at: now - 1 },
        { deploymentId: id, status: 404, count: 2, at: now - 2 },
      ],
    );
  }));

test("the report counts what the file holds, and finds a count that is wrong", () =>
  withStore(async ({ replica, store, blocklist, owned, file }) => {
    await replica.addRule(blocklist, "192.0.2.1");
    await replica.addRule(blocklist, "192.0.2.2");
    const scope = { deploymentId: (await deploymentIn(store, owned.organisationId)).id, hostsOnly: true };
    const about = { kind: "create-credential", organisationId: owned.organisationId, label: "k", start: "s" } as const;
    await store.write({ ...about, credential: "api", access: "read", digest: "a", ...by(4) });
    await store.write({ ...about, credential: "bouncer", ...scope, digest: "b", ...by(5) });
    const { schema, ...report } = await store.check();
    assert.ok(schema > 0);
    assert.deepEqual(report, { sequence: replica.memory.sequence, organisations: 1, keys: 1, rulesets: 2, rules: 2 });
    const count = (by: string) =>
      runSql({ file }, `update rulesets set rule_count = rule_count ${by} where rule_count > 0`);
    await count("+ 1");
    await assert.rejects(store.check(), { code: "corrupt" });
    await count("- 1");
    await store.check();
  }));
