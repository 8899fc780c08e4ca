/** The results of rules:batch for every item, for keys and in the dashboard. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Send, type Senders, sendersOf } from "./rule-senders.ts";
import { addOrganisation, startServer, type TestServer } from "./start-server.ts";

const MAX = 300;
let t: TestServer;
let senders: Senders;
before(async () => {
  t = await startServer({ rulesPerRuleset: MAX });
  senders = await sendersOf(t, await addOrganisation(t, "batches"));
});
after(() => t.close());

interface Result {
  readonly action: string;
  readonly ip: string;
  readonly error?: string;
  readonly validation_errors?: object;
}

/** Items that cannot be read, with their invalid members. */
const MALFORMED: readonly [item: unknown, ip: string, members: string[]][] = [
  [{ op: "add", ip: "10.0.0.1/8" }, "10.0.0.1/8", ["ip"]],
  [{ op: "delete", ip: "300.1.1.1" }, "300.1.1.1", ["ip"]],
  [{ op: "add", ip: "192.0.2.9", name: "a\nb" }, "192.0.2.9", ["name"]],
  [{ op: "add", ip: "192.0.2.9", expires_at: "2026-01-01" }, "192.0.2.9", ["expires_at"]],
  [
    { op: "add", ip: "192.0.2.9", expires_in_days: 1, expires_at: null },
    "192.0.2.9",
    ["expires_at", "expires_in_days"],
  ],
  [{ op: "add", ip: 7 }, "", ["ip"]],
  [{ op: "remove", ip: "192.0.2.9" }, "192.0.2.9", ["op"]],
  [{ op: "delete", ip: "192.0.2.9", missing: "perhaps" }, "192.0.2.9", ["missing"]],
  [null, "", ["item"]],
  ["192.0.2.9", "", ["item"]],
  [{ op: "add", ip: "x".repeat(10_000) }, "x".repeat(100), ["ip"]],
];

for (const scope of ["public", "dashboard"] as const) {
  describe(scope, () => {
    const send: Send = (...question) => senders[scope](...question);

    /** A ruleset with one rule, and what sends it batches. */
    async function makeRuleset() {
      const { id } = (await send("POST", "", { name: "batches", purpose: "blocklist" })).body;
      await send("POST", `${id}/rules`, { ip: "192.0.2.1", name: "there" });
      const batch = async (items: readonly unknown[], atomic?: boolean, headers = {}) => {
        const answer = await send(
          "POST",
          `${id}/rules:batch`,
          { items, ...(atomic === undefined ? {} : { atomic }) },
          headers,
        );
        return { status: answer.status, body: answer.body, results: (answer.body.results ?? []) as Result[] };
      };
      const rules = async (): Promise<string[]> =>
        (await send("GET", `${id}/rules`)).body.items.map(({ ip }: { ip: string }) => ip);
      return { id, batch, rules };
    }

    test("atomic: false: a malformed item has its own result, and the others are executed", async () => {
      const { batch, rules } = await makeRuleset();
      const items = MALFORMED.flatMap(([item], i) => [item, { op: "add", ip: `198.51.100.${i}` }]);
      const { status, results } = await batch(items, false);
      assert.deepEqual([status, results.length], [200, items.length]);
      for (const [i, [item, ip, members]] of MALFORMED.entries()) {
        const result = results[2 * i]!;
        assert.deepEqual([result.action, result.ip], ["invalid", ip], JSON.stringify(item));
        for (const member of members)
          assert.ok(Object.keys(result.validation_errors!).includes(member), JSON.stringify(result));
        assert.equal(typeof result.error, "string");
        assert.equal(results[2 * i + 1]!.action, "created");
      }
      assert.equal((await rules()).length, 1 + MALFORMED.length);
    });

    test("the errors of an item are only those of its op, and the error of an unknown op lists the valid ones", async () => {
      const { batch } = await makeRuleset();
      const items = [
        { op: "remove", ip: "192.0.2.9" },
        { op: "add" },
        { op: "delete", ip: "192.0.2.9", name: "x" },
        { op: "add", ip: "192.0.2.9", expires_in_days: 0 },
        { op: "add", ip: "192.0.2.9", expires_in_days: 2 ** 63 },
      ];
      const { results } = await batch(items, false);
      assert.deepEqual(
        results.map(({ validation_errors: errors }) => errors),
        [
          { op: ["must be one of add, delete"] },
          { ip: ["is required"] },
          { name: ["unknown property"] },
          { expires_in_days: ["must be at least 1"] },
          { expires_in_days: ["must be at most 2900000"] },
        ],
      );
    });

    test("atomic: a malformed item causes a 400 that names it, and nothing is written", async () => {
      const { batch, rules } = await makeRuleset();
      for (const [item, , members] of MALFORMED) {
        const { status, body } = await batch([{ op: "add", ip: "198.51.100.1" }, item]);
        const fields = Object.keys(body.validation_errors);
        assert.equal(status, 400);
        for (const member of members)
          assert.ok(fields.includes(member === "item" ? "items[1]" : `items[1].${member}`), fields.join());
      }
      const many = await batch(Array.from({ length: 1000 }, () => ({ op: "add", ip: "x" })));
      assert.deepEqual(
        [many.status, Object.keys(many.body.validation_errors).length, many.body.validation_errors.items],
        [400, 201, ["1000 items are malformed; the first 200 are named"]],
      );
      assert.deepEqual(await rules(), ["192.0.2.1"]);
    });

    test("a rejected batch of thousands of items has as many results", async () => {
      const { batch, rules } = await makeRuleset();
      const items = Array.from({ length: 3000 }, (_, at) => ({
        op: "add",
        ip: at === 2999 ? "192.0.2.1" : `198.51.${100 + (at >> 8)}.${at & 255}`,
        name: "ips_0123456789",
        conflict_resolution: "fail",
      }));
      const { status, body, results } = await batch(items);
      assert.deepEqual([status, body.type, results.length], [409, "/problems/conflict", 3000]);
      assert.deepEqual(
        [results[0], results[2999]!.action, results[2999]!.error],
        [{ action: "not_applied", ip: "198.51.100.0" }, "conflict", "a rule for 192.0.2.1 already exists"],
      );
      assert.deepEqual(await rules(), ["192.0.2.1"]);
    });

    test("a rejected batch says why items failed, and that the others were not applied", async () => {
      const { batch, rules } = await makeRuleset();
      const items = [
        { op: "add", ip: "198.51.100.1" },
        { op: "add", ip: "192.0.2.1", conflict_resolution: "fail" },
        { op: "delete", ip: "192.0.2.1" },
        { op: "delete", ip: "198.51.100.9", missing: "fail" },
        { op: "delete", ip: "198.51.100.9" },
      ];
      const { status, body, results } = await batch(items);
      assert.deepEqual(
        [status, body.type, body.detail],
        [409, "/problems/conflict", "a rule for 192.0.2.1 already exists, so nothing was written"],
      );
      assert.deepEqual(
        results.map(({ action, ip, error }) => [action, ip, error]),
        [
          ["not_applied", "198.51.100.1", undefined],
          ["conflict", "192.0.2.1", "a rule for 192.0.2.1 already exists"],
          ["not_applied", "192.0.2.1", undefined],
          ["absent", "198.51.100.9", "there is no rule for 198.51.100.9 to delete"],
          ["not_applied", "198.51.100.9", undefined],
        ],
      );
      assert.deepEqual(await rules(), ["192.0.2.1"]);
      const done = await batch(items, false);
      assert.deepEqual(
        [done.status, done.results.map(({ action, error }) => [action, error !== undefined])],
        [
          200,
          [
            ["created", false],
            ["conflict", true],
            ["deleted", false],
            ["absent", true],
            ["absent", false],
          ],
        ],
      );
      assert.deepEqual(await rules(), ["198.51.100.1"]);
    });

    test("a deleted rule is absent, which is a failure only on request", async () => {
      const { batch, rules } = await makeRuleset();
      const gone = { op: "delete", ip: "198.51.100.9" };
      for (const missing of [{}, { missing: "ignore" }]) {
        const { status, results } = await batch([
          { ...gone, ...missing },
          { op: "add", ip: "198.51.100.1" },
        ]);
        assert.deepEqual([status, results[0]], [200, { action: "absent", ip: "198.51.100.9" }]);
      }
      assert.equal((await batch([{ ...gone, missing: "fail" }])).status, 409);
      assert.deepEqual(await rules(), ["192.0.2.1", "198.51.100.1"]);
    });

    test("a full ruleset: 409 with the items that do not fit", async () => {
      const { id, batch } = await makeRuleset();
      const many = Array.from({ length: MAX }, (_, i) => ({ op: "add", ip: `10.0.${i >> 8}.${i & 255}` }));
      const refused = await batch(many);
      assert.deepEqual(
        [
          refused.status,
          refused.results.filter(({ action }) => action === "not_applied").length,
          refused.results.at(-1)!.action,
        ],
        [409, MAX - 1, "too_many_rules"],
      );
      const done = await batch([...many, { op: "delete", ip: "bad" }], false);
      assert.deepEqual(
        [done.status, done.results.map(({ action }) => action)],
        [200, [...many.slice(1).map(() => "created"), "too_many_rules", "invalid"]],
      );
      const one = await send("POST", `${id}/rules`, { ip: "198.51.100.1" });
      assert.deepEqual([one.status, one.body.type], [409, "/problems/conflict"]);
    });

    test("a repetition with malformed items gets the first response", async () => {
      const { batch, rules } = await makeRuleset();
      const again = () =>
        batch(
          [
            { op: "add", ip: "bad" },
            { op: "add", ip: "198.51.100.1", conflict_resolution: "fail" },
            { op: "add", ip: "198.51.100.0/33" },
          ],
          false,
          { "Idempotency-Key": `batch-${scope}` },
        );
      const [first, second] = [await again(), await again()];
      assert.deepEqual(
        first.results.map(({ action }) => action),
        ["invalid", "created", "invalid"],
      );
      assert.deepEqual(second, first);
      assert.equal((await rules()).length, 2);
    });
  });
}
