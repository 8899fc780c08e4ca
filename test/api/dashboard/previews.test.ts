import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { addOrganisation, startServer, type TestServer } from "../start-server.ts";
import { addUser, type TestUser, visit } from "./browser.ts";

let t: TestServer;
let editor: TestUser;
let viewer: TestUser;
let id = "";
let path = "";
before(async () => {
  t = await startServer({ specialPurpose: true, rulesPerRuleset: 1000, bulkBodyBytes: 65_536 });
  const organisation = await addOrganisation(t, "previews");
  editor = await addUser(t, organisation, "editor");
  viewer = await addUser(t, organisation, "viewer");
  id = (await visit(t, "GET", "/edl/ip-rulesets/", { token: editor.token })).body.items[0].id;
  path = `/edl/ip-rulesets/${id}/rules`;
  for (const [ip, name] of [
    ["203.0.113.0/24", "office"],
    ["198.51.100.7", null],
  ]) {
    assert.equal((await visit(t, "POST", path, { token: editor.token, body: { ip, name } })).status, 201);
  }
});
after(() => t.close());

const preview = (body: unknown, type = "application/json", mode = "extend", token = editor.token) =>
  visit(t, "POST", `${path}:preview?conflict_resolution=${mode}`, { token, body, headers: { "Content-Type": type } });

test("files and JSON are previewed line by line, and nothing is written", async () => {
  const csv = "ip,name\n203.0.113.0/24,other\n192.0.2.1,new\n198.51.100.7,named\n10.0.0.1/8,bad\n192.0.2.1,again\n";
  const { status, body, headers } = await preview(csv, "text/csv; charset=utf-8");
  assert.equal(status, 200);
  assert.deepEqual(body.counts, { created: 1, updated: 1, skipped: 1, conflict: 0, error: 2 });
  assert.equal(body.truncated, false);
  assert.deepEqual(
    body.lines.map((each: any) => [each.line, each.ip, each.verdict]),
    [
      [2, "203.0.113.0/24", "skipped"],
      [3, "192.0.2.1", "created"],
      [4, "198.51.100.7", "updated"],
      [5, "10.0.0.1/8", "error"],
      [6, "192.0.2.1", "error"],
    ],
  );
  assert.deepEqual(
    [
      body.lines[0].before.name,
      body.lines[0].after,
      body.lines[1].before,
      body.lines[1].after.name,
      body.lines[2].before.name,
      body.lines[2].after.name,
    ],
    ["office", undefined, undefined, "new", null, "named"],
  );
  assert.match(body.lines[3].message, /did you mean 10.0.0.0\/8/);
  assert.match(body.lines[4].message, /already on line 3/);
  assert.match(headers.get("etag")!, new RegExp(`^"${body.version}\\.[0-9a-f]{8}-0"$`));
  const rules = [
    { ip: "203.0.113.0/24", name: "other" },
    { ip: "x".repeat(50), name: "y".repeat(300) },
  ];
  assert.deepEqual((await preview({ rules }, "application/json", "fail")).body.counts, {
    created: 0,
    updated: 0,
    skipped: 0,
    conflict: 1,
    error: 1,
  });
  assert.deepEqual((await preview("203.0.113.0/24\n", "text/plain", "override")).body.counts, {
    created: 0,
    updated: 1,
    skipped: 0,
    conflict: 0,
    error: 0,
  });
  assert.equal((await preview('{"ip":"192.0.2.9"}\n', "application/x-ndjson", "skip")).body.counts.created, 1);
  assert.equal((await visit(t, "GET", path, { token: viewer.token })).body.count, 2);
});

test("viewers may preview; unreadable input is rejected", async () => {
  assert.equal((await preview("192.0.2.1", "text/plain", "extend", viewer.token)).status, 200);
  const bad: [what: string, body: unknown, type: string, status: number][] = [
    ["no JSON", "{", "application/json", 400],
    ["no rules", {}, "application/json", 400],
    ["an unknown member", { rules: [{ ip: "192.0.2.1", note: "x" }] }, "application/json", 400],
    ["a number for an address", { rules: [{ ip: 7 }] }, "application/json", 400],
    ["not UTF-8", Buffer.from("ip\n1.1.1.1\xff\n", "latin1"), "text/csv", 400],
    ["a form", "a=b", "application/x-www-form-urlencoded", 415],
    ["too long", "#".repeat(70_000), "text/plain", 413],
  ];
  for (const [what, body, type, status] of bad) assert.equal((await preview(body, type)).status, status, what);
  assert.equal((await preview("192.0.2.1", "text/plain", "merge")).status, 400);
  assert.equal((await visit(t, "POST", `${path}:preview`, { token: editor.token })).status, 400);
  assert.equal(
    (
      await visit(t, "POST", `${path}:preview`, {
        token: editor.token,
        origin: "https://elsewhere.example",
        body: { rules: [] },
      })
    ).status,
    403,
  );
  const stranger = await addUser(t, await addOrganisation(t, "strangers"), "admin");
  assert.equal((await preview("192.0.2.1", "text/plain", "extend", stranger.token)).status, 404);
});
