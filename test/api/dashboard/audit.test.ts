import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, test } from "node:test";
import { addKey, addOrganisation, ask, startServer, type TestServer } from "../start-server.ts";
import { addUser, type TestUser, visit } from "./browser.ts";
import { rounds } from "../../rounds.ts";

let t: TestServer;
let organisation = "";
let admin: TestUser;
before(async () => {
  t = await startServer();
  organisation = await addOrganisation(t, "audit");
  admin = await addUser(t, organisation, "admin", "Ann");
});
after(() => t.close());

const asked = (method: string, path: string, body?: object) => visit(t, method, path, { token: admin.token, body });
const newest = async (limit: number) => (await asked("GET", `/audit?limit=${limit}`)).body.items;

test("who changed what, from what, to what: by a user, by a key, by a command", async () => {
  const { text: key, id: keyId } = await addKey(t, organisation);
  const { id } = (await asked("POST", "/edl/ip-rulesets/", { name: "Offices", purpose: "allowlist" })).body;
  await asked("PATCH", `/edl/ip-rulesets/${id}`, { name: "Branches" });
  await asked("POST", `/edl/ip-rulesets/${id}/rules`, { ip: "192.0.2.1", name: "first" });
  await ask(t, "PUT", `/v1/edl/ip-rulesets/${id}/rules`, {
    key,
    body: { rules: [{ ip: "192.0.2.1", name: "second" }, { ip: "192.0.2.2" }] },
  });
  await asked("DELETE", `/edl/ip-rulesets/${id}`);
  await asked("DELETE", `/keys/${keyId}`);
  const items = await newest(7);
  const ann = { kind: "user", id: admin.id, name: "Ann" };
  const at = "2026-11-21T12:00:00.000Z";
  const rule = (ip: string, name: string | null) => ({ ip, name, expires_at: null, created_at: at, updated_at: at });
  const ruleset = {
    id,
    name: "Branches",
    purpose: "allowlist",
    description: "",
    guard: "warn",
    guard_classes: null,
    never_block: false,
  };
  const first = items[6].sequence;
  const key0 = {
    id: keyId,
    label: "test",
    access: "read_write",
    start: key.slice(0, 8),
    expires_at: null,
    revoked_at: null,
  };
  assert.deepEqual(
    items.map((item: any) => ({ ...item, counts: undefined, sha256: undefined })),
    [
      {
        sequence: first + 6,
        at,
        actor: ann,
        kind: "revoke-key",
        action: "Revoke key",
        ruleset_id: null,
        summary: `revoked the key "test" (${key.slice(0, 8)}...)`,
        old: key0,
        new: { ...key0, revoked_at: at },
      },
      {
        sequence: first + 5,
        at,
        actor: ann,
        kind: "delete-ruleset",
        action: "Delete ruleset",
        ruleset_id: id,
        summary: 'deleted the ruleset "Branches" with 2 rules',
        old: { ...ruleset, rules: [rule("192.0.2.1", "second"), rule("192.0.2.2", null)], rule_count: 2 },
        new: null,
      },
      {
        sequence: first + 4,
        at,
        actor: { kind: "key", id: keyId, name: "test" },
        kind: "replace-rules",
        action: "Replace all rules",
        ruleset_id: id,
        summary: "added 192.0.2.2, changed 192.0.2.1",
        old: { rules: [rule("192.0.2.1", "first")], rule_count: 1 },
        new: { rules: [rule("192.0.2.1", "second"), rule("192.0.2.2", null)], rule_count: 2 },
      },
      {
        sequence: first + 3,
        at,
        actor: ann,
        kind: "add-rule",
        action: "Add rule",
        ruleset_id: id,
        summary: "added 192.0.2.1",
        old: null,
        new: { rules: [rule("192.0.2.1", "first")], rule_count: 1 },
      },
      {
        sequence: first + 2,
        at,
        actor: ann,
        kind: "update-ruleset",
        action: "Edit ruleset",
        ruleset_id: id,
        summary: 'renamed the ruleset "Offices" to "Branches"',
        old: { ...ruleset, name: "Offices" },
        new: ruleset,
      },
      {
        sequence: first + 1,
        at,
        actor: ann,
        kind: "create-ruleset",
        action: "Create ruleset",
        ruleset_id: id,
        summary: 'created the ruleset "Offices"',
        old: null,
        new: { ...ruleset, name: "Offices" },
      },
      {
        sequence: first,
        at,
        actor: { kind: "command", id: null, name: "test" },
        kind: "create-key",
        action: "Create key",
        ruleset_id: null,
        summary: `created the key "test" (${key.slice(0, 8)}...)`,
        old: null,
        new: key0,
      },
    ].map((item) => ({ ...item, counts: undefined, sha256: undefined })),
  );
  const counted = (created: number, updated: number, deleted: number, skipped: number | null = null) => ({
    created,
    updated,
    deleted,
    skipped,
  });
  assert.deepEqual(
    items.map(({ counts }: any) => counts),
    [null, counted(0, 0, 2), counted(1, 1, 0, 0), counted(1, 0, 0), null, null, null],
  );
  const digest = createHash("sha256")
    .update(JSON.stringify({ rules: [{ ip: "192.0.2.1", name: "second" }, { ip: "192.0.2.2" }] }))
    .digest("hex");
  assert.deepEqual(
    items.map((item: any) => item.sha256),
    [null, null, digest, null, null, null, null],
  );
  assert.deepEqual((await asked("GET", `/audit?ruleset_id=${id.toUpperCase()}`)).body.items, items.slice(1, 6));
});

test("pages lead to the first change; no digest is shown", async () => {
  const all = [];
  let text = "";
  for (let query = "limit=3"; ;) {
    const answer = await asked("GET", `/audit?${query}`);
    text += answer.text;
    all.push(...answer.body.items);
    if (answer.body.next_before === null) break;
    query = `limit=3&before=${answer.body.next_before}`;
  }
  const sequences = all.map(({ sequence }: { sequence: number }) => sequence);
  assert.deepEqual(
    sequences,
    [...sequences].sort((a, b) => b - a),
  );
  assert.equal(sequences.at(-1), 1);
  assert.ok(!text.includes("digest"));
  for (const { digest } of (await t.server.store.load(null)).credentials) assert.ok(!text.includes(digest));
});

test("only entries of the own organisation; of a deleted user, the name", async () => {
  const other = await addUser(t, await addOrganisation(t, "other"), "admin");
  const theirs = (await visit(t, "GET", "/audit", { token: other.token })).text;
  assert.ok(!theirs.includes("Ann") && !theirs.includes("Branches"));
  const { ruleset_id } = (await newest(100)).find((item: { ruleset_id: string | null }) => item.ruleset_id !== null);
  assert.deepEqual((await visit(t, "GET", `/audit?ruleset_id=${ruleset_id}`, { token: other.token })).body.items, []);
  const bob = await addUser(t, organisation, "editor", "Bob");
  await visit(t, "POST", "/edl/ip-rulesets/", { token: bob.token, body: { name: "Bob's", purpose: "blocklist" } });
  await asked("DELETE", `/users/${bob.id}`);
  const [deleted, created] = await newest(2);
  assert.deepEqual(
    [deleted.summary, deleted.old.role, created.actor.name, created.summary],
    ['removed the user "Bob"', "editor", "Bob", 'created the ruleset "Bob\'s"'],
  );
  for (const query of ["ruleset_id=%00", "ruleset_id=x", `ruleset_id=${"é".repeat(36)}`])
    assert.deepEqual((await asked("GET", `/audit?${query}`)).body, { items: [], next_before: null });
  for (const query of ["before=0", "limit=101", "limit=0", "before=x"])
    assert.equal((await asked("GET", `/audit?${query}`)).status, 400);
});

test("a change of many rules shows how many it touched, the first of them, and the digest of the list", async () => {
  const { id } = (await asked("POST", "/edl/ip-rulesets/", { name: "Long", purpose: "blocklist" })).body;
  const rules = Array.from({ length: 600 }, (_, index) => ({
    ip: `10.0.${index >> 8}.${index & 255}`,
    name: "a name of some length, as feeds have them",
  }));
  await asked("PUT", `/edl/ip-rulesets/${id}/rules`, { rules });
  await asked("PUT", `/edl/ip-rulesets/${id}/rules?max_shrink=100`, { rules: rules.slice(0, 3) });
  await asked("DELETE", `/edl/ip-rulesets/${id}`);
  const [deleted, shortened, filled] = await newest(3);
  assert.deepEqual(
    [filled.summary, filled.counts, filled.old, filled.new.rule_count, filled.new.rules[0].ip],
    ["added 600 rules", { created: 600, updated: 0, deleted: 0, skipped: 0 }, null, 600, "10.0.0.0"],
  );
  assert.deepEqual(
    [shortened.summary, shortened.old.rule_count, shortened.new],
    ["deleted 597 rules, left 3 rules as they were", 597, null],
  );
  assert.ok(shortened.old.rules.length > 20);
  assert.equal(filled.sha256, createHash("sha256").update(JSON.stringify({ rules })).digest("hex"));
  assert.deepEqual(
    [deleted.summary, deleted.old.rule_count, deleted.new],
    ['deleted the ruleset "Long" with 3 rules', 3, null],
  );
});

/** An organisation in which two users, a key and the command line have made changes, an hour apart. */
async function busyOrganisation() {
  const id = await addOrganisation(t, `busy ${Math.random()}`);
  const [ann, bob] = [await addUser(t, id, "admin", `ann of ${id}`), await addUser(t, id, "editor", `bob of ${id}`)];
  const { text: key, id: keyId } = await addKey(t, id);
  const [, block] = (await ask(t, "GET", "/v1/edl/ip-rulesets/", { key })).body.items;
  const start = t.clock.now;
  const add = (token: string, ip: string) =>
    visit(t, "POST", `/edl/ip-rulesets/${block.id}/rules`, { token, body: { ip } });
  t.clock.now += 3_600_000;
  await add(ann.token, "192.0.2.1");
  t.clock.now += 3_600_000;
  await add(bob.token, "192.0.2.2");
  await visit(t, "DELETE", `/edl/ip-rulesets/${block.id}/rules/rule?ip=192.0.2.1`, { token: bob.token });
  t.clock.now += 3_600_000;
  await ask(t, "POST", `/v1/edl/ip-rulesets/${block.id}/rules`, { key, body: { ip: "192.0.2.3" } });
  await visit(t, "POST", "/edl/ip-rulesets/", {
    token: bob.token,
    body: { name: '=cmd|"/c calc",1', purpose: "allowlist" },
  });
  return { ann, bob, keyId, blockId: block.id as string, start };
}

test("filters: by kind, actor, ruleset and time, and all of them together", async () => {
  const { ann, bob, keyId, blockId, start } = await busyOrganisation();
  const summaries = async (query: string) =>
    (await visit(t, "GET", `/audit?limit=100&${query}`, { token: ann.token })).body.items.map(
      (each: any) => each.summary,
    );
  const at = (hours: number) => encodeURIComponent(new Date(start + hours * 3_600_000).toISOString());
  assert.deepEqual(await summaries("kind=add-rule"), ["added 192.0.2.3", "added 192.0.2.2", "added 192.0.2.1"]);
  assert.deepEqual(await summaries(`actor=user:${bob.id.toUpperCase()}&ruleset_id=${blockId}`), [
    "deleted 192.0.2.1",
    "added 192.0.2.2",
  ]);
  assert.deepEqual(await summaries(`actor=key:${keyId}`), ["added 192.0.2.3"]);
  assert.deepEqual(await summaries(`from=${at(1)}&until=${at(2)}`), ["added 192.0.2.1"]);
  assert.deepEqual(await summaries(`from=${at(2)}&actor=user:${bob.id}&kind=add-rule`), ["added 192.0.2.2"]);
  const byCommand = (await visit(t, "GET", "/audit?limit=100&actor=command", { token: ann.token })).body.items;
  assert.ok(byCommand.length >= 4 && byCommand.every((each: any) => each.actor.kind === "command"));
  assert.deepEqual(await summaries(`actor=user:${admin.id}`), []);
  for (const query of [
    "kind=nothing",
    "actor=bob",
    "actor=user:1",
    "from=yesterday",
    "until=2026-11-21",
    "from=2026-11-21T12:00:00",
  ]) {
    const { status, body } = await visit(t, "GET", `/audit?${query}`, { token: ann.token });
    assert.deepEqual([status, Object.keys(body.validation_errors)], [400, [query.split("=")[0]]], query);
  }
});

test("values of filters: kinds in words, users and keys including deleted ones, rulesets; only of the own organisation", async () => {
  const { ann, bob, keyId, blockId } = await busyOrganisation();
  await visit(t, "DELETE", `/users/${bob.id}`, { token: ann.token });
  const { body } = await visit(t, "GET", "/audit/filters", { token: ann.token });
  assert.deepEqual(
    body.actors.map((each: any) => each.actor),
    [`user:${ann.id}`, `user:${bob.id}`, `key:${keyId}`, "command"],
  );
  assert.equal(body.kinds.find((each: any) => each.kind === "start-session").action, "Sign in");
  assert.deepEqual(
    body.rulesets.map((each: any) => each.name),
    ["My Allowlist rules", "My Blocklist rules", '=cmd|"/c calc",1'],
  );
  assert.ok(body.rulesets.some((each: any) => each.id === blockId));
  for (const { kind } of body.kinds)
    assert.equal((await visit(t, "GET", `/audit?kind=${kind}`, { token: ann.token })).status, 200, kind);
});

test("export: all lines that match the filters, over many pages; formulas are escaped in CSV", async () => {
  const { ann, blockId } = await busyOrganisation();
  for (let more = 0; more < rounds({ short: 120, long: 250 }); more++)
    await visit(t, "POST", `/edl/ip-rulesets/${blockId}/rules`, {
      token: ann.token,
      body: { ip: `198.51.100.${more}` },
    });
  const all: any[] = [];
  for (let before = ""; ;) {
    const { body } = await visit(t, "GET", `/audit?limit=100${before}`, { token: ann.token });
    all.push(...body.items);
    if (body.next_before === null) break;
    before = `&before=${body.next_before}`;
  }
  const exported = (query: string) => visit(t, "GET", `/audit:export?${query}`, { token: ann.token });
  const lines = await exported("format=ndjson");
  assert.deepEqual(
    lines.text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line)),
    all,
  );
  assert.equal(lines.headers.get("content-type"), "application/x-ndjson; charset=utf-8");
  const csv = await exported("");
  assert.match(csv.headers.get("content-disposition")!, /^attachment; filename="audit-\d{4}-\d\d-\d\d\.csv"$/);
  const rows = csv.text.trimEnd().split("\n");
  assert.equal(rows[0], "sequence,at,actor_kind,actor_id,actor,kind,action,summary,ruleset_id");
  assert.equal(rows.length, all.length + 1);
  assert.equal(
    (await exported("kind=add-rule")).text.trimEnd().split("\n").length,
    1 + all.filter(({ kind }) => kind === "add-rule").length,
  );
  const formula = await addUser(t, ann.organisationId, "editor", "=HYPERLINK(1)");
  await visit(t, "POST", `/edl/ip-rulesets/${blockId}/rules`, { token: formula.token, body: { ip: "203.0.113.9" } });
  const [, first] = (await exported(`actor=user:${formula.id}&kind=add-rule`)).text.split("\n");
  assert.match(first!, /,user,[0-9a-f-]{36},'=HYPERLINK\(1\),add-rule,Add rule,added 203\.0\.113\.9,/);
});
