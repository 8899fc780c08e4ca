import assert from "node:assert/strict";
import { test } from "node:test";
import type { Together } from "../../../src/store/records/deployment.ts";
import { definitionOf } from "../../deployments/definition-of.ts";
import { adding, by } from "../harness/stores.ts";
import { sqliteStores } from "../harness/sqlite-stores.ts";

const DAY = 86_400_000;
const withStore = sqliteStores();

test("an answer with a key is repeated for a day; another request with it is rejected", () =>
  withStore(async ({ store, owned }) => {
    const add = (at: number, request: string, key = "k") =>
      store.write({
        kind: "add-rule",
        ...owned,
        request: adding("192.0.2.1", { mode: "fail" }),
        idempotency: { key, request },
        ...by(at),
      });
    const { action } = await add(10, "one");
    assert.equal(action, "created");
    assert.equal((await add(10 + DAY, "one")).action, "created");
    await assert.rejects(add(11, "other"), { code: "idempotency-mismatch" });
    await assert.rejects(add(12, "one", "another"), { code: "conflict" });
    await assert.rejects(add(11 + DAY, "one"), { code: "conflict" }, "it is new again");
  }));

test("results of any number are repeated, each with its own key", () =>
  withStore(async ({ replica, store, owned }) => {
    const batch = (key: string, count: number) =>
      store.write({
        kind: "batch-rules",
        ...owned,
        items: Array.from({ length: count }, (_, i) => ({
          add: adding(`10.0.${i >> 8}.${i & 255}`, { name: `${key} ${"n".repeat(100)}`, mode: "override" }),
        })),
        atomic: false,
        idempotency: { key, request: key },
        ...by(5),
      });
    for (const count of [1, 1500]) {
      const [first, second] = [await batch(`a ${count}`, count), await batch(`b ${count}`, count)];
      const { sequence } = replica.memory;
      assert.deepEqual([await batch(`a ${count}`, count), await batch(`b ${count}`, count)], [first, second]);
      assert.equal(replica.memory.sequence, sequence, "nothing was written");
    }
  }));

test("a rejection that decides nothing leaves its key to the request that it came with, not to another of its group", () =>
  withStore(async ({ store, organisation }) => {
    const own = { organisationId: organisation.id };
    const definition = definitionOf({});
    const { deployment } = await store.write({ kind: "create-deployment", ...own, name: "d", definition, ...by(3) });
    const update = (request: string, checkedWith?: Together) =>
      store.write({
        kind: "update-deployment",
        ...own,
        deploymentId: deployment.id,
        name: request,
        definition: {},
        checkedWith,
        idempotency: { key: "k", request },
        ...by(5),
      });
    const { firewall_format, device, purpose } = definition;
    const answers = await Promise.allSettled([
      update("a", { firewall_format, device, purpose, options: { comments: true } }),
      update("b"),
    ]);
    assert.deepEqual(
      answers.map((answer) => (answer.status === "rejected" ? answer.reason.code : answer.value)),
      ["definition-changed", "idempotency-mismatch"],
    );
    assert.equal((await update("a")).deployment.name, "a");
  }));
