import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { addUser, type TestUser, visit } from "./dashboard/browser.ts";
import { addKey, addOrganisation, type Answer, ask, startServer, type TestServer } from "./start-server.ts";

const RULES = 40;

let t: TestServer;
let key = "";
let organisation = "";
let editor: TestUser;
let id = "";
before(async () => {
  t = await startServer();
  organisation = await addOrganisation(t, "shrinking");
  key = (await addKey(t, organisation)).text;
  editor = await addUser(t, organisation, "editor");
});
after(() => t.close());

beforeEach(async () => {
  id = (await ask(t, "POST", "/v1/edl/ip-rulesets/", { key, body: { name: "guarded", purpose: "blocklist" } })).body.id;
  assert.equal((await put("public", "", "text/plain", lines(0, RULES))).status, 200);
});

type RouteScope = "public" | "dashboard";

function lines(from: number, to: number): string {
  return Array.from({ length: to - from }, (_, i) => `20.0.0.${from + i}\n`).join("");
}

const put = (
  scope: RouteScope,
  query: string,
  type: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> => {
  const path = `/edl/ip-rulesets/${id}/rules${query}`;
  const sent = { body, headers: { "Content-Type": type, ...headers } };
  return scope === "public"
    ? ask(t, "PUT", `/v1${path}`, { key, ...sent })
    : visit(t, "PUT", path, { token: editor.token, ...sent });
};

const count = async (): Promise<number> => (await ask(t, "GET", `/v1/edl/ip-rulesets/${id}`, { key })).body.total_rules;

/** Lists without any rules. */
const EMPTY: readonly (readonly [what: string, type: string, body: string])[] = [
  ["nothing but a line end", "text/plain", "\n"],
  ["comments", "text/plain", "# nothing\n; at all\n"],
  ["a CSV with its header only", "text/csv", "ip,name\n"],
  ["blank lines of NDJSON", "application/x-ndjson", "\n\n"],
  ["no rules", "application/json", '{"rules":[]}'],
];

for (const scope of ["public", "dashboard"] as const) {
  describe(`${scope}: a list without rules does not empty a ruleset unless allow_empty is set`, () => {
    for (const [what, type, body] of EMPTY) {
      test(what, async () => {
        for (const query of ["", "?max_shrink=100", "?allow_empty=false"]) {
          const { status, body: problem } = await put(scope, query, type, body);
          const { type: kind, total_rules, removed, added, updated, unchanged, removed_percent } = problem;
          assert.deepEqual(
            { status, kind, total_rules, removed, added, updated, unchanged, removed_percent },
            {
              status: 409,
              kind: "/problems/shrinks-too-much",
              total_rules: RULES,
              removed: RULES,
              added: 0,
              updated: 0,
              unchanged: 0,
              removed_percent: 100,
            },
          );
          assert.match(
            problem.detail,
            /would remove all 40 of the ruleset: check it, and send allow_empty=true .*; nothing was written$/,
          );
        }
        assert.equal(await count(), RULES);
        const done = await put(scope, "?allow_empty=true", type, body);
        assert.deepEqual([done.status, done.body.removed, await count()], [200, RULES, 0]);
        assert.equal((await put(scope, "", type, body)).status, 200, "where there is nothing, nothing goes");
      });
    }
  });

  test(`${scope}: more than half of 20 or more rules are removed only if max_shrink allows it; a dry run reports it`, async () => {
    const body = lines(0, 10) + lines(100, 105);
    const refused = await put(scope, "", "text/plain", body);
    const numbers = {
      total_rules: RULES,
      added: 5,
      updated: 0,
      removed: 30,
      unchanged: 10,
      removed_percent: 75,
      max_shrink: 50,
    };
    assert.equal(refused.status, 409);
    for (const [name, value] of Object.entries(numbers)) assert.equal(refused.body[name], value, name);
    assert.match(
      refused.body.detail,
      /would remove 30 of 40 rules \(75 %\), and at most 50 % may be removed: .* max_shrink=75/,
    );
    const dry = await put(scope, "?dry_run=true", "text/plain", body);
    assert.deepEqual([dry.status, dry.body.removed, dry.body.plan.removed.length], [200, 30, 30]);
    assert.deepEqual(dry.body.refusal, refused.body, "what it would be answered with");
    assert.equal((await put(scope, "?dry_run=true&max_shrink=75", "text/plain", body)).body.refusal, null);
    assert.equal((await put(scope, "?max_shrink=74", "text/plain", body)).status, 409);
    assert.equal(
      (await put(scope, "?allow_empty=true", "text/plain", body)).status,
      409,
      "that is about empty lists only",
    );
    assert.equal(await count(), RULES);
    assert.equal((await put(scope, "?max_shrink=75", "text/plain", body)).status, 200);
    assert.equal(await count(), 15);
    assert.equal(
      (await put(scope, "", "text/plain", lines(200, 201))).status,
      200,
      "of fewer than 20, all but the last may go",
    );
    assert.equal(
      (await put(scope, "?max_shrink=0", "text/plain", lines(201, 202))).status,
      409,
      "a share that is said counts for any number",
    );
  });

  test(`${scope}: a rejected list changes neither the version nor the audit log, and its Idempotency-Key keeps the response`, async () => {
    const tag = async () => (await ask(t, "GET", `/v1/edl/ip-rulesets/${id}/rules`, { key })).headers.get("etag");
    const newest = async () => (await t.server.store.read("audit", organisation, { limit: 1 })).entries[0]!.sequence;
    const [before, sequence] = [await tag(), await newest()];
    const headers = { "Idempotency-Key": `${scope}-${id}` };
    const first = await put(scope, "", "text/plain", "# nothing\n", headers);
    const again = await put(scope, "", "text/plain", "# nothing\n", headers);
    assert.deepEqual([first.status, again.status, again.body], [409, 409, first.body]);
    assert.deepEqual([await tag(), await newest()], [before, sequence]);
  });
}

test("the limits do not apply to deleting, batches, undo and deleting a ruleset", async () => {
  const ips = lines(0, RULES).trim().split("\n");
  for (const ip of ips.slice(0, 2))
    assert.equal((await ask(t, "DELETE", `/v1/edl/ip-rulesets/${id}/rules/rule?ip=${ip}`, { key })).status, 204);
  const items = ips.slice(2).map((ip) => ({ op: "delete", ip }));
  assert.equal((await ask(t, "POST", `/v1/edl/ip-rulesets/${id}/rules:batch`, { key, body: { items } })).status, 200);
  assert.equal(await count(), 0);
  assert.equal(
    (
      await visit(t, "POST", `/edl/ip-rulesets/${id}/rules:import`, {
        token: editor.token,
        body: lines(0, RULES),
        headers: { "Content-Type": "text/plain" },
      })
    ).status,
    200,
  );
  assert.equal((await visit(t, "POST", "/undo", { token: editor.token })).status, 200);
  assert.equal(await count(), 0);
});

test("bad values of the parameters", async () => {
  for (const query of [
    "max_shrink=101",
    "max_shrink=-1",
    "max_shrink=x",
    "max_shrink=50.5",
    "max_shrink=",
    "allow_empty=yes",
    "allow_empty=true&allow_empty=true",
  ])
    assert.equal((await put("public", `?${query}`, "text/plain", lines(0, 40))).status, 400, query);
});
