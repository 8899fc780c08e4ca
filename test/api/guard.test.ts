import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { parsePrefix } from "../../src/address/prefix.ts";
import { AddressSet } from "../../src/sets/address-set.ts";
import { addKey, addOrganisation, type Answer, ask, startServer, type TestServer } from "./start-server.ts";

const PATH = "/v1/edl/ip-rulesets/";

let t: TestServer;
let organisation = "";
let key = "";
let allow: any;
let block: any;
before(async () => {
  t = await startServer();
  organisation = await addOrganisation(t, "guards");
  key = (await addKey(t, organisation)).text;
  [allow, block] = (await ask(t, "GET", PATH, { key })).body.items;
  await write("POST", allow, "", { ip: "20.0.1.0/24", name: "partner" });
});
after(() => t.close());
beforeEach(async () => {
  await guard("warn");
  await ask(t, "PUT", `${PATH}${block.id}/rules?allow_empty=true&max_shrink=100`, { key, body: { rules: [] } });
});

const write = (method: string, { id }: { readonly id: string }, rest: string, body: object): Promise<Answer> =>
  ask(t, method, `${PATH}${id}/rules${rest}`, { key, body });
const change = ({ id }: { readonly id: string }, body: object): Promise<Answer> =>
  ask(t, "PATCH", PATH + id, { key, body });
const guard = async (policy: string): Promise<void> => {
  const { status, body } = await change(block, { guard: policy });
  assert.deepEqual([status, body.guard], [200, policy]);
};
const rulesOf = async ({ id }: { readonly id: string }): Promise<string[]> =>
  (await ask(t, "GET", `${PATH}${id}/rules`, { key })).body.items.map(({ ip }: any) => ip);
const told = (documents: any): unknown[] =>
  documents?.map(({ kind, name, ipv4_addresses: count }: any) => `${kind} ${name} ${count}`);
const ALLOWED = "allowed My Allowlist rules";

test("each ruleset has a guard, which warns unless it is changed; only an allowlist can have own networks", async () => {
  assert.deepEqual([allow.guard, allow.never_block, block.guard, block.never_block], ["warn", false, "warn", false]);
  for (const [body, field] of [
    [{ guard: "sometimes" }, "guard"],
    [{ never_block: 1 }, "never_block"],
    [{ never_block: true }, "never_block"],
  ] as const)
    assert.deepEqual(Object.keys((await change(block, body)).body.validation_errors), [field]);
  const { body } = await change(allow, { never_block: true });
  assert.equal(body.never_block, true);
  const added = await write("POST", block, "", { ip: "20.0.1.7" });
  assert.deepEqual(told(added.body.warnings), ["own-network My Allowlist rules 1"]);
  await t.restart();
  assert.equal((await ask(t, "GET", PATH + allow.id, { key })).body.never_block, true);
  await change(allow, { never_block: false });
});

test("what protects is given at creation as by PATCH, and holds from the first rule", async () => {
  const create = (body: object): Promise<Answer> => ask(t, "POST", PATH, { key, body });
  for (const [body, field] of [
    [{ purpose: "blocklist", guard: "sometimes" }, "guard"],
    [{ purpose: "allowlist", never_block: 1 }, "never_block"],
    [{ purpose: "blocklist", never_block: true }, "never_block"],
  ] as const)
    assert.deepEqual(Object.keys((await create({ name: "x", ...body })).body.validation_errors), [field]);
  const own = await create({ name: "Own", purpose: "allowlist", never_block: true });
  assert.deepEqual([own.status, own.body.guard, own.body.never_block], [201, "warn", true]);
  await write("POST", own.body, "", { ip: "20.0.5.0/24" });
  const asks: [string, number, string?][] = [
    ["off", 201],
    ["warn", 201, "own-network Own 1"],
    ["refuse", 409],
    ["carve", 409],
  ];
  const made = new Map<string, { readonly id: string }>();
  for (const [policy, status, warning] of asks) {
    const { body } = await create({ name: `Guarded by ${policy}`, purpose: "blocklist", guard: policy });
    assert.deepEqual([body.guard, body.never_block], [policy, false]);
    const answer = await write("POST", body, "", { ip: "20.0.5.7" });
    assert.deepEqual([answer.status, told(answer.body.warnings)?.[0]], [status, warning], policy);
    made.set(policy, body);
  }
  await t.restart();
  for (const [policy, { id }] of made) {
    assert.equal((await ask(t, "GET", PATH + id, { key })).body.guard, policy);
    assert.equal((await ask(t, "DELETE", PATH + id, { key })).status, 204);
  }
  assert.equal((await ask(t, "GET", PATH + own.body.id, { key })).body.never_block, true);
  assert.equal((await ask(t, "DELETE", PATH + own.body.id, { key })).status, 204);
});

test("warn: the same statuses, and one more property that says what is blocked", async () => {
  const added = await write("POST", block, "", { ip: "20.0.0.0/16", name: "wide" });
  assert.deepEqual([added.status, added.body.action], [201, "created"]);
  assert.deepEqual(added.body.warnings, [
    {
      kind: "allowed",
      id: allow.id,
      name: "My Allowlist rules",
      class: null,
      ipv4_addresses: "256",
      ipv6_addresses: "0",
      prefixes: ["20.0.1.0/24"],
      detail: 'blocks 256 addresses that the allowlist "My Allowlist rules" allows',
    },
  ]);
  const updated = await write("PUT", block, "/rule?ip=20.0.0.0/16", { name: "wider" });
  assert.deepEqual(
    [updated.status, updated.body.name, told(updated.body.warnings)],
    [200, "wider", [`${ALLOWED} 256`]],
  );
  const rules = [{ ip: "20.0.1.1" }, { ip: "20.0.1.2" }, { ip: "10.0.0.0/30" }, { ip: "198.51.100.1" }];
  const hits = ["special-purpose Private-Use 4", `${ALLOWED} 2`];
  const batch = { items: rules.map((rule) => ({ op: "add", ...rule })) };
  for (const [method, rest, body] of [
    ["POST", ":batch", batch],
    ["POST", ":import", { rules }],
    ["PUT", "?dry_run=true", { rules }],
    ["PUT", "", { rules }],
  ] as const) {
    const answer = await write(method, block, rest, body);
    assert.deepEqual([answer.status, told(answer.body.warnings)], [200, hits], `${rest}: ${answer.text}`);
  }
  const long = {
    items: Array.from({ length: 300 }, (_, index) => ({ op: "add", ip: `20.0.${index % 3}.${index % 256}` })),
  };
  const streamed = await write("POST", block, ":batch", long);
  assert.deepEqual([streamed.body.results.length, told(streamed.body.warnings)?.length], [300, 1]);
  for (const [ruleset, ip] of [
    [block, "198.51.100.2"],
    [allow, "10.1.2.3"],
  ] as const)
    assert.ok(!("warnings" in (await write("POST", ruleset, "", { ip })).body));
  await ask(t, "DELETE", `${PATH}${allow.id}/rules/rule?ip=10.1.2.3`, { key });
  assert.deepEqual(told((await write("POST", block, "", { ip: "16.0.0.0/4" })).body.warnings), [
    "wide 16.0.0.0/4 0",
    `${ALLOWED} 256`,
  ]);
});

test("services of the catalogue, and clouds only as networks", async () => {
  const hits = async (ip: string) => told((await write("POST", block, "", { ip })).body.warnings);
  assert.deepEqual(await hits("192.0.2.1"), ["service cloudflare 1"]);
  assert.deepEqual(await hits("192.0.2.0/24"), ["service cloudflare 256", "service aws 256"]);
  assert.deepEqual(await hits("100.0.0.0/24"), undefined);
  const { body } = await write("POST", block, "", { ip: "2001:db8::/48" });
  assert.match(body.warnings[0].detail, /^blocks 65,536 IPv6 networks \(\/64\) of github \(\/saas\/github\)$/);
});

test("off: no warning; refuse: 409 that names what would be blocked, and nothing is written", async () => {
  await guard("off");
  assert.ok(!("warnings" in (await write("POST", block, "", { ip: "20.0.1.1" })).body));
  await guard("refuse");
  const before = await rulesOf(block);
  const items = [
    { op: "add", ip: "20.0.1.2" },
    { op: "add", ip: "198.51.100.9" },
  ];
  for (const [method, rest, body] of [
    ["POST", "", { ip: "20.0.1.2" }],
    ["PUT", "/rule?ip=20.0.1.1", { name: "again" }],
    ["POST", ":batch", { items }],
    ["POST", ":import", { rules: [{ ip: "20.0.1.2" }] }],
    ["PUT", "", { rules: [{ ip: "20.0.1.2" }] }],
    ["PUT", "?dry_run=true", { rules: [{ ip: "20.0.1.2" }] }],
  ] as const) {
    const { status, body: problem } = await write(method, block, rest, body);
    assert.deepEqual([status, problem.type, problem.title], [409, "/problems/collateral", "Collateral"], rest);
    assert.deepEqual(told(problem.collateral), [`${ALLOWED} 1`]);
    assert.equal(
      problem.detail,
      'would block 1 address that the allowlist "My Allowlist rules" allows; nothing was written',
    );
    assert.equal(problem.carved, undefined);
  }
  assert.deepEqual(await rulesOf(block), before);
  const { body: each } = await write("POST", block, ":batch", { items, atomic: false });
  assert.deepEqual(
    each.results.map(({ action, ip }: any) => `${action} ${ip}`),
    ["invalid 20.0.1.2", "created 198.51.100.9"],
  );
  assert.match(each.results[0].validation_errors.ip[0], /would block 1 address/);
  assert.equal((await ask(t, "DELETE", `${PATH}${block.id}/rules/rule?ip=20.0.1.1`, { key })).status, 204);
});

test("carve: lists are written exactly without what should not be blocked; single rules are rejected with the remainder", async () => {
  await guard("carve");
  const rules = [
    { ip: "20.0.0.0/22", name: "wide", expires_at: "2027-01-01T00:00:00.000Z" },
    { ip: "20.0.2.0/23", name: "own" },
    { ip: "20.0.1.9" },
    { ip: "198.51.100.0/24" },
  ];
  const answer = await write("PUT", block, "", { rules });
  assert.deepEqual([answer.status, answer.body.added, told(answer.body.warnings)], [200, 3, [`${ALLOWED} 256`]]);
  assert.match(answer.body.warnings[0].detail, /^leaves out 256 addresses/);
  assert.deepEqual(
    (await ask(t, "GET", `${PATH}${block.id}/rules`, { key })).body.items.map(({ ip, name, expires_at }: any) => [
      ip,
      name,
      expires_at,
    ]),
    [
      ["20.0.0.0/24", "wide", rules[0]!.expires_at],
      // The list's own rule, which replaces that part of the wide one.
      ["20.0.2.0/23", "own", null],
      ["198.51.100.0/24", null, null],
    ],
  );
  const imported = await write("POST", block, ":import", { rules: [{ ip: "20.0.0.0/15", name: "wider" }] });
  assert.equal(imported.status, 200);
  const listed = AddressSet.of((await rulesOf(block)).map((ip) => parsePrefix(ip)));
  const wanted = AddressSet.of([parsePrefix("20.0.0.0/15"), parsePrefix("198.51.100.0/24")]);
  assert.ok(listed.equals(wanted.difference(AddressSet.of([parsePrefix("20.0.1.0/24")]))));
  const { status, body } = await write("POST", block, "", { ip: "20.0.0.0/23" });
  assert.deepEqual([status, body.type, body.carved], [409, "/problems/collateral", ["20.0.0.0/24"]]);
});

test("carve: of an imported rule that is cut, no part shortens a rule of the same prefix, in any mode, in short and long lists", async () => {
  await guard("carve");
  const [soon, later] = ["2027-01-01T00:00:00.000Z", "2028-01-01T00:00:00.000Z"];
  // As many rules as it takes for the store to decide beforehand which of them it skips.
  const many = Array.from({ length: 1200 }, (_, at) => ({ ip: `198.${18 + (at >> 8)}.${at & 255}.1` }));
  const path = `${PATH}${block.id}/rules`;
  const replace = async (rules: readonly object[]): Promise<void> => {
    const answer = await ask(t, "PUT", `${path}?allow_empty=true&max_shrink=100`, { key, body: { rules } });
    assert.equal(answer.status, 200);
  };
  const expiries = async (): Promise<unknown> =>
    (await ask(t, "GET", path, { key })).body.items
      .filter(({ ip }: any) => ip.startsWith("20."))
      .map(({ ip, expires_at: until }: any) => [ip, until]);
  for (const mode of ["extend", "override", "skip", "fail"])
    for (const rest of [[], many])
      for (const [old, wide, left] of [
        [null, soon, null],
        [soon, null, null],
        [soon, later, later],
        [later, soon, later],
      ]) {
        await replace([{ ip: "20.0.0.0/24", name: "old", expires_at: old }]);
        const rules = [{ ip: "20.0.0.0/23", name: "wide", expires_at: wide }, ...rest];
        const answer = await write("POST", block, `:import?conflict_resolution=${mode}`, { rules });
        assert.equal(answer.status, 200, mode);
        assert.equal(answer.body.created, rest.length);
        assert.deepEqual(await expiries(), [["20.0.0.0/24", left]], `${mode} ${old} ${wide}`);
      }
  // A prefix that the list names itself is decided by the mode first.
  for (const [mode, until] of [
    ["override", "2027-06-01T00:00:00.000Z"],
    ["skip", later],
  ]) {
    await replace([{ ip: "20.0.0.0/24", expires_at: later }]);
    const named = { ip: "20.0.0.0/24", expires_at: soon };
    const rules = [{ ip: "20.0.0.0/23", expires_at: "2027-06-01T00:00:00.000Z" }, named];
    assert.equal((await write("POST", block, `:import?conflict_resolution=${mode}`, { rules })).status, 200);
    assert.deepEqual(await expiries(), [["20.0.0.0/24", until]], mode);
  }
});

test("the audit log shows who changed the guard", async () => {
  await guard("refuse");
  const { entries } = await t.server.store.read("audit", organisation, { limit: 1 });
  const { command, old, new: after } = entries[0] as any;
  assert.deepEqual([command, old.guard, after.guard], ["update-ruleset", "warn", "refuse"]);
});
