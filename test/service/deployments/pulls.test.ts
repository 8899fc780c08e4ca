import assert from "node:assert/strict";
import { test } from "node:test";
import { Pulls } from "../../../src/service/deployments/pulls.ts";
import { ServiceMemory } from "../../../src/service/store/service-memory.ts";
import type { Deployment, PullToRecord } from "../../../src/store/records/deployment.ts";
import { EMPTY_STATE } from "../../../src/store/state.ts";
import type { Store } from "../../../src/store/store.ts";

const DAY = 86_400_000;

/** Records what it was given; fails if `state.fails` is set. */
function recordingStore(): { store: Store; given: PullToRecord[][]; state: { fails: boolean } } {
  const given: PullToRecord[][] = [];
  const state = { fails: false };
  const record = async (_name: string, pulls: PullToRecord[]): Promise<void> => {
    given.push(pulls);
    if (state.fails) throw new Error("the outcome is unknown");
  };
  const read = async (): Promise<object> => ({ pulls: [], days: [] });
  return { store: { record, read } as unknown as Store, given, state };
}

test("of more than a hundred pulls, the last are recorded, and all are counted by day", async () => {
  const { store, given } = recordingStore();
  const pulls = new Pulls({ store, memory: new ServiceMemory() });
  const from = 10 * DAY - 150;
  for (let index = 0; index < 400; index++) pulls.add(pull("one", from + index, index));
  pulls.add(pull("other", from, 5));
  const { pulls: last, days } = await pulls.logOf("one");
  const newest = Array.from({ length: 100 }, (_, index) => from + 399 - index);
  assert.deepEqual(
    last.map(({ at }) => at),
    newest,
  );
  const expected = [
    { day: 9 * DAY, pulls: 150, bytes: sumBetween(0, 150) },
    { day: 10 * DAY, pulls: 250, bytes: sumBetween(150, 400) },
  ];
  assert.deepEqual(days, expected);
  await pulls.stop();
  assert.ok(given[0]!.length <= 102, `${given[0]!.length} were recorded`);
  assert.deepEqual(countsOf(given[0]!.filter(({ deploymentId }) => deploymentId === "one")), expected);
  assert.deepEqual(countsOf(given[0]!.filter(({ deploymentId }) => deploymentId === "other")), [
    { day: 9 * DAY, pulls: 1, bytes: 5 },
  ]);
});

test("pulls that the store may have recorded are repeated unchanged, and later ones follow", async () => {
  const { store, given, state } = recordingStore();
  const pulls = new Pulls({ store, memory: new ServiceMemory() });
  for (let index = 0; index < 150; index++) pulls.add(pull("one", index, index));
  state.fails = true;
  await pulls.stop();
  for (let index = 150; index < 300; index++) pulls.add(pull("one", index, index));
  assert.deepEqual((await pulls.logOf("one")).days, [{ day: 0, pulls: 300, bytes: sumBetween(0, 300) }]);
  state.fails = false;
  await pulls.stop();
  await pulls.stop();
  assert.deepEqual(given[1], given[0]);
  assert.deepEqual(countsOf([...given[1]!, ...given[2]!]), [{ day: 0, pulls: 300, bytes: sumBetween(0, 300) }]);
  assert.equal(new Set([...given[1]!, ...given[2]!].map(({ id }) => id)).size, 202);
});

test("pulls of days of their own cannot be joined: each is kept, and counted on its day", async () => {
  const { store } = recordingStore();
  const pulls = new Pulls({ store, memory: new ServiceMemory() });
  for (let day = 0; day < 110; day++) pulls.add(pull("one", day * DAY, day));
  const { pulls: last, days } = await pulls.logOf("one");
  assert.equal(last.length, 100);
  assert.deepEqual(
    days,
    Array.from({ length: 110 }, (_, day) => ({ day: day * DAY, pulls: 1, bytes: day })),
  );
});

test("the last pull is the one with the latest time, in whatever order servers tell them", () => {
  const { store } = recordingStore();
  const pulls = new Pulls({ store, memory: new ServiceMemory() });
  assert.equal(pulls.lastOf("one"), null);
  for (const [at, last] of [
    [5, 5],
    [3, 5],
    [8, 8],
    [7, 8],
  ] as const) {
    pulls.add(pull("one", at, 0));
    assert.equal(pulls.lastOf("one"), last);
  }
});

test("what devices call themselves is recorded as text that every database takes", async () => {
  const { store, given } = recordingStore();
  const pulls = new Pulls({ store, memory: new ServiceMemory() });
  for (const agent of ["a\0b\0", "\ud800", "x".repeat(5000)]) pulls.add({ ...pull("one", 1, 0), agent });
  await pulls.stop();
  const [zero, lone, long] = given[0]!.map(({ agent }) => agent);
  assert.deepEqual([zero, lone], ["ab", "\ufffd"]);
  assert.match(long!, /^x{50,1000}$/);
});

test("an organisation's activity has the recorded pulls of a day and those still to be recorded, but no other's", async () => {
  const error = { deploymentId: "one", status: 404, count: 2, at: 9 * DAY };
  const recorded = { days: [{ day: 9 * DAY, pulls: 3 }], errors: [error], changes: [], blocked: [] };
  const memory = new ServiceMemory();
  const deployment = { id: "one", organisationId: "own", deletedAt: null } as Deployment;
  await memory.addState({ ...EMPTY_STATE, deployments: [deployment] });
  const store = { read: async () => recorded, record: async () => {} } as unknown as Store;
  const pulls = new Pulls({ store, memory });
  for (let index = 0; index < 150; index++) pulls.add(pull("one", 10 * DAY + index, 0));
  pulls.add(pull("one", 9 * DAY + 5, 0));
  pulls.add(pull("other", 10 * DAY, 0));
  // An error is one for a day from its moment on.
  const now = 10 * DAY + 200;
  const failed = (at: number, status: number) => pulls.add({ ...pull("one", at, 0), status });
  failed(now - DAY, 500);
  failed(now - DAY + 1, 503);
  failed(now, 400);
  failed(now, 399);
  const { days, errors } = await pulls.activity("own", now);
  assert.deepEqual(days, [
    { day: 9 * DAY, pulls: 6 },
    { day: 10 * DAY, pulls: 152 },
  ]);
  assert.deepEqual(errors, [
    error,
    { deploymentId: "one", status: 503, count: 1, at: now - DAY + 1 },
    { deploymentId: "one", status: 400, count: 1, at: now },
  ]);
});

function pull(deploymentId: string, at: number, bytes: number): Parameters<Pulls["add"]>[0] {
  return { deploymentId, at, file: "combined.txt", address: "192.0.2.1", agent: "a", status: 200, bytes };
}

function countsOf(pulls: readonly PullToRecord[]): object[] {
  return [...Map.groupBy(pulls, ({ at }) => at - (at % DAY))].map(([day, own]) => ({
    day,
    pulls: own.reduce((sum, { earlier }) => sum + 1 + earlier.pulls, 0),
    bytes: own.reduce((sum, { bytes, earlier }) => sum + bytes + earlier.bytes, 0),
  }));
}

function sumBetween(first: number, end: number): number {
  return Array.from({ length: end - first }, (_, index) => first + index).reduce((sum, each) => sum + each, 0);
}
