import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import {
  CREDENTIALS_SETTING,
  DEPLOYMENTS_SETTING,
  LISTS_SETTING,
  RULES_SETTING,
  RULESETS_SETTING,
  WEBHOOKS_SETTING,
} from "../../src/store/records/limit-settings.ts";
import { namesOf } from "../../src/service/settings.ts";
import { addUser, type TestUser, visit } from "./dashboard/browser.ts";
import { addKey, addOrganisation, type Answer, ask, startServer, type TestServer } from "./start-server.ts";

const MAX = 20;
const SETTING = "--rules-per-ruleset or IPSIEVE_RULES_PER_RULESET";

let t: TestServer;
let key = "";
let editor: TestUser;
let path = "";
before(async () => {
  t = await startServer({ rulesPerRuleset: MAX, bulkAddresses: 100 });
  const organisation = await addOrganisation(t, "full");
  key = (await addKey(t, organisation)).text;
  editor = await addUser(t, organisation, "editor");
  path = `/edl/ip-rulesets/${(await ask(t, "GET", "/v1/edl/ip-rulesets/", { key })).body.items[0].id}/rules`;
  assert.equal((await put("text/plain", lines(MAX))).status, 200);
});
after(() => t.close());

/** Longer than the longest line. */
const FAR_TOO_MANY = 3000;

function lines(count: number, line = (ip: string) => ip, head = ""): string {
  return head + Array.from({ length: count }, (_, i) => `${line(`20.0.${i >> 8}.${i & 255}`)}\n`).join("");
}

const put = (type: string, body: unknown): Promise<Answer> =>
  ask(t, "PUT", `/v1${path}`, { key, headers: { "Content-Type": type }, body });
const add = (type: string, body: unknown): Promise<Answer> =>
  ask(t, "POST", `/v1${path}:import`, { key, headers: { "Content-Type": type }, body });
const visitTo = (method: string, to: string, type: string, body: unknown): Promise<Answer> =>
  visit(t, method, to, { token: editor.token, headers: { "Content-Type": type }, body });

const FORMS: readonly (readonly [type: string, list: (count: number) => string])[] = [
  ["text/plain", (count) => lines(count)],
  ["text/csv", (count) => lines(count, (ip) => `${ip},x`, "ip,name\n")],
  ["application/x-ndjson", (count) => lines(count, (ip) => JSON.stringify({ ip }))],
  ["application/json", (count) => `{"rules":[${lines(count, (ip) => `,${JSON.stringify({ ip })}`).slice(1)}]}`],
];

test("the messages of the store name the settings correctly", () => {
  assert.deepEqual(
    [RULES_SETTING, RULESETS_SETTING, DEPLOYMENTS_SETTING, LISTS_SETTING, WEBHOOKS_SETTING, CREDENTIALS_SETTING],
    (
      [
        "rules-per-ruleset",
        "rulesets-per-organisation",
        "deployments-per-organisation",
        "lists-per-organisation",
        "webhooks-per-organisation",
        "credentials-per-organisation",
      ] as const
    ).map((name) => namesOf(name)),
  );
  assert.equal(RULES_SETTING, SETTING);
});

describe("a list with more rules than a ruleset may have is rejected with one error, which names the setting", () => {
  for (const [type, list] of FORMS) {
    for (const [what, send] of [
      ["replaced", put],
      ["imported", add],
    ] as const) {
      test(`${what}, ${type}`, async () => {
        const { status, body } = await send(type, list(FAR_TOO_MANY));
        assert.equal(status, 400);
        const errors = Object.entries(body.validation_errors);
        assert.equal(errors.length, 1, JSON.stringify(errors).slice(0, 500));
        assert.ok(body.detail.includes(SETTING), body.detail);
        if (type !== "application/json")
          assert.match(body.detail, /^line 2[12]: column \d+: "20.0.0.20": more than 20 rules/);
      });
    }
    test(`previewed, ${type}`, async () => {
      const { status, body, text } = await visitTo("POST", `${path}:preview`, type, list(FAR_TOO_MANY));
      assert.ok(text.includes(SETTING), text.slice(0, 300));
      assert.deepEqual(
        type === "application/json" ? status : [status, body.counts.error],
        type === "application/json" ? 400 : [200, 1],
      );
    });
  }
});

describe("the error of a full ruleset names the setting", () => {
  const one = { ip: "21.0.0.1" };
  const ways: readonly (readonly [what: string, ask: (scope: "public" | "dashboard") => Promise<Answer>])[] = [
    ["addRule", (scope) => askAt(scope, "POST", path, one)],
    ["batchRules", (scope) => askAt(scope, "POST", `${path}:batch`, { items: [{ op: "add", ...one }] })],
    ["importRules", (scope) => askAt(scope, "POST", `${path}:import`, { rules: [one] })],
  ];
  const askAt = (scope: "public" | "dashboard", method: string, to: string, body: unknown) =>
    scope === "public" ? ask(t, method, `/v1${to}`, { key, body }) : visitTo(method, to, "application/json", body);
  for (const [what, send] of ways) {
    for (const scope of ["public", "dashboard"] as const) {
      test(`${what}, ${scope}`, async () => {
        const { status, body } = await send(scope);
        assert.equal(status, 409);
        assert.ok(body.detail.includes(SETTING), body.detail);
      });
    }
  }
  test("previewRules", async () => {
    const { body } = await visitTo("POST", `${path}:preview`, "application/json", { rules: [one] });
    assert.ok(body.lines[0].message.includes(SETTING), body.lines[0].message);
  });
  test("an undo that would restore too many rules", async () => {
    assert.equal((await visit(t, "DELETE", `${path}/rule?ip=20.0.0.0`, { token: editor.token })).status, 204);
    assert.equal((await ask(t, "POST", `/v1${path}`, { key, body: one })).status, 201);
    const { status, body } = await visit(t, "POST", "/undo", { token: editor.token });
    assert.deepEqual([status, body.detail.includes(SETTING)], [409, true], body.detail);
  });
});

describe("other limits name their settings, too", () => {
  const bulk = { ips: Array.from({ length: 101 }, () => "1.1.1.1") };
  const cases: readonly (readonly [what: string, send: () => Promise<Answer>, status: number, setting: string])[] = [
    [
      "a bulk lookup",
      () => ask(t, "POST", "/v1/cbs/lookup", { key, body: bulk }),
      400,
      "--bulk-addresses or IPSIEVE_BULK_ADDRESSES",
    ],
    [
      "a body",
      () => ask(t, "POST", `/v1${path}`, { key, body: `"${"x".repeat(70_000)}"` }),
      413,
      "--body-limit or IPSIEVE_BODY_LIMIT",
    ],
    [
      "a body of many addresses",
      () => ask(t, "POST", `/v1${path}:batch`, { key, body: `"${"x".repeat(200_000)}"` }),
      413,
      "--bulk-addresses or IPSIEVE_BULK_ADDRESSES",
    ],
  ];
  for (const [what, send, status, setting] of cases) {
    test(what, async () => {
      const answer = await send();
      assert.deepEqual([answer.status, answer.body.detail.includes(setting)], [status, true], answer.text);
    });
  }
});
