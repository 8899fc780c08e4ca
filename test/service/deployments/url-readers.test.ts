import assert from "node:assert/strict";
import { test } from "node:test";
import { UrlReaders } from "../../../src/service/deployments/url-readers.ts";
import { ServiceMemory } from "../../../src/service/store/service-memory.ts";
import { type Deployment, deploymentsOpenedBy } from "../../../src/store/records/deployment.ts";
import type { Store } from "../../../src/store/store.ts";

const deployment = (changes: Partial<Deployment>) =>
  ({ id: "d", name: "edge", rotation: 3, previous: [], deletedAt: null, ...changes }) as Deployment;

const was = (rotation: number, until: number) => ({ rotation, replacedAt: 1, until });

test("each URL is recorded once for each key, and no key gets it before", async () => {
  const given: unknown[] = [];
  const state = { fails: true };
  const record = async (_name: string, reader: unknown): Promise<void> => {
    if (state.fails) throw new Error("the database is away");
    given.push(reader);
  };
  const readers = new UrlReaders({ store: { record } as unknown as Store, memory: new ServiceMemory() });
  await assert.rejects(readers.add("k", deployment({}), 1), /away/);
  state.fails = false;
  await readers.add("k", deployment({}), 2);
  await readers.add("k", deployment({}), 3);
  await readers.add("other", deployment({}), 4);
  await readers.add("k", deployment({ rotation: 4 }), 5);
  assert.deepEqual(given, [
    { keyId: "k", deploymentId: "d", rotation: 3, at: 2 },
    { keyId: "other", deploymentId: "d", rotation: 3, at: 4 },
    { keyId: "k", deploymentId: "d", rotation: 4, at: 5 },
  ]);
});

test("URLs open a list until they are replaced and their grace time is over, or the deployment is deleted", () => {
  const rows: readonly (readonly [what: string, changes: Partial<Deployment>, opens: boolean])[] = [
    ["the current ones", {}, true],
    ["replaced, in their grace time", { rotation: 4, previous: [was(3, 11)] }, true],
    ["replaced, and the grace time is over", { rotation: 4, previous: [was(3, 10)] }, false],
    ["replaced without a grace time", { rotation: 4 }, false],
    ["replaced twice, in their grace time", { rotation: 5, previous: [was(3, 11), was(4, 11)] }, true],
    ["replaced twice, and only later ones have a grace time", { rotation: 5, previous: [was(4, 11)] }, false],
    ["deleted", { deletedAt: 9 }, false],
    ["of another deployment", { id: "e" }, false],
  ];
  for (const [what, changes, opens] of rows) {
    // A key may have read the URLs before these too.
    const readers = [2, 3].map((rotation) => ({ keyId: "k", deploymentId: "d", rotation, at: 1 }));
    const opened = deploymentsOpenedBy(readers, [deployment(changes)], 10);
    assert.equal(opened("k").length, opens ? 1 : 0, what);
    assert.deepEqual(opened("other"), [], what);
  }
});
