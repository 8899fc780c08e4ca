import assert from "node:assert/strict";
import { test } from "node:test";
import { Pulls } from "../../../src/service/deployments/pulls.ts";
import { ServiceMemory } from "../../../src/service/store/service-memory.ts";
import type { PullToRecord } from "../../../src/store/records/deployment.ts";
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
