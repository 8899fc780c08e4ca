import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { addUser, type TestUser, visit } from "./dashboard/browser.ts";
import { addKey, addOrganisation, type Answer, ask, START, startServer, type TestServer } from "./start-server.ts";

let t: TestServer;
let key = "";
let editor: TestUser;
let id = "";
before(async () => {
  t = await startServer({ rulesPerRuleset: 1000 });
  const organisation = await addOrganisation(t, "faulty");
  key = (await addKey(t, organisation)).text;
  editor = await addUser(t, organisation, "editor");
});
after(() => t.close());
beforeEach(async () => {
  id = (await ask(t, "POST", "/v1/edl/ip-rulesets/", { key, body: { name: "faulty", purpose: "blocklist" } })).body.id;
});

type RouteScope = "public" | "dashboard";

function send(scope: RouteScope, method: "PUT" | "POST", query: string, type: string, body: unknown): Promise<Answer> {
  const path = `/edl/ip-rulesets/${id}/rules${method === "POST" ? ":import" : ""}${query}`;
  const sent = { body, headers: { "Content-Type": type } };
  return scope === "public"
    ? ask(t, method, `/v1${path}`, { key, ...sent })
    : visit(t, method, path, { token: editor.token, ...sent });
}

const rules = async (): Promise<unknown[]> =>
  (await ask(t, "GET", `/v1/edl/ip-rulesets/${id}/rules?page_size=1000`, { key })).body.items.map(
    ({ ip, name, expires_at }: Record<string, unknown>) => [ip, name, expires_at],
  );

/**
 * The same list in every form: three rules, one with host bits, one that repeats a prefix, and one that is something
 * else.
 */
const FORMS: readonly (readonly [
  type: string,
  body: string,
  lines: readonly (readonly [line: number, text: string, reason: RegExp])[],
])[] = [
  [
    "text/plain",
    "192.0.2.1\n10.0.0.1/8 # bits\n192.0.2.2\n192.0.2.1/32\nnonsense\n192.0.2.3",
    [
      [2, "10.0.0.1/8 # bits", /did you mean 10.0.0.0\/8/],
      [5, "nonsense", /^column 1: "nonsense": /],
    ],
  ],
  [
    "text/csv",
    "ip,name\n192.0.2.1,\n10.0.0.1/8,a\n192.0.2.2,\n192.0.2.1,b\nx,y,z\n192.0.2.3,",
    [
      [3, "10.0.0.1/8,a", /did you mean 10.0.0.0\/8/],
      [5, "192.0.2.1", /already on line 2/],
      [6, "x,y,z", /the line has 3 fields, but the header has 2 columns/],
    ],
  ],
  [
    "application/x-ndjson",
    '{"ip":"192.0.2.1"}\n{"ip":"10.0.0.1/8"}\n{"ip":"192.0.2.2"}\n{"ip":"192.0.2.1","name":"b"}\n{"id":1}\n{"ip":"192.0.2.3"}\n',
    [
      [2, '{"ip":"10.0.0.1/8"}', /did you mean 10.0.0.0\/8/],
      [4, "192.0.2.1", /already on line 1/],
      [5, '{"id":1}', /unknown member "id"/],
    ],
  ],
  [
    "application/json",
    '{"rules":[{"ip":"192.0.2.1"},{"ip":"10.0.0.1/8"},{"ip":"192.0.2.2"},{"ip":"192.0.2.1","name":"b"},{"id":1},{"ip":"192.0.2.3"}]}',
    [
      [2, '{"ip":"10.0.0.1/8"}', /did you mean 10.0.0.0\/8/],
      [4, "192.0.2.1", /is already in rules\[0\]/],
      [5, '{"id":1}', /ip: is required/],
    ],
  ],
];
const WANTED = ["192.0.2.1", "192.0.2.2", "192.0.2.3"];

for (const scope of ["public", "dashboard"] as const) {
  for (const method of ["POST", "PUT"] as const) {
    describe(`${scope}, ${method === "PUT" ? "replaced" : "imported"}: unreadable lines are left out on request`, () => {
      for (const [type, body, lines] of FORMS) {
        test(type, async () => {
          assert.equal((await send(scope, method, "", type, body)).status, 400);
          assert.equal((await send(scope, method, "?skip_invalid=false", type, body)).status, 400);
          assert.deepEqual(await rules(), []);
          const { status, body: told } = await send(scope, method, "?skip_invalid=true", type, body);
          assert.equal(status, 200, JSON.stringify(told));
          assert.deepEqual(
            [told.invalid, told.invalid_lines.map((each: any) => [each.line, each.text]), told.created ?? told.added],
            [lines.length, lines.map(([line, text]) => [line, text]), 3],
          );
          assert.equal(told.repeated, type === "text/plain" ? 1 : undefined);
          for (const [at, [, , reason]] of lines.entries()) assert.match(told.invalid_lines[at].reason, reason);
          assert.deepEqual(
            (await rules()).map((rule: any) => rule[0]),
            WANTED,
          );
        });
      }
    });
  }
}

test("the first 200 are reported, and the total", async () => {
  const { body } = await send(
    "public",
    "POST",
    "?skip_invalid=true",
    "text/plain",
    `192.0.2.1\n${"bad\n".repeat(5000)}192.0.2.2\n`,
  );
  assert.deepEqual(
    [body.created, body.invalid, body.invalid_lines.length, body.invalid_lines[0].line, body.invalid_lines.at(-1).line],
    [2, 5000, 200, 2, 201],
  );
  const json = { rules: [...Array.from({ length: 5000 }, () => ({ ip: 5 })), { ip: "192.0.2.9" }] };
  assert.equal(
    (await send("public", "POST", "?skip_invalid=true", "application/json", json)).status,
    400,
    "more than a ruleset holds",
  );
  const few = await send("public", "POST", "?skip_invalid=true", "application/json", { rules: json.rules.slice(4300) });
  assert.deepEqual(
    [few.body.created, few.body.invalid, few.body.invalid_lines.length, few.body.invalid_lines[199].line],
    [1, 700, 200, 200],
  );
});

test("no line is left out silently: lists of another format, conflicts and lists that are too long are rejected as usual", async () => {
  const cases: readonly (readonly [type: string, body: unknown, status: number])[] = [
    ["text/csv", "address\n192.0.2.1\n", 400],
    ["application/json", '{"rules":[{"ip":"192.0.2.1"},]}', 400],
    ["application/json", '{"rules":5}', 400],
    ["application/json", '{"rules":[],"other":1}', 400],
    ["text/csv", Buffer.from("ip\n1.1.1.1\xff\n", "latin1"), 400],
    ["text/plain", Array.from({ length: 1001 }, (_, i) => `20.0.${i >> 8}.${i & 255}`).join("\n"), 400],
    ["application/x-ndjson", "bad\n".repeat(100_001), 400],
  ];
  for (const [type, body, status] of cases)
    assert.equal(
      (await send("public", "POST", "?skip_invalid=true", type, body)).status,
      status,
      String(body).slice(0, 40),
    );
  await send("public", "POST", "", "text/plain", "192.0.2.1\n");
  assert.equal(
    (await send("public", "POST", "?skip_invalid=true&conflict_resolution=fail", "text/plain", "192.0.2.1\nbad\n"))
      .status,
    409,
  );
  assert.equal(
    (await send("public", "PUT", "?skip_invalid=true", "text/plain", "bad\nworse\n")).body.type,
    "/problems/shrinks-too-much",
    "of which nothing is left",
  );
  assert.deepEqual(
    (
      await send("public", "PUT", "?skip_invalid=true&dry_run=true", "text/plain", "192.0.2.1\nbad\n")
    ).body.invalid_lines.map((each: any) => each.line),
    [2],
  );
});

describe("a name and an expiry for a whole list: rules with their own keep them", () => {
  const days = new Date(START + 7 * 86_400_000).toISOString();
  const own = "2026-12-24T00:00:00.000Z";
  const forms: readonly (readonly [type: string, body: string, wanted: readonly unknown[]])[] = [
    [
      "text/plain",
      "192.0.2.1\n192.0.2.2\n",
      [
        ["192.0.2.1", "a feed", days],
        ["192.0.2.2", "a feed", days],
      ],
    ],
    [
      "text/csv",
      `ip,name,expires_at\n192.0.2.1,,\n192.0.2.2,own,${own}\n`,
      [
        ["192.0.2.1", "a feed", days],
        ["192.0.2.2", "own", own],
      ],
    ],
    [
      "application/x-ndjson",
      `{"ip":"192.0.2.1"}\n{"ip":"192.0.2.2","name":"own","expires_at":"${own}"}\n{"ip":"192.0.2.3","name":null,"expires_at":null}\n`,
      [
        ["192.0.2.1", "a feed", days],
        ["192.0.2.2", "own", own],
        ["192.0.2.3", null, null],
      ],
    ],
    [
      "application/json",
      JSON.stringify({
        rules: [
          { ip: "192.0.2.1" },
          { ip: "192.0.2.2", name: "own", expires_at: own },
          { ip: "192.0.2.3", name: null, expires_at: null },
          { ip: "192.0.2.4", expires_in_days: 7, name: "" },
        ],
      }),
      [
        ["192.0.2.1", "a feed", days],
        ["192.0.2.2", "own", own],
        ["192.0.2.3", null, null],
        ["192.0.2.4", "", days],
      ],
    ],
  ];
  for (const scope of ["public", "dashboard"] as const) {
    for (const method of ["POST", "PUT"] as const) {
      for (const [type, body, wanted] of forms) {
        test(`${scope}, ${method}, ${type}`, async () => {
          assert.equal((await send(scope, method, "?name=a%20feed&expires_in_days=7", type, body)).status, 200);
          assert.deepEqual(await rules(), wanted);
          assert.equal((await send(scope, method, `?name=a%20feed&expires_at=${days}`, type, body)).body.updated, 0);
        });
      }
    }
  }
  test("bad defaults are rejected by name", async () => {
    const cases: readonly (readonly [query: string, fields: readonly string[]])[] = [
      ["expires_in_days=1&expires_at=2027-01-01T00:00:00Z", ["expires_at", "expires_in_days"]],
      ["expires_in_days=0", ["expires_in_days"]],
      ["expires_in_days=99999999", ["expires_in_days"]],
      ["expires_at=2027-01-01", ["expires_at"]],
      ["expires_at=", ["expires_at"]],
      [`name=${"x".repeat(256)}`, ["name"]],
      ["name=a%0Ab", ["name"]],
    ];
    for (const [query, fields] of cases) {
      const { status, body } = await send("public", "POST", `?${query}`, "text/plain", "192.0.2.1\n");
      assert.deepEqual([status, Object.keys(body.validation_errors ?? {})], [400, fields], query);
    }
  });
  test("a preview reports the same", async () => {
    const preview = await visit(t, "POST", `/edl/ip-rulesets/${id}/rules:preview?name=a%20feed&expires_in_days=7`, {
      token: editor.token,
      body: forms[1]![1],
      headers: { "Content-Type": "text/csv" },
    });
    assert.deepEqual(
      preview.body.lines.map(({ after }: any) => [after.ip, after.name, after.expires_at]),
      forms[1]![2],
    );
  });
});
