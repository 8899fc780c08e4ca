import assert from "node:assert/strict";
import { test } from "node:test";
import type { ReplayReport } from "../../../src/service/logs/replay-log.ts";
import { Replays } from "../../../src/service/logs/replays.ts";

/** A replay that lists this many addresses. */
function about(rows: number): Parameters<Replays["add"]>[1] {
  const none = { lines: 0, addresses: 0 };
  const report: ReplayReport = {
    hit: none,
    rulesHit: 0,
    rulesUnused: 0,
    topRules: [],
    unused: [],
    topAddresses: Array.from({ length: rows }, (_, at) => ({ ip: `192.0.2.${at}`, lines: 1 })),
    services: [],
    difference: null,
  };
  return { identificationId: "log", log: { lines: 0, withAddress: 0, linesMissing: 0 }, report };
}

test("each organisation keeps its newest ten replays for an hour", () => {
  let now = 0;
  const replays = new Replays(() => now);
  const ids = Array.from({ length: 11 }, () => replays.add("a", about(1)).id);
  assert.deepEqual(
    ids.map((id) => replays.get("a", id) !== undefined),
    [false, ...Array<boolean>(10).fill(true)],
  );
  assert.equal(replays.get("b", ids[10]!), undefined);
  now = 3_600_000;
  assert.equal(replays.get("a", ids[10]!), undefined);
});

test("all organisations share one limit: those that list the most lose their oldest replays, the others none", () => {
  const replays = new Replays(() => 0, 100);
  const small = replays.add("small", about(10));
  const large = [40, 40, 40].map((rows) => replays.add("large", about(rows)));
  assert.deepEqual(
    large.map(({ id }) => replays.get("large", id) !== undefined),
    [false, true, true],
  );
  assert.equal(replays.get("small", small.id), small);
  const newest = replays.add("small", about(30));
  assert.equal(replays.get("small", newest.id), newest);
  assert.deepEqual(
    large.map(({ id }) => replays.get("large", id) !== undefined),
    [false, false, true],
  );
  assert.equal(replays.get("small", small.id), small);
});

test("a replay that lists more than the limit is returned, but not kept", () => {
  const replays = new Replays(() => 0, 5);
  const { id, report } = replays.add("a", about(6));
  assert.deepEqual([report.topAddresses.length, replays.get("a", id)], [6, undefined]);
});
