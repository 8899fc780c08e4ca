/**
 * A reader may be slow with some changes: the others continue, and a write is answered once its own changes have been
 * read.
 */
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { ChangeFeed } from "../../src/store/queue/_change-feed.ts";
import type { Change } from "../../src/store/change.ts";
import { openStore } from "../../src/store/open-store.ts";
import type { Store } from "../../src/store/store.ts";
import { makeFastFolder } from "./harness/fast-folder.ts";
import { until } from "../until.ts";

const folder = makeFastFolder();
after(() => rmSync(folder, { recursive: true, force: true }));
const by = { actor: "command:test", at: 1 };

/** A store whose reader does not finish changes of "slow" organisations until the test lets it. */
async function follow(name: string) {
  const store = await openStore({ file: join(folder, `${name}.db`) }, { pollEvery: 20 });
  const given: number[] = [];
  const told: unknown[] = [];
  const held: { resolve(): void; reject(error: Error): void }[] = [];
  const apply = (changes: readonly Change[]): void | Promise<void> => {
    given.push(...changes.map(({ sequence }) => sequence));
    const isSlow = changes.some(
      (change) => change.kind === "organisation" && change.organisation.name.startsWith("slow"),
    );
    if (isSlow) return new Promise<void>((resolve, reject) => held.push({ resolve, reject }));
  };
  store.follow(0, apply, (error, isLost) => told.push([error, isLost]));
  const answered: string[] = [];
  const write = (organisation: string) =>
    store
      .write({ kind: "create-organisation", name: organisation, ...by })
      .then(() => void answered.push(organisation));
  return { store, given, told, held, answered, write };
}

test("a write is confirmed when a slow reader has it, and others are not delayed", async () => {
  const { store, given, told, held, answered, write } = await follow("slow");
  const slow = [write("slow 1")];
  await until("one request waits for its answer", () => held.length === 1);
  await write("quick");
  slow.push(write("slow 2"));
  await until("two requests wait for their answers", () => held.length === 2);
  await delay(50);
  assert.deepEqual([given, answered], [[1, 2, 3, 4, 5, 6, 7, 8, 9], ["quick"]]);
  held[1]!.resolve();
  await slow[1];
  assert.deepEqual(answered, ["quick", "slow 2"]);
  held[0]!.resolve();
  await slow[0];
  assert.deepEqual([answered, told], [["quick", "slow 2", "slow 1"], []]);
  await store.close();
});

test("a reader that fails asynchronously reloads, and then the write is confirmed", async () => {
  const { store, told, held, answered, write } = await follow("failing");
  const writes = [write("slow 1")];
  await until("one request waits for its answer", () => held.length === 1);
  held[0]!.reject(new Error("a defect"));
  await until("one change has been passed on", () => told.length === 1);
  writes.push(write("after"));
  await delay(50);
  assert.deepEqual([told, answered], [[[new Error("a defect"), true]], []]);
  store.resume((await store.load(null)).sequence);
  await Promise.all(writes);
  assert.deepEqual(answered.toSorted(), ["after", "slow 1"]);
  await store.close();
});

test("a store that is closed waits for no reader", async () => {
  const { store, held, write } = await follow("closed");
  const answered: Promise<void> = write("slow");
  await until("one request waits for its answer", () => held.length === 1);
  await (store satisfies Store).close();
  held[0]!.resolve();
  await answered;
});

test("changes requested before a reader failed are not delivered afterwards", async () => {
  const change = (sequence: number): Change =>
    ({
      kind: "sessions-ended",
      digests: [],
      sequence,
      at: 1,
      actor: "command:test",
      organisationId: "",
    }) as unknown as Change;
  const asked = Promise.withResolvers<readonly Change[]>();
  const given: number[] = [];
  const failures: boolean[] = [];
  const apply = (changes: readonly Change[]): void => {
    given.push(...changes.map(({ sequence }) => sequence));
    throw new Error("a defect");
  };
  const feed = new ChangeFeed(
    0,
    60_000,
    () => asked.promise,
    apply,
    (_error, isLost) => failures.push(isLost),
  );
  feed.poll();
  void feed.arrived([change(1)], 1);
  asked.resolve([change(1), change(2)]);
  await delay(10);
  assert.deepEqual([given, failures], [[1], [true]]);
  feed.end();
});

test("staleness: small while polls succeed, and growing while they do not", async () => {
  let answers = true;
  const feed = new ChangeFeed(
    0,
    5,
    async () => (answers ? [] : new Promise<never>(() => {})),
    () => {},
    () => {},
  );
  await until("the feed is up to date", () => feed.staleness < 5);
  answers = false;
  await until("the feed is stale", () => feed.staleness > 50);
  const before = feed.staleness;
  await delay(10);
  assert.ok(feed.staleness > before);
  feed.end();
});
