import assert from "node:assert/strict";
import { test } from "node:test";
import type { AddRuleCommand } from "../../../src/store/command.ts";
import { adding, by, ofVersion } from "../harness/stores.ts";
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

test("a rejection that decides nothing leaves its key to the next command of its group", () =>
  withStore(async ({ store, owned }) => {
    const command = (request: string, isStale: boolean): AddRuleCommand => ({
      kind: "add-rule",
      ...owned,
      request: adding("192.0.2.1", { mode: "fail" }),
      idempotency: { key: "k", request },
      ...(isStale && { ifMatch: ofVersion(999), isOwnMatch: true }),
      ...by(5),
    });
    const answers = await Promise.allSettled([store.write(command("a", true)), store.write(command("b", false))]);
    const codes = answers.map((answer) => (answer.status === "rejected" ? answer.reason.code : answer.value));
    assert.equal(codes[0], "version-mismatch");
    const { action } = await store.write(command(codes[1] === "idempotency-mismatch" ? "a" : "b", false));
    assert.equal(action, "created");
  }));
