/** The tables of the public API's specification, row by row, under the same names. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { rounds } from "../../rounds.ts";
import { addKey, addOrganisation, ask, startServer, type TestServer } from "../start-server.ts";

const DAY = 86_400_000;
let t: TestServer;
let organisation = "";
let key = "";
let reader = "";
let rulesets = "";
let id = "";

before(async () => {
  t = await startServer();
  organisation = await addOrganisation(t, "specification");
  key = (await addKey(t, organisation)).text;
  reader = (await addKey(t, organisation, "read")).text;
  rulesets = "/v1/edl/ip-rulesets/";
  id = (await ask(t, "GET", rulesets, { key })).body.items[1].id;
});
after(() => t.close());

const rules = (): string => `${rulesets}${id}/rules`;
const rule = (ip: string): string => `${rules()}/rule?ip=${encodeURIComponent(ip)}`;
const iso = (time: number): string => new Date(time).toISOString();
const add = (body: object) => ask(t, "POST", rules(), { key, body });

// Resources and their fields

test("Ruleset: its fields", async () => {
  const { body } = await ask(t, "GET", rulesets + id, { key });
  assert.deepEqual(Object.keys(body).sort(), [
    "active_rules",
    "created_at",
    "description",
    "guard",
    "guard_classes",
    "id",
    "name",
    "never_block",
    "purpose",
    "total_rules",
    "updated_at",
  ]);
  assert.match(body.id, /^[0-9a-f-]{36}$/);
  assert.match(body.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.deepEqual([body.name, body.purpose, body.total_rules], ["My Blocklist rules", "blocklist", 0]);
});

test("Rule: its fields; an expiry of null", async () => {
  const { body } = await add({ ip: "192.0.2.1", name: "label" });
  assert.deepEqual(body.rule, {
    ip: "192.0.2.1",
    name: "label",
    expires_at: null,
    created_at: iso(t.clock.now),
    updated_at: iso(t.clock.now),
  });
});

test("Page envelope: items, count, next, prev as absolute URLs with the other parameters", async () => {
  for (let i = 0; i < 5; i++) await add({ ip: `192.0.2.${10 + i}` });
  const first = (await ask(t, "GET", `${rules()}?page_size=2&active_only=true`, { key })).body;
  assert.deepEqual([first.items.length, first.count, first.prev], [2, 6, null]);
  assert.equal(first.next, `${t.server.url}${rules()}?page_size=2&active_only=true&page=2`);
  const last = (await ask(t, "GET", `${rules()}?page_size=2&page=3&apikey=${key}`)).body;
  assert.equal(last.next, null);
  assert.equal(last.prev, `${t.server.url}${rules()}?page_size=2&page=2`);
  const beyond = await ask(t, "GET", `${rules()}?page_size=2&page=9`, { key });
  assert.deepEqual([beyond.status, beyond.body.items, beyond.body.count, beyond.body.next], [200, [], 6, null]);
});

// States and transitions

test("addRule, no rule with that ip: 201, created", async () => {
  const { status, body } = await add({ ip: "198.51.100.0/24" });
  assert.deepEqual([status, body.action], [201, "created"]);
});

test("addRule, extend (default): the longer expiration of the two", async () => {
  await add({ ip: "198.51.100.1", expires_at: iso(t.clock.now + DAY) });
  const shorter = await add({ ip: "198.51.100.1", expires_at: iso(t.clock.now + 1000) });
  assert.deepEqual(
    [shorter.status, shorter.body.action, shorter.body.rule.expires_at],
    [200, "skipped", iso(t.clock.now + DAY)],
  );
  const longer = await add({ ip: "198.51.100.1", expires_at: iso(t.clock.now + 2 * DAY) });
  assert.deepEqual(
    [longer.status, longer.body.action, longer.body.rule.expires_at],
    [200, "updated", iso(t.clock.now + 2 * DAY)],
  );
  const named = await add({ ip: "198.51.100.1", name: "now named", expires_at: iso(t.clock.now) });
  assert.deepEqual([named.body.action, named.body.rule.name], ["updated", "now named"]);
  const permanent = await add({ ip: "198.51.100.1" });
  assert.deepEqual([permanent.body.action, permanent.body.rule.expires_at], ["updated", null]);
});

test("addRule, override: fully replaced", async () => {
  await add({ ip: "198.51.100.2", name: "before" });
  const { status, body } = await add({ ip: "198.51.100.2", expires_in_days: 1, conflict_resolution: "override" });
  assert.deepEqual(
    [status, body.action, body.rule.name, body.rule.expires_at],
    [200, "updated", null, iso(t.clock.now + DAY)],
  );
});

test("addRule, skip: unchanged", async () => {
  await add({ ip: "198.51.100.3", name: "before" });
  const { status, body } = await add({ ip: "198.51.100.3", name: "after", conflict_resolution: "skip" });
  assert.deepEqual([status, body.action, body.rule.name], [200, "skipped", "before"]);
});

test("addRule, fail: 409 with the existing rule", async () => {
  await add({ ip: "198.51.100.4", name: "before" });
  const { status, body, headers } = await add({ ip: "198.51.100.4/32", conflict_resolution: "fail" });
  assert.deepEqual(
    [status, body.type, body.title, body.existing.name],
    [409, "/problems/conflict", "Conflict", "before"],
  );
  assert.equal(headers.get("content-type"), "application/problem+json");
});

test("updateRule: 200 with the updated rule; idempotent", async () => {
  await add({ ip: "198.51.100.5" });
  t.clock.now += 1000;
  const changes = { name: "new", expires_at: "2027-01-01T00:00:00+01:00" };
  const first = await ask(t, "PUT", rule("198.51.100.5"), { key, body: changes });
  assert.deepEqual([first.status, first.body.name, first.body.expires_at], [200, "new", "2026-12-31T23:00:00.000Z"]);
  t.clock.now += 1000;
  const second = await ask(t, "PUT", rule("198.51.100.5"), { key, body: changes });
  assert.deepEqual(second.body, first.body);
});

test("deleteRule: 204, no body; then getRule, updateRule and deleteRule: 404", async () => {
  await add({ ip: "198.51.100.6" });
  const gone = await ask(t, "DELETE", rule("198.51.100.6"), { key });
  assert.deepEqual([gone.status, gone.text], [204, ""]);
  for (const [method, body] of [["GET"], ["PUT", { name: "x" }], ["DELETE"]] as const) {
    const { status, body: problem } = await ask(t, method, rule("198.51.100.6"), { key, body });
    assert.deepEqual([status, problem.type, problem.title], [404, "/problems/not-found", "Not Found"], method);
  }
});

test("a rule is active or expired; counts, active_only and ETag change in the same millisecond", async () => {
  const own = (await ask(t, "POST", rulesets, { key, body: { name: "expiry", purpose: "allowlist" } })).body.id;
  const path = `${rulesets}${own}`;
  const end = t.clock.now + 5000;
  await ask(t, "POST", `${path}/rules`, { key, body: { ip: "192.0.2.0/24", expires_at: iso(end) } });
  const state = async () => {
    const about = await ask(t, "GET", path, { key });
    const { body, headers } = await ask(t, "GET", `${path}/rules?active_only=true`, { key });
    const { matched } = (await ask(t, "POST", `${path}/rules:check`, { key, body: { ip: "192.0.2.9" } })).body;
    const text = (await ask(t, "GET", `${path}/rules:export`, { key })).text;
    return {
      counts: [about.body.total_rules, about.body.active_rules],
      listed: body.count,
      matched,
      text,
      tag: headers.get("etag")!,
    };
  };
  t.clock.now = end - 1;
  const active = await state();
  assert.deepEqual([active.counts, active.listed, active.matched, active.text], [[1, 1], 1, true, "192.0.2.0/24\n"]);
  const known = { "If-None-Match": active.tag };
  assert.equal((await ask(t, "GET", `${path}/rules?active_only=true`, { key, headers: known })).status, 304);
  t.clock.now = end;
  const expired = await state();
  assert.deepEqual([expired.counts, expired.listed, expired.matched, expired.text], [[1, 0], 0, false, ""]);
  assert.equal((await ask(t, "GET", `${path}/rules?active_only=true`, { key, headers: known })).status, 200);
  assert.equal((await ask(t, "GET", `${path}/rules`, { key })).body.items.length, 1);
  const revived = await ask(t, "POST", `${path}/rules`, { key, body: { ip: "192.0.2.0/24", expires_in_days: 1 } });
  assert.deepEqual([revived.status, revived.body.action], [200, "updated"]);
});

// Endpoints: with and without the slash that the table shows

for (const path of ["/v1/edl/ip-rulesets/", "/v1/edl/ip-rulesets"]) {
  test(`listRulesets at ${path}: in the order of creation; filtered by purpose`, async () => {
    const { status, body } = await ask(t, "GET", `${path}?purpose=blocklist&page=1`, { key: reader });
    assert.deepEqual([status, body.items.map((each: { name: string }) => each.name)], [200, ["My Blocklist rules"]]);
    assert.equal((await ask(t, "GET", path, { key: reader })).body.items[0].name, "My Allowlist rules");
  });
}

test("getRuleset, listRules, getRule: 404 for a ruleset that does not exist or is another organisation's", async () => {
  const other = await addOrganisation(t, "other");
  const stranger = (await addKey(t, other)).text;
  const bodies = [];
  for (const [who, ruleset] of [
    [key, "00000000-0000-4000-8000-000000000000"],
    [stranger, id],
    [key, "no-uuid"],
  ] as const) {
    for (const end of ["", "/rules", "/rules/rule?ip=192.0.2.1"]) {
      const { status, body } = await ask(t, "GET", `${rulesets}${ruleset}${end}`, { key: who });
      assert.equal(status, 404, `${ruleset}${end}`);
      bodies.push(JSON.stringify({ ...body, instance: "" }));
    }
  }
  assert.equal(new Set(bodies).size, 1);
});

test("an invalid IP address or CIDR: 400 whose validation_errors lists the field ip", async () => {
  for (const ip of ["1.2.3", "10.0.0.1/8", "::1%eth0", "1.2.3.4/33", ""]) {
    for (const answer of [
      await add({ ip }),
      await ask(t, "GET", rule(ip), { key }),
      await ask(t, "DELETE", rule(ip), { key }),
    ]) {
      assert.equal(answer.status, 400);
      assert.deepEqual(Object.keys(answer.body.validation_errors), ["ip"], ip);
    }
  }
});

test("two spellings of one prefix are one rule", async () => {
  await add({ ip: "2001:DB8::/32", name: "one" });
  const { body } = await ask(t, "GET", rule("2001:0db8:0::0/32"), { key });
  assert.deepEqual([body.ip, body.name], ["2001:db8::/32", "one"]);
  await add({ ip: "::ffff:192.0.2.77" });
  assert.equal((await ask(t, "GET", rule("192.0.2.77/32"), { key })).body.ip, "192.0.2.77");
});

// Authentication: access levels

test("read: views and lookups; read_write: also changes", async () => {
  for (const path of [rulesets, rulesets + id, rules(), "/v1/cbs/lookup?ip=1.1.1.1"])
    assert.equal((await ask(t, "GET", path, { key: reader })).status, 200);
  for (const [method, path, body] of [
    ["POST", rules(), { ip: "192.0.2.99" }],
    ["PUT", rule("192.0.2.1"), { name: "x" }],
    ["DELETE", rule("192.0.2.1"), undefined],
    ["DELETE", rulesets + id, undefined],
  ] as const) {
    const { status, body: problem, headers } = await ask(t, method, path, { key: reader, body });
    assert.deepEqual(
      [status, problem.type, problem.title, problem.request_id],
      [403, "/problems/permission-denied", "Permission Denied", headers.get("x-request-id")],
    );
  }
});

// What the contract adds

test("rulesets: created, renamed, deleted; the purpose stays", async () => {
  const made = await ask(t, "POST", rulesets, {
    key,
    body: { name: "third", purpose: "allowlist", description: "text" },
  });
  assert.deepEqual(
    [made.status, made.body.name, made.body.description, made.body.total_rules],
    [201, "third", "text", 0],
  );
  const path = made.headers.get("location")!;
  const renamed = await ask(t, "PATCH", path, { key, body: { name: "3rd" } });
  assert.deepEqual([renamed.status, renamed.body.name, renamed.body.purpose], [200, "3rd", "allowlist"]);
  assert.equal((await ask(t, "PATCH", path, { key, body: { purpose: "blocklist" } })).status, 400);
  assert.equal((await ask(t, "DELETE", path, { key })).status, 204);
  assert.equal((await ask(t, "GET", path, { key })).status, 404);
});

test("rules:check: the most specific active rule first; a map for many", async () => {
  const own = (await ask(t, "POST", rulesets, { key, body: { name: "check", purpose: "allowlist" } })).body.id;
  const path = `${rulesets}${own}`;
  for (const ip of ["10.0.0.0/8", "10.1.0.0/16"]) await ask(t, "POST", `${path}/rules`, { key, body: { ip } });
  const one = (await ask(t, "POST", `${path}/rules:check`, { key: reader, body: { ip: "10.1.2.3" } })).body;
  assert.deepEqual(
    [one.ip, one.matched, one.rule.ip, one.covering.map((each: { ip: string }) => each.ip)],
    ["10.1.2.3", true, "10.1.0.0/16", ["10.1.0.0/16", "10.0.0.0/8"]],
  );
  const many = (
    await ask(t, "POST", `${path}/rules:check`, {
      key: reader,
      body: { ips: ["10.2.0.0/16", "11.0.0.1", "10.2.0.0/16"] },
    })
  ).body;
  assert.deepEqual(
    [Object.keys(many), many["10.2.0.0/16"].rule.ip, many["11.0.0.1"]],
    [["10.2.0.0/16", "11.0.0.1"], "10.0.0.0/8", { ip: "11.0.0.1", matched: false, rule: null, covering: [] }],
  );
});

test("rules:check of thousands: each result as for one, all from one version of the rules while others write", async () => {
  const own = (await ask(t, "POST", rulesets, { key, body: { name: "check many", purpose: "allowlist" } })).body.id;
  const path = `${rulesets}${own}`;
  const rules = [0, 1, 2, 7, 8, 9, 10, 11, 12, 16, 24].map((length) => ({
    ip: `${length < 3 ? 0 : 48}.0.0.0/${length}`,
    name: `rule "${length}"`,
  }));
  assert.equal((await ask(t, "PUT", `${path}/rules`, { key, body: { rules } })).status, 200);
  const ips = [...Array.from({ length: 3000 }, (_, i) => `48.${i >> 8}.0.${i & 255}`), "48.0.0.0/8", "99.0.0.1", "::1"];
  const { body } = await ask(t, "POST", `${path}/rules:check`, { key: reader, body: { ips } });
  assert.deepEqual(Object.keys(body), ips);
  for (const ip of ["48.0.0.0", "48.3.0.7", "48.0.0.0/8", "99.0.0.1", "::1"])
    assert.deepEqual(body[ip], (await ask(t, "POST", `${path}/rules:check`, { key: reader, body: { ip } })).body, ip);
  // A rule that is repeatedly added and deleted is either in all answers of a request, or in none.
  const end = new AbortController();
  const writing = (async () => {
    for (let n = 0; !end.signal.aborted; n++)
      await ask(
        t,
        n % 2 === 0 ? "POST" : "DELETE",
        n % 2 === 0 ? `${path}/rules` : `${path}/rules/rule?ip=48.0.0.0/6`,
        { key, ...(n % 2 === 0 ? { body: { ip: "48.0.0.0/6" } } : {}) },
      );
  })();
  for (let n = 0; n < rounds({ short: 6, long: 20 }); n++) {
    const answers: { covering: { ip: string }[] }[] = Object.values(
      (await ask(t, "POST", `${path}/rules:check`, { key: reader, body: { ips: ips.slice(0, 3000) } })).body,
    );
    assert.equal(new Set(answers.map(({ covering }) => covering.some(({ ip }) => ip === "48.0.0.0/6"))).size, 1);
  }
  end.abort();
  await writing;
});

test("rules:batch: one result per item; atomic by default", async () => {
  const own = (await ask(t, "POST", rulesets, { key, body: { name: "batch", purpose: "allowlist" } })).body.id;
  const path = `${rulesets}${own}`;
  const items = [
    { op: "add", ip: "192.0.2.1", name: "a" },
    { op: "delete", ip: "192.0.2.2", missing: "fail" },
  ];
  const refused = await ask(t, "POST", `${path}/rules:batch`, { key, body: { items } });
  assert.deepEqual(
    [refused.status, refused.body.results.map((each: { action: string }) => each.action)],
    [409, ["not_applied", "absent"]],
  );
  assert.equal((await ask(t, "GET", path, { key })).body.total_rules, 0);
  const done = await ask(t, "POST", `${path}/rules:batch`, { key, body: { items, atomic: false } });
  assert.deepEqual(
    [done.status, done.body.results.map((each: { action: string; ip: string }) => [each.action, each.ip])],
    [
      200,
      [
        ["created", "192.0.2.1"],
        ["absent", "192.0.2.2"],
      ],
    ],
  );
  assert.equal((await ask(t, "GET", path, { key })).body.total_rules, 1);
});

test("PUT rules: replaces all, If-Match, dry_run; import and export as text, CSV and NDJSON", async () => {
  const own = (await ask(t, "POST", rulesets, { key, body: { name: "whole", purpose: "allowlist" } })).body.id;
  const path = `${rulesets}${own}/rules`;
  await ask(t, "POST", path, { key, body: { ip: "192.0.2.1", name: "stays" } });
  await ask(t, "POST", path, { key, body: { ip: "192.0.2.2" } });
  const tag = (await ask(t, "GET", path, { key })).headers.get("etag")!;
  const body = { rules: [{ ip: "192.0.2.1", name: "stays" }, { ip: "192.0.2.3" }] };
  const dry = await ask(t, "PUT", `${path}?dry_run=true`, { key, body });
  assert.deepEqual(
    [dry.status, dry.body.added, dry.body.updated, dry.body.removed, dry.body.unchanged, dry.body.plan.removed[0].ip],
    [200, 1, 0, 1, 1, "192.0.2.2"],
  );
  assert.equal((await ask(t, "GET", path, { key })).headers.get("etag"), tag);
  const done = await ask(t, "PUT", path, { key, body, headers: { "If-Match": tag } });
  assert.deepEqual(
    [done.status, done.body],
    [200, { added: 1, updated: 0, removed: 1, unchanged: 1, can_undo: true, dry_run: false }],
  );
  const late = await ask(t, "PUT", path, { key, body, headers: { "If-Match": tag } });
  assert.deepEqual([late.status, late.body.type], [412, "/problems/precondition-failed"]);
  for (const type of ["text/plain", "text/csv", "application/x-ndjson"]) {
    const file = await ask(t, "GET", path, { key, headers: { Accept: type } });
    assert.equal(file.headers.get("content-type"), `${type}; charset=utf-8`);
    const again = await ask(t, "PUT", path, { key, body: file.text, headers: { "Content-Type": type } });
    assert.deepEqual([again.status, again.body.added, again.body.removed], [200, 0, 0], file.text);
  }
  const bad = await ask(t, "PUT", path, {
    key,
    body: "192.0.2.1\n10.0.0.1/8\n",
    headers: { "Content-Type": "text/plain" },
  });
  assert.deepEqual([bad.status, Object.keys(bad.body.validation_errors)], [400, ["line 2"]]);
  const more = await ask(t, "POST", `${rulesets}${own}/rules:import`, {
    key,
    body: "192.0.2.3\n192.0.2.4\n",
    headers: { "Content-Type": "text/plain" },
  });
  assert.deepEqual(more.body, { created: 1, updated: 0, skipped: 1, can_undo: true });
});

test("Idempotency-Key: a repetition gets the first response; another body is rejected", async () => {
  const headers = { "Idempotency-Key": "one-1" };
  const first = await ask(t, "POST", rules(), { key, headers, body: { ip: "192.0.2.200" } });
  const again = await ask(t, "POST", rules(), { key, headers, body: { ip: "192.0.2.200" } });
  assert.deepEqual([first.status, again.status, again.body], [201, 201, first.body]);
  const other = await ask(t, "POST", rules(), { key, headers, body: { ip: "192.0.2.201" } });
  assert.deepEqual([other.status, other.body.type], [422, "/problems/idempotency-key-reused"]);
});
