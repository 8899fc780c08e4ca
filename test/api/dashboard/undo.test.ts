import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { makeToken } from "../../../src/service/access/secret-token.ts";
import { addKey, addOrganisation, ask, startServer, type TestServer } from "../start-server.ts";
import { addUser, type TestUser, visit } from "./browser.ts";
import { rounds } from "../../rounds.ts";

const DAY = 86_400_000;
/** Rules, so many that they are changed in several steps. */
const MANY = rounds({ short: 6000, long: 20_000 });
const ROUNDS = rounds({ short: 30, long: 45 });

let t: TestServer;
let editor: TestUser;
let id = "";
let path = "";
before(async () => {
  t = await startServer({ rulesPerRuleset: 40 });
  editor = await addUser(t, await addOrganisation(t, "undo"), "editor");
  id = (await visit(t, "GET", "/edl/ip-rulesets/", { token: editor.token })).body.items[0].id;
  path = `/edl/ip-rulesets/${id}`;
});
after(() => t.close());

const send = async (
  method: string,
  where: string,
  body?: unknown,
  who = editor,
  headers: Record<string, string> = {},
) => {
  t.clock.now += 1000;
  return visit(t, method, where, { token: who.token, body, headers });
};
const last = async (who = editor) => (await visit(t, "GET", "/undo", { token: who.token })).body.change;
/** All rules, without their times of update, which undo changes too. */
const rules = async (ruleset = id) => {
  const { body } = await visit(t, "GET", `/edl/ip-rulesets/${ruleset}/rules?page_size=1000`, { token: editor.token });
  return body.items.map(({ updated_at: _updated, ...rule }: Record<string, unknown>) => rule);
};

let seed = 20_261_122;
function random(below: number): number {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((seed / 2 ** 32) * below);
}
const pick = <Value>(values: readonly Value[]): Value => values[random(values.length)]!;
const ip = () =>
  pick([
    "203.0.113.0/24",
    "203.0.113.7",
    "198.51.100.1",
    "198.51.100.2",
    "2001:db8::/32",
    "2001:db8::1",
    "192.0.2.0/25",
    "192.0.2.1",
  ]);
const member = () => ({
  ip: ip(),
  name: pick([null, "a", "b", "__proto__"]),
  expires_at: pick([null, new Date(t.clock.now + pick([-1, 1, 30]) * DAY).toISOString()]),
});
const list = (most: number) => [
  ...new Map(Array.from({ length: random(most) }, member).map((each) => [each.ip, each])).values(),
];

/** One change of each kind that pages make; some of them change nothing, or are rejected. */
const CHANGES: Record<string, () => Promise<unknown>> = {
  "add-rule": () =>
    send("POST", `${path}/rules`, { ...member(), conflict_resolution: pick(["extend", "override", "skip", "fail"]) }),
  "update-rule": () => send("PUT", `${path}/rules/rule?ip=${ip()}`, { name: pick(["x", "y", null]), expires_at: null }),
  "delete-rule": () => send("DELETE", `${path}/rules/rule?ip=${ip()}`),
  "batch-rules": () =>
    send("POST", `${path}/rules:batch`, {
      atomic: false,
      items: [
        ...list(5).map((each) => ({ op: "add", ...each })),
        { op: "delete", ip: ip() },
        { op: "delete", ip: ip() },
      ],
    }),
  "import-rules": () =>
    send("POST", `${path}/rules:import?conflict_resolution=${pick(["extend", "override", "skip"])}`, {
      rules: list(6),
    }),
  "replace-rules": () => send("PUT", `${path}/rules`, { rules: list(8) }),
};

test("any change of rules is undone exactly, and then there is nothing left to undo", async (at) => {
  const counts: Record<string, number> = {};
  let differed = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const kind = Object.keys(CHANGES)[round % 6]!;
    const was = await rules();
    const sequence = t.server.services.memory.sequence;
    await CHANGES[kind]!();
    if (t.server.services.memory.sequence === sequence) continue;
    // Overriding a rule with equal values changes only its time of update.
    if (JSON.stringify(await rules()) !== JSON.stringify(was)) differed++;
    const change = await last();
    assert.deepEqual(
      [change.sequence, change.ruleset_id, change.can_undo, change.reason],
      [t.server.services.memory.sequence, id, true, null],
      JSON.stringify(change),
    );
    assert.ok(change.summary.length > 0);
    const { status, body } = await send("POST", `/undo?sequence=${change.sequence}`);
    assert.deepEqual([status, body.undone.sequence], [200, change.sequence], JSON.stringify(body));
    assert.deepEqual(await rules(), was, kind);
    assert.equal(await last(), null);
    assert.equal((await send("POST", "/undo")).status, 409);
    counts[kind] = (counts[kind] ?? 0) + 1;
    // The next round starts with a different list.
    await send("PUT", `${path}/rules`, { rules: list(8) });
  }
  at.diagnostic(`${JSON.stringify(counts)}, of which ${differed} changed names, expiries or prefixes`);
  assert.ok(differed > ROUNDS / 3);
  assert.ok(
    Object.keys(CHANGES).every((kind) => counts[kind]! >= 2),
    JSON.stringify(counts),
  );
});

test("rulesets: created, renamed, deleted with their rules", async () => {
  const created = (await send("POST", "/edl/ip-rulesets/", { name: "New", purpose: "allowlist" })).body;
  assert.equal((await last()).summary, 'created the ruleset "New"');
  assert.equal((await send("POST", "/undo")).status, 200);
  assert.equal((await visit(t, "GET", `/edl/ip-rulesets/${created.id}`, { token: editor.token })).status, 404);

  const other = (
    await send("POST", "/edl/ip-rulesets/", { name: "Old name", purpose: "blocklist", description: "why" })
  ).body;
  await send("PATCH", `/edl/ip-rulesets/${other.id}`, { name: "New name", description: "" });
  assert.equal((await send("POST", "/undo")).status, 200);
  const { name, description } = (await visit(t, "GET", `/edl/ip-rulesets/${other.id}`, { token: editor.token })).body;
  assert.deepEqual([name, description], ["Old name", "why"]);

  await send("PUT", `/edl/ip-rulesets/${other.id}/rules`, {
    rules: [
      { ip: "192.0.2.1", name: "kept" },
      { ip: "192.0.2.2", expires_at: "2027-01-01T00:00:00Z" },
    ],
  });
  const was = await rules(other.id);
  assert.equal((await send("DELETE", `/edl/ip-rulesets/${other.id}`)).status, 204);
  const change = await last();
  assert.deepEqual([change.kind, change.ruleset_name, change.can_undo], ["delete-ruleset", "Old name", true]);
  assert.equal((await send("POST", "/undo")).status, 200);
  assert.deepEqual(await rules(other.id), was);
  assert.equal(
    (await visit(t, "GET", `/edl/ip-rulesets/${other.id}`, { token: editor.token })).body.created_at,
    other.created_at,
  );
  assert.equal(await last(), null);
});

test("a change that was overwritten is not undone, and the response says why", async () => {
  const colleague = await addUser(t, editor.organisationId, "editor", "colleague");
  const cases: [what: string, mine: () => Promise<unknown>, theirs: () => Promise<unknown>, isRefused: boolean][] = [
    [
      "the same rule",
      () => send("POST", `${path}/rules`, { ip: "192.0.2.77", name: "mine" }),
      () => send("PUT", `${path}/rules/rule?ip=192.0.2.77`, { name: "theirs" }, colleague),
      true,
    ],
    [
      "another rule",
      () => send("POST", `${path}/rules`, { ip: "192.0.2.78" }),
      () => send("POST", `${path}/rules`, { ip: "192.0.2.79" }, colleague),
      false,
    ],
    [
      "a deleted rule made anew",
      () => send("DELETE", `${path}/rules/rule?ip=192.0.2.79`),
      () => send("POST", `${path}/rules`, { ip: "192.0.2.79", name: "new" }, colleague),
      true,
    ],
    [
      "the name of the ruleset",
      () => send("PATCH", path, { name: "Mine" }),
      () => send("PATCH", path, { name: "Theirs" }, colleague),
      true,
    ],
    [
      "rules, after the name",
      () => send("PATCH", path, { name: "Mine again" }),
      () => send("DELETE", `${path}/rules/rule?ip=192.0.2.79`, undefined, colleague),
      false,
    ],
  ];
  for (const [what, mine, theirs, isRefused] of cases) {
    await mine();
    const own = await last();
    await theirs();
    const change = await last();
    assert.deepEqual([change.sequence, change.can_undo], [own.sequence, !isRefused], what);
    if (isRefused) assert.match(change.reason, /changed again since/);
    const unchanged = await rules();
    const { status, body } = await send("POST", `/undo?sequence=${change.sequence}`);
    assert.deepEqual([status, body.type], isRefused ? [409, "/problems/conflict"] : [200, undefined], what);
    if (isRefused) assert.deepEqual(await rules(), unchanged);
  }
  // A rule is created in between, so the change to be undone is no longer the last one.
  await send("POST", `${path}/rules`, { ip: "192.0.2.90" });
  const stale = await last();
  await send("POST", `${path}/rules`, { ip: "192.0.2.91" });
  assert.equal((await send("POST", `/undo?sequence=${stale.sequence}`)).status, 409);
  const made = (await send("POST", "/edl/ip-rulesets/", { name: "Used", purpose: "allowlist" })).body;
  await send("POST", `/edl/ip-rulesets/${made.id}/rules`, { ip: "192.0.2.1" }, colleague);
  assert.equal((await send("POST", "/undo")).status, 409);
});

describe("changes of many rules", () => {
  let large: TestServer;
  let own: TestUser;
  let colleague: TestUser;
  let where = "";
  before(async () => {
    large = await startServer({ rulesPerRuleset: 60_000 });
    own = await addUser(large, await addOrganisation(large, "large"), "editor");
    colleague = await addUser(large, own.organisationId, "editor", "colleague");
    where = `/edl/ip-rulesets/${(await visit(large, "GET", "/edl/ip-rulesets/", { token: own.token })).body.items[0].id}`;
  });
  beforeEach(() => fill());
  after(() => large.close());

  /** Fills the ruleset so that what follows changes some of its rules. */
  const fill = () =>
    request("PUT", `${where}/rules?max_shrink=100`, {
      rules: [...manyRules(3000, "old"), { ip: "2001:db8::/32", name: "old", expires_at: "2027-01-01T00:00:00Z" }],
    });
  const manyRules = (count: number, name: string) =>
    Array.from({ length: count }, (_, at) => ({
      ip: `10.${at >> 8}.${at & 255}.0/24`,
      name: `${name} ${at % 100} "é\\"`,
    }));
  const request = async (method: string, path: string, body?: unknown, who = own) => {
    large.clock.now += 1000;
    return visit(large, method, path, { token: who.token, body });
  };
  const contents = () => {
    const rules = large.server.services.memory.rulesets(own.organisationId)[0]!.rules.rules();
    return Array.from(rules, ({ updatedAt: _updated, ...rule }) => rule);
  };
  const undone = async (summary: string, canUndo: boolean) => {
    const { change } = (await request("GET", "/undo")).body;
    assert.deepEqual(
      [change.summary, change.can_undo, change.reason],
      [summary, canUndo, canUndo ? null : "what it changed has been changed again since"],
    );
    const { status, body } = await request("POST", "/undo");
    assert.deepEqual([status, body.undone?.summary ?? body.detail], canUndo ? [200, summary] : [409, change.reason]);
  };
  /** Waits until the memory has what was written. */
  const isStored = async () => {
    const now = contents();
    await large.restart();
    assert.deepEqual(contents(), now);
  };

  for (const count of [3500, 5000, 20_000].slice(0, rounds({ short: 1, long: 3 }))) {
    test(`a change of ${count} rules is undone exactly, even after a change of another rule, but not after one of the same rules`, async () => {
      const was = contents();
      const summary = `added ${(count - 3000).toLocaleString("en")} rules, changed 3,000 rules`;
      const imported = () =>
        request("POST", `${where}/rules:import?conflict_resolution=override`, { rules: manyRules(count, "new") });
      assert.equal((await imported()).status, 200);
      await undone(summary, true);
      assert.deepEqual(contents(), was);
      await imported();
      assert.equal(
        (await request("POST", `${where}/rules`, { ip: "192.0.2.1", name: "another" }, colleague)).status,
        201,
      );
      await undone(summary, true);
      assert.equal((await request("DELETE", `${where}/rules/rule?ip=192.0.2.1`, undefined, colleague)).status, 204);
      assert.deepEqual(contents(), was);
      await isStored();
      const theirs: [method: string, path: string, body?: object][] = [
        ["PUT", "/rules/rule?ip=10.0.7.0/24", { name: "theirs" }],
        ["DELETE", "/rules/rule?ip=10.13.171.0/24"],
        ["PUT", `/rules/rule?ip=10.13.1.0/24`, { expires_at: "2028-01-01T00:00:00Z" }],
      ];
      for (const [method, path, body] of theirs) {
        await imported();
        assert.ok((await request(method, where + path, body, colleague)).status < 300, path);
        const now = contents();
        await undone(summary, false);
        assert.deepEqual(contents(), now);
        await fill();
      }
    });
  }

  test("deleted rules are restored, unless someone has created one of them again", async () => {
    await request("PUT", `${where}/rules`, { rules: manyRules(MANY, "kept") });
    const was = contents();
    const emptied = () =>
      request("PUT", `${where}/rules?max_shrink=100`, { rules: [{ ip: "10.0.0.0/24", name: "left" }] });
    const summary = `changed 10.0.0.0/24, deleted ${(MANY - 1).toLocaleString("en")} rules`;
    await emptied();
    await undone(summary, true);
    assert.deepEqual(contents(), was);
    await emptied();
    await request("POST", `${where}/rules`, { ip: "10.1.1.0/24" }, colleague);
    await undone(summary, false);
    assert.equal(contents().length, 2);
  });

  test("a ruleset is restored with its many rules", async () => {
    await request("PUT", `${where}/rules`, { rules: manyRules(MANY, "kept") });
    const was = contents();
    await request("DELETE", where);
    const { change } = (await request("GET", "/undo")).body;
    assert.deepEqual(
      [change.summary, change.can_undo],
      [`deleted the ruleset ${JSON.stringify(change.ruleset_name)} with ${MANY.toLocaleString("en")} rules`, true],
    );
    assert.equal((await request("POST", "/undo")).status, 200);
    assert.deepEqual(contents(), was);
    await isStored();
  });
});

test("only the user's own changes, of this session, and only in this scope", async () => {
  const { text: key } = await addKey(t, editor.organisationId);
  const first = await addUser(t, editor.organisationId, "editor", "first");
  await send("POST", `${path}/rules`, { ip: "192.0.2.100" }, first);
  assert.notEqual(await last(first), null);
  const viewer = await addUser(t, editor.organisationId, "viewer", "viewer");
  assert.deepEqual([await last(viewer), (await send("POST", "/undo", undefined, viewer)).status], [null, 403]);
  assert.equal((await ask(t, "POST", `/v1${path}/rules`, { key, body: { ip: "192.0.2.101" } })).status, 201);
  assert.equal((await last(first)).summary.includes("192.0.2.100"), true);
  // After signing in again, earlier changes are not offered.
  t.clock.now += 1000;
  const { text: token, digest } = makeToken();
  const about = { actor: "command:test", at: t.clock.now, organisationId: editor.organisationId };
  await t.server.store.write({
    kind: "start-session",
    ...about,
    userId: first.id,
    checked: "none",
    session: { digest, expiresAt: t.clock.now + DAY },
  });
  assert.equal(await last({ ...first, token }), null);
  assert.notEqual(await last(first), null);
  const stranger = await addUser(t, await addOrganisation(t, "strangers"), "admin");
  assert.equal(await last(stranger), null);
  assert.equal((await visit(t, "POST", "/undo?sequence=x", { token: editor.token })).status, 400);
  assert.equal(
    (await visit(t, "POST", "/undo", { token: editor.token, origin: "https://elsewhere.example" })).status,
    403,
  );
  assert.equal((await visit(t, "GET", "/undo")).status, 401);
});

test("importRules and batchRules with If-Match: 412 if the rules have changed since", async () => {
  const preview = await send("POST", `${path}/rules:preview`, { rules: [{ ip: "192.0.2.120" }] });
  const tag = preview.headers.get("etag")!;
  for (const [operation, body] of [
    ["import", { rules: [{ ip: "192.0.2.120" }] }],
    ["batch", { items: [{ op: "add", ip: "192.0.2.121" }] }],
  ] as const) {
    const current = (await visit(t, "GET", `${path}/rows?limit=1`, { token: editor.token })).headers.get("etag")!;
    assert.equal((await send("POST", `${path}/rules:${operation}`, body, editor, { "If-Match": current })).status, 200);
    assert.equal((await send("POST", `${path}/rules:${operation}`, body, editor, { "If-Match": tag })).status, 412);
    assert.equal(
      (await send("POST", `${path}/rules:${operation}`, body, editor, { "If-Match": '"nonsense"' })).status,
      412,
    );
    assert.equal((await send("POST", `${path}/rules:${operation}`, body, editor, { "If-Match": "*" })).status, 200);
  }
});

test("updateRuleset and deleteRuleset with If-Match: 412 if the ruleset has changed since", async () => {
  const {
    body: { id },
  } = await send("POST", "/edl/ip-rulesets/", { name: "tagged", purpose: "blocklist" });
  const own = `/edl/ip-rulesets/${id}`;
  const tagOf = async () => (await visit(t, "GET", own, { token: editor.token })).headers.get("etag")!;
  const old = await tagOf();
  assert.equal((await send("POST", `${own}/rules`, { ip: "192.0.2.130" })).status, 201);
  assert.equal((await send("PATCH", own, { name: "late" }, editor, { "If-Match": old })).status, 412);
  assert.equal((await send("DELETE", own, undefined, editor, { "If-Match": old })).status, 412);
  assert.equal((await send("PATCH", own, { name: "in time" }, editor, { "If-Match": await tagOf() })).status, 200);
  assert.equal((await send("DELETE", own, undefined, editor, { "If-Match": await tagOf() })).status, 204);
});

test("an organisation with the maximum number of rulesets: 409 in both scopes, and a deleted ruleset is not restored", async (at) => {
  const full = await startServer({ rulesetsPerOrganisation: 2 });
  at.after(() => full.close());
  const organisationId = await addOrganisation(full, "full");
  const { token } = await addUser(full, organisationId, "editor");
  const { text: key } = await addKey(full, organisationId);
  const body = { name: "one more", purpose: "blocklist" };
  const create = () => visit(full, "POST", "/edl/ip-rulesets/", { token, body });
  const refusal = [
    409,
    "an organisation has at most 2 rulesets (--rulesets-per-organisation or IPSIEVE_RULESETS_PER_ORGANISATION); delete some first",
  ];
  for (const answer of [await create(), await ask(full, "POST", "/v1/edl/ip-rulesets/", { key, body })])
    assert.deepEqual([answer.status, answer.body.detail], refusal);
  const [{ id: old }] = (await visit(full, "GET", "/edl/ip-rulesets/", { token })).body.items;
  assert.equal((await visit(full, "DELETE", `/edl/ip-rulesets/${old}`, { token })).status, 204);
  assert.equal((await ask(full, "POST", "/v1/edl/ip-rulesets/", { key, body })).status, 201);
  const undone = await visit(full, "POST", "/undo", { token });
  assert.deepEqual([undone.status, undone.body.detail], [409, `it can no longer be undone: ${refusal[1]}`]);
});
