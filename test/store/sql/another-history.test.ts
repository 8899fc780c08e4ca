import assert from "node:assert/strict";
import { test } from "node:test";
import { restoreFile } from "../../../src/store/sqlite/restore.ts";
import { openStore } from "../../../src/store/open-store.ts";
import type { PublishListCommand, RefuseListCommand } from "../../../src/store/command.ts";
import type { Store } from "../../../src/store/store.ts";
import { by } from "../harness/stores.ts";
import { sqliteStores } from "../harness/sqlite-stores.ts";
import { definitionOf } from "../../deployments/definition-of.ts";

const withStore = sqliteStores();
const MILLION = 1_000_000;

test("what is restored, once or twice, is counted on a million further, in another feed, and is otherwise as it was", () =>
  withStore(async ({ store, organisation, file }) => {
    const organisationId = organisation.id;
    const made: string[] = [];
    for (const name of ["plain", "published", "refused"]) {
      const create = { kind: "create-deployment", organisationId, name, definition: definitionOf({}) } as const;
      made.push((await store.write({ ...create, ...by(3) })).deployment.id);
    }
    const [plain, published, refused] = made as [string, string, string];
    const entries = { 4: 1, 6: 0 };
    const refuse = (deploymentId: string): RefuseListCommand => ({
      kind: "refuse-list",
      organisationId,
      deploymentId,
      basedOn: 0,
      refusal: { reasons: [{ code: "growth", message: "m" }], entries },
      ...by(4),
    });
    const publish: PublishListCommand = {
      kind: "publish-list",
      organisationId,
      deploymentId: published,
      basedOn: 0,
      list: { sequence: 2, digest: "d", entries, chunks: 1, datasets: {} },
      content: "c",
      ...by(5),
    };
    await store.write(refuse(published));
    await store.write(publish);
    await store.write(refuse(refused));
    const stateOf = async (each: Store) => {
      const { sequence, deployments, ...rest } = await each.load(null);
      const of = (id: string) => deployments.find((deployment) => deployment.id === id)!;
      const { feed, sequence: event } = await each.read("events", organisationId, 0, 1);
      const numbers = [of(published).published!.refusals!, of(refused).refused!.number];
      return { sequence, event, feed, numbers, plain: of(plain), organisations: rest.organisations };
    };
    const states = [await stateOf(store)];
    await store.backup(`${file}.backup0`);
    for (const at of [0, 1]) {
      const next = `${file}.restored${at}`;
      await restoreFile(`${file}.backup${at}`, next, false);
      const restored = await openStore({ file: next });
      states.push(await stateOf(restored));
      await restored.backup(`${file}.backup${at + 1}`);
      await restored.close();
    }
    assert.deepEqual(states[0]!.numbers, [1, 1]);
    for (const at of [1, 2]) {
      const [before, after] = [states[at - 1]!, states[at]!];
      assert.notEqual(after.feed, before.feed);
      assert.deepEqual(
        [after.event, after.plain, after.organisations],
        [before.event, before.plain, before.organisations],
      );
      assert.ok(after.sequence >= before.sequence + MILLION);
      for (const [index, number] of after.numbers.entries()) assert.ok(number >= before.numbers[index]! + MILLION);
    }
  }));
