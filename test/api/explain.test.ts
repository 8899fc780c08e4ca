import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import type { Prefix } from "../../src/address/address.ts";
import { formatPrefix, parsePrefix, prefixContains } from "../../src/address/prefix.ts";
import { until } from "../until.ts";
import { addUser, visit } from "./dashboard/browser.ts";
import { addKey, addOrganisation, ask, startServer, type TestServer } from "./start-server.ts";

const THREATS = fileURLToPath(new URL("../../data/cti-sample.ipsieve", import.meta.url));
const PATH = "/v1/edl/ip-rulesets:explain";
const HOUR = 3_600_000;

let t: TestServer;
let organisation = "";
let writer: { id: string; text: string };
let reader = "";
let allow: any;
let block: any;
before(async () => {
  t = await startServer({}, undefined, THREATS);
  organisation = await addOrganisation(t, "explanations");
  writer = await addKey(t, organisation);
  reader = (await addKey(t, organisation, "read")).text;
  [allow, block] = (await ask(t, "GET", "/v1/edl/ip-rulesets/", { key: reader })).body.items;
});
after(() => t.close());

const explain = async (body: object, key = writer.text): Promise<any> => {
  const answer = await ask(t, "POST", PATH, { key, body });
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
};
const at = (hours: number): string => new Date(t.clock.now + hours * HOUR).toISOString();
const replace = async ({ id }: { readonly id: string }, rules: readonly object[]): Promise<void> => {
  const query = "allow_empty=true&max_shrink=100";
  const { status, text } = await ask(t, "PUT", `/v1/edl/ip-rulesets/${id}/rules?${query}`, {
    key: writer.text,
    body: { rules },
  });
  assert.equal(status, 200, text);
};

test("which rules cover an address, which decides, who wrote it, and until when", async () => {
  const added = at(0);
  await ask(t, "POST", `/v1/edl/ip-rulesets/${block.id}/rules`, { key: writer.text, body: { ip: "20.0.0.0/8" } });
  t.clock.now += HOUR;
  const editor = await addUser(t, organisation, "editor");
  const expires = at(5);
  const rule = { ip: "20.1.2.0/24", name: "scanner", expires_at: expires };
  await visit(t, "POST", `/edl/ip-rulesets/${block.id}/rules`, { token: editor.token, body: rule });
  t.clock.now += HOUR;
  await ask(t, "PUT", `/v1/edl/ip-rulesets/${block.id}/rules/rule?ip=20.0.0.0/8`, {
    key: writer.text,
    body: { name: "wide" },
  });
  const { body: deployment } = await ask(t, "POST", "/v1/edl/deployments/", {
    key: writer.text,
    body: { name: "edge", include: [{ ruleset: block.id }], exclude: [{ prefixes: ["20.1.2.3", "30.0.0.0/8"] }] },
  });
  const key = { kind: "key", id: writer.id, name: "test" };
  const user = { kind: "user", id: editor.id, name: editor.name };
  await until("devices have its list", async () => (await explain({ ip: "20.1.2.3" })).deployments[0].status === "ok");
  const found = await explain({ ip: "20.1.2.3" });
  assert.deepEqual([found.ip, found.decision, found.next_change_at], ["20.1.2.3", "block", expires]);
  assert.deepEqual(found.rulesets, [
    {
      id: block.id,
      name: block.name,
      purpose: "blocklist",
      decided_by: "20.1.2.0/24",
      next_change_at: expires,
      covered_until: null,
      rules: [
        {
          ...rule,
          created_at: at(-1),
          updated_at: at(-1),
          role: "decides",
          added_by: user,
          updated_by: user,
        },
        {
          ip: "20.0.0.0/8",
          name: "wide",
          expires_at: null,
          created_at: added,
          updated_at: at(0),
          role: "less-specific",
          added_by: key,
          updated_by: key,
        },
      ],
    },
  ]);
  const listing = {
    id: deployment.id,
    name: "edge",
    purpose: "blocklist",
    status: "ok",
    error: null,
    include: [{ ruleset: block.id }],
  };
  assert.deepEqual(found.deployments, [
    { ...listing, contains: "none", decided_by: "exclude", exclude: [{ prefixes: ["20.1.2.3"] }] },
  ]);
  assert.deepEqual((await explain({ ip: "20.1.2.0/24" })).deployments, [
    { ...listing, contains: "part", decided_by: "exclude", exclude: [{ prefixes: ["20.1.2.3"] }] },
  ]);
  assert.deepEqual((await explain({ ip: "20.9.0.0/16" })).deployments, [
    { ...listing, contains: "all", decided_by: "include", exclude: [] },
  ]);
  assert.equal(found.cbs.ip, "20.1.2.3");
  assert.equal(found.cti.seen, false);

  const asReader = await explain({ ip: "20.1.2.3" }, reader);
  const { rules } = asReader.rulesets[0];
  assert.ok(rules.every((each: any) => each.added_by === null && each.updated_by === null));
  const viewer = await addUser(t, organisation, "viewer");
  const { body: seen } = await visit(t, "POST", "/edl/ip-rulesets:explain", {
    token: viewer.token,
    body: { ip: "20.1.2.3" },
  });
  assert.deepEqual(seen, asReader);

  t.clock.now += 5 * HOUR;
  const later = await explain({ ip: "20.1.2.3" });
  assert.deepEqual(
    [later.decision, later.next_change_at, later.rulesets[0].rules.map((each: any) => each.role)],
    ["block", null, ["expired", "decides"]],
  );
  await ask(t, "DELETE", `/v1/edl/deployments/${deployment.id}`, { key: writer.text });
  await replace(block, []);
});

test("the author of a rule is unknown only if two authors wrote in the same millisecond", async () => {
  const other = await addKey(t, organisation);
  const { id: elsewhere } = allow;
  for (const [key, ruleset, ip] of [
    [writer.text, block.id, "20.0.0.1"],
    [other.text, block.id, "20.0.0.2"],
    [other.text, elsewhere, "20.0.0.1"],
  ] as const)
    await ask(t, "POST", `/v1/edl/ip-rulesets/${ruleset}/rules`, { key, body: { ip } });
  const { rulesets } = await explain({ ip: "20.0.0.1" });
  assert.deepEqual(
    rulesets.map(({ purpose, rules }: any) => [purpose, rules[0].added_by?.id]),
    [
      ["allowlist", other.id],
      ["blocklist", undefined],
    ],
  );
  t.clock.now += 1;
  await replace(block, []);
  await replace(allow, []);
});

test("deployments that do the opposite of what rules decide are named, and none where devices do not have the list", async () => {
  const deploy = async (name: string, members: object): Promise<string> => {
    const body = { name, ...members };
    const made = await ask(t, "POST", "/v1/edl/deployments/", { key: writer.text, body });
    assert.equal(made.status, 201, made.text);
    return made.body.id;
  };
  const addTo = ({ id }: { readonly id: string }, ip: string) =>
    ask(t, "POST", `/v1/edl/ip-rulesets/${id}/rules`, { key: writer.text, body: { ip } });
  await addTo(block, "20.0.0.0/16");
  await addTo(allow, "20.0.1.0/24");
  await addTo(allow, "20.1.0.0/24");
  const naive = await deploy("naive", { include: [{ ruleset: block.id }] });
  const right = await deploy("right", { include: [{ ruleset: block.id }], exclude: [{ ruleset: allow.id }] });
  const literal = await deploy("literal", { include: [{ prefixes: ["20.0.1.7", "20.1.0.0/16"] }] });
  const passing = await deploy("passing", { purpose: "allowlist", include: [{ prefixes: ["20.0.0.0/15"] }] });
  const other = await deploy("other", { purpose: "other", include: [{ prefixes: ["20.0.0.0/15"] }] });
  const contradicting = async (ip: string): Promise<string[]> => (await explain({ ip })).contradicted_by;
  for (const [ip, ids] of [
    ["20.0.1.7", [naive, literal]],
    ["20.0.1.0/24", [naive, literal]],
    ["20.1.0.1", [literal]],
    ["20.0.9.9", [passing]],
    // No rule decides about it.
    ["20.1.9.9", []],
  ] as const)
    assert.deepEqual(await contradicting(ip), ids, ip);

  // A refused list is not what devices have.
  const tight = await deploy("tight", {
    include: [{ prefixes: ["20.0.1.7", "20.0.1.9"] }],
    options: { max_entries: 1 },
  });
  const ofTight = async () =>
    (await explain({ ip: "20.0.1.7" })).deployments.find(({ id }: { readonly id: string }) => id === tight);
  await until("the list is refused", async () => (await ofTight()).status === "refused");
  assert.equal((await ofTight()).contains, "all");
  assert.deepEqual(await contradicting("20.0.1.7"), [naive, literal]);
  for (const id of [naive, right, literal, passing, other, tight])
    await ask(t, "DELETE", `/v1/edl/deployments/${id}`, { key: writer.text });
  await replace(block, []);
  await replace(allow, []);
});

/** Rules and sources in a small address space; the expected result for each address comes from an exhaustive check. */
interface World {
  readonly blocked: readonly { readonly ip: string; readonly expires_at: string | null }[];
  readonly allowed: readonly { readonly ip: string; readonly expires_at: string | null }[];
  readonly exclude: readonly string[];
}

function expected({ blocked, allowed, exclude }: World, asked: string, now: number): unknown[] {
  const where = parsePrefix(asked);
  const covering = (rules: World["blocked"]) =>
    rules
      .filter(({ ip }) => prefixContains(parsePrefix(ip), where))
      .toSorted((one, other) => parsePrefix(other.ip).length - parsePrefix(one.ip).length);
  const isActiveAt =
    (moment: number) =>
    ({ expires_at }: World["blocked"][number]): boolean =>
      expires_at === null || Date.parse(expires_at) > moment;
  const isActive = isActiveAt(now);
  const lists = [covering(allowed), covering(blocked)];
  const deciding = lists.map((rules) => rules.find(isActive));
  /** Of both lists together: a rule that allows, or else one that blocks. */
  const deciderAt = (moment: number) => lists.flat().find(isActiveAt(moment));
  const ends = lists.flat().flatMap(({ expires_at }) => expires_at ?? []);
  const change = ends.sort().find((end) => Date.parse(end) > now && deciderAt(Date.parse(end)) !== deciderAt(now));
  const list = deployed({ blocked: blocked.filter(isActive), exclude }, where);
  return [
    deciding[0] !== undefined ? "allow" : deciding[1] !== undefined ? "block" : "none",
    change ?? null,
    lists.filter((rules) => rules.length > 0).map((rules) => rules.map(({ ip }) => ip)),
    list,
    // The deployment blocks what a rule allows.
    deciding[0] !== undefined && (list === "all" || list === "part") ? 1 : 0,
  ];
}

/** Determined address by address. */
function deployed({ blocked, exclude }: Pick<World, "blocked" | "exclude">, where: Prefix): string | null {
  const covers = (texts: readonly string[], address: number): boolean =>
    texts.some((text) => {
      const { w0, length } = parsePrefix(text);
      return w0 >>> (32 - length) === address >>> (32 - length);
    });
  const addresses = Array.from({ length: 2 ** (32 - where.length) }, (_, index) => where.w0 + index);
  const included = addresses.filter((address) =>
    covers(
      blocked.map(({ ip }) => ip),
      address,
    ),
  );
  const excluded = addresses.filter((address) => covers(exclude, address));
  if (included.length + excluded.length === 0) return null;
  const listed = included.filter((address) => !excluded.includes(address)).length;
  return listed === 0 ? "none" : listed === addresses.length ? "all" : "part";
}

const told = ({ decision, next_change_at, rulesets, deployments, contradicted_by }: any): unknown[] => [
  decision,
  next_change_at,
  rulesets.map(({ rules }: any) => rules.map(({ ip }: any) => ip)),
  deployments[0]?.contains ?? null,
  contradicted_by.length,
];

test("after a refusal, what devices keep is looked up: as the feed has it, whatever the sources list now", async () => {
  await replace(allow, [{ ip: "20.0.2.0/26", expires_at: null }]);
  const body = { name: "kept", include: [{ prefixes: ["20.0.2.1", "20.0.2.8/29", "20.0.2.32/28"] }] };
  const { id } = (await ask(t, "POST", "/v1/edl/deployments/", { key: writer.text, body })).body;
  const one = async () => (await ask(t, "GET", `/v1/edl/deployments/${id}`, { key: writer.text })).body;
  await until("it is published", async () => (await one()).status === "ok");
  const changes = { include: [{ prefixes: ["20.0.2.1", "20.0.2.8/30", "20.0.2.20"] }], options: { max_entries: 1 } };
  await ask(t, "PATCH", `/v1/edl/deployments/${id}`, { key: writer.text, body: changes });
  await until("it is refused", async () => (await one()).status === "refused");
  const { urls } = (await ask(t, "GET", `/v1/edl/deployments/${id}/urls/`, { key: writer.text })).body;
  const served = (await (await fetch(urls.combined[0])).text())
    .trimEnd()
    .split("\n")
    .map((line) => parsePrefix(line));
  const lengths = [26, 28, 29, 30, 32];
  const ips = lengths.flatMap((length) =>
    Array.from(
      { length: 2 ** (length - 26) },
      (_, at) => `20.0.2.${at * 2 ** (32 - length)}${length === 32 ? "" : `/${length}`}`,
    ),
  );
  const found = await explain({ ips });
  const seen = new Set<string>();
  for (const ip of ips) {
    const { w0, length } = parsePrefix(ip);
    const all = Array.from({ length: 2 ** (32 - length) }, (_, at) =>
      parsePrefix(formatPrefix({ ...parsePrefix("20.0.2.0"), w0: w0 + at })),
    );
    const had = all.filter((address) => served.some((prefix) => prefixContains(prefix, address))).length;
    const wanted = had === 0 ? "none" : had === all.length ? "all" : "part";
    const { deployments, contradicted_by: against } = found[ip];
    const told = deployments.find((each: any) => each.id === id);
    if (told === undefined) assert.equal(wanted, "none", ip);
    else assert.equal(told.devices_have, wanted, ip);
    assert.deepEqual(against, wanted === "none" ? [] : [id], ip);
    if (told !== undefined) seen.add(`${told.contains} ${told.devices_have} ${told.decided_by}`);
  }
  // What sources list now is not what devices have, in each way.
  for (const each of ["none all null", "all none include", "part all include", "part part include"])
    assert.ok(seen.has(each), `${each}: ${[...seen].join(", ")}`);
  await ask(t, "DELETE", `/v1/edl/deployments/${id}`, { key: writer.text });
  await replace(allow, []);
});

test("in bulk, each address and prefix of a small address space equals the exhaustive answer", async () => {
  let state = 20_261_123;
  const random = (below: number): number => (state = (state * 48_271) % 2_147_483_647) % below;
  /** Prefixes of 28 bits or more in 20.0.0.0/24. */
  const some = (count: number): string[] => [
    ...new Set(
      Array.from({ length: count }, () => {
        const length = 28 + random(5);
        return formatPrefix({
          ...parsePrefix("20.0.0.0"),
          w0: 0x14000000 | ((random(64) >> (32 - length)) << (32 - length)),
          length,
        });
      }),
    ),
  ];
  const rulesOf = (count: number) =>
    some(count).map((ip) => ({ ip, expires_at: [null, at(-1), at(1), at(2)][random(4)]! }));
  const world: World = { blocked: rulesOf(30), allowed: rulesOf(8), exclude: some(5) };
  await replace(block, world.blocked);
  await replace(allow, world.allowed);
  await ask(t, "POST", "/v1/edl/deployments/", {
    key: writer.text,
    body: { name: "small", include: [{ ruleset: block.id }], exclude: [{ prefixes: world.exclude }] },
  });
  await until(
    "devices have its list",
    async () => (await explain({ ip: "20.0.0.0" })).deployments[0]?.status !== "stale",
  );
  const ips = [
    ...Array.from({ length: 70 }, (_, index) => `20.0.0.${index}`),
    ...some(60).filter((ip) => ip.includes("/")),
  ];
  const found = await explain({ ips });
  assert.deepEqual(Object.keys(found), ips);
  const outcomes = new Set<unknown>();
  for (const ip of ips) {
    const wanted = expected(world, ip, t.clock.now);
    assert.deepEqual(told(found[ip]), wanted, ip);
    outcomes.add(wanted[0]).add(wanted[3]).add(wanted[4]);
  }
  assert.deepEqual(found[ips[0]!], await explain({ ip: ips[0]! }));
  assert.deepEqual([...outcomes].map(String).sort(), ["0", "1", "all", "allow", "block", "none", "null", "part"]);
  // Rules that are overridden expire without changing anything, and that occurs.
  const firstEnd = ({ rulesets }: any): unknown =>
    rulesets.flatMap((each: any) => each.next_change_at ?? []).sort()[0] ?? null;
  assert.ok(ips.some((ip) => found[ip].decision === "allow" && firstEnd(found[ip]) !== found[ip].next_change_at));
  // The expectation detects rules that count after their expiry.
  const never = { ...world, blocked: world.blocked.map((rule) => ({ ...rule, expires_at: null })) };
  assert.ok(ips.some((ip) => String(told(found[ip])) !== String(expected(never, ip, t.clock.now))));
});

test("malformed input is named; rules and lists of another organisation are not used", async () => {
  for (const [body, field] of [
    [{}, "body"],
    [{ ip: "20.0.0.1/8" }, "ip"],
    [{ ips: ["20.0.0.1", "x"] }, "ips[1]"],
    [{ ip: "20.0.0.1", ips: [] }, "body"],
  ] as const) {
    const { status, body: problem } = await ask(t, "POST", PATH, { key: writer.text, body });
    assert.deepEqual([status, Object.keys(problem.validation_errors)], [400, [field]], JSON.stringify(body));
  }
  assert.deepEqual(await explain({ ips: [] }), {});
  const { text: stranger } = await addKey(t, await addOrganisation(t, "strangers", ["edl"]));
  const { rulesets, deployments, decision, cbs, cti } = await explain({ ip: "20.0.0.1" }, stranger);
  assert.deepEqual([rulesets, deployments, decision, cbs, cti], [[], [], "none", null, null]);
});
