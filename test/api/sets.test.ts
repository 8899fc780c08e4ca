/** Sets of a request: lists, rulesets and services, related and combined. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { addKey, addOrganisation, ask, BUNDLED, startServer, type TestServer } from "./start-server.ts";

let t: TestServer;
let key = "";
let ruleset = "";
let other = "";
before(async () => {
  t = await startServer({}, BUNDLED);
  const organisation = await addOrganisation(t, "sets");
  key = (await addKey(t, organisation)).text;
  ruleset = (await ask(t, "GET", "/v1/edl/ip-rulesets/", { key })).body.items[0].id;
  for (const [ip, rest] of [
    ["203.0.113.0/24", {}],
    ["198.51.100.0/25", {}],
    ["2001:db8::/64", { name: "lab" }],
  ] as const)
    await ask(t, "POST", `/v1/edl/ip-rulesets/${ruleset}/rules`, { key, body: { ip, ...rest } });
  other = (await addKey(t, await addOrganisation(t, "others"))).text;
});
after(() => t.close());

const relate = (sets: readonly object[], asker = key) =>
  ask(t, "POST", "/v1/edl/ip-rulesets:relate", { key: asker, body: { sets } });
const compute = (operation: string, sets: readonly object[], rest: object = {}) =>
  ask(t, "POST", "/v1/sets:compute", { key, body: { operation, sets, ...rest } });

test("lists are related pair by pair, with exact numbers, and the addresses that only one has", async () => {
  const { status, body } = await relate([
    { ruleset },
    { prefixes: ["203.0.113.0/25", "2001:db8::/64"] },
    { prefixes: ["192.0.2.1"] },
  ]);
  assert.equal(status, 200);
  assert.deepEqual(body.sets, [
    { ipv4: { addresses: "384", only: "256" }, ipv6: { addresses: String(2n ** 64n), only: "0" } },
    { ipv4: { addresses: "128", only: "0" }, ipv6: { addresses: String(2n ** 64n), only: "0" } },
    { ipv4: { addresses: "1", only: "1" }, ipv6: { addresses: "0", only: "0" } },
  ]);
  assert.deepEqual(body.pairs[0], {
    first: 0,
    second: 1,
    relation: "covers",
    ipv4: { shared: "128", millionths_of_first: 333_333, millionths_of_second: 1_000_000 },
    ipv6: { shared: String(2n ** 64n), millionths_of_first: 1_000_000, millionths_of_second: 1_000_000 },
  });
  assert.deepEqual(
    body.pairs.map(({ first, second, relation }: any) => [first, second, relation]),
    [
      [0, 1, "covers"],
      [0, 2, "disjoint"],
      [1, 2, "disjoint"],
    ],
  );
});

test("sets are combined exactly, as the fewest prefixes", async () => {
  const carved = await compute("subtract", [{ prefixes: ["10.0.0.0/8"] }, { prefixes: ["10.1.2.3"] }]);
  assert.equal(carved.status, 200);
  assert.equal(carved.body.count, 24);
  assert.deepEqual(carved.body.addresses, { ipv4: String(2 ** 24 - 1), ipv6: "0" });
  const found = async (...asked: Parameters<typeof compute>) => (await compute(...asked)).body.prefixes;
  assert.deepEqual(await found("aggregate", [{ prefixes: ["192.0.2.0/25", "192.0.2.128/25"] }]), ["192.0.2.0/24"]);
  assert.deepEqual(await found("intersect", [{ ruleset }, { prefixes: ["203.0.113.64/26", "::/0"] }]), [
    "203.0.113.64/26",
    "2001:db8::/64",
  ]);
  assert.deepEqual(await found("symmetric", [{ prefixes: ["192.0.2.0/31"] }, { prefixes: ["192.0.2.1"] }]), [
    "192.0.2.0",
  ]);
  const voters = [{ ruleset }, { prefixes: ["203.0.113.64/26", "192.0.2.1"] }, { prefixes: ["192.0.2.1"] }];
  assert.deepEqual(await found("atleast", voters, { at_least: 2 }), ["192.0.2.1", "203.0.113.64/26"]);
  assert.deepEqual(await found("atleast", voters, { at_least: 3, weights: [1, 2, 1] }), [
    "192.0.2.1",
    "203.0.113.64/26",
  ]);
  assert.deepEqual(await found("union", [{ ruleset }], { family: 6 }), ["2001:db8::/64"]);
  assert.ok((await found("intersect", [{ cbs: "/cdn/cloudflare" }, { prefixes: ["104.16.0.0/12"] }])).length > 0);
});

const fit = (entries: number, rest: object, sets: readonly object[] = [{ prefixes: FITTED }]) =>
  ask(t, "POST", "/v1/edl/ip-rulesets:fit", { key, body: { sets, entries, ...rest } });
const FITTED = ["203.0.113.0/26", "203.0.113.128/25", "198.51.100.7"];

test("a list is fitted exactly if possible, otherwise with the least loss, which the response lists", async () => {
  const exact = await fit(3, {}, [{ prefixes: [...FITTED, "203.0.113.64/26"] }]);
  assert.deepEqual(
    [exact.status, exact.body.prefixes, exact.body.exact_count, exact.body.cost],
    [200, ["198.51.100.7", "203.0.113.0/24"], 2, "0"],
  );
  const { body: added } = await fit(2, { loss: "add" });
  const none = { addresses: { ipv4: "0", ipv6: "0" }, prefixes: [], count: 0 };
  assert.deepEqual(added, {
    count: 2,
    exact_count: 3,
    prefixes: ["198.51.100.7", "203.0.113.0/24"],
    added: { addresses: { ipv4: "64", ipv6: "0" }, prefixes: ["203.0.113.64/26"], count: 1 },
    removed: none,
    cost: "64",
    bound: "64",
    is_best: true,
    warnings: added.warnings,
  });
  // The allowlist of the organisation contains all of them.
  assert.deepEqual(
    added.warnings.map(({ kind, ipv4_addresses }: any) => [kind, ipv4_addresses]),
    [["allowed", "64"]],
  );
  const { body: removed } = await fit(2, { loss: "remove" });
  assert.deepEqual([removed.removed.prefixes, removed.added, removed.warnings], [["198.51.100.7"], none, undefined]);
});

test("addresses that must not be added and seen addresses determine the loss", async () => {
  const never = await fit(2, { loss: "add", never: [{ prefixes: ["203.0.113.100"] }], min_prefix_v4: 0 });
  assert.deepEqual(never.status, 400);
  assert.match(never.body.validation_errors.entries[0], /at least 3 prefixes/);
  const ofSome = { sets: [{ prefixes: ["192.0.2.0", "192.0.2.3", "198.51.100.0", "198.51.100.3"] }], entries: 3 };
  const list = async (seen: string) =>
    (
      await ask(t, "POST", "/v1/edl/ip-rulesets:fit", {
        key,
        body: { ...ofSome, loss: "add", seen: [{ ip: seen, lines: 5 }] },
      })
    ).body.prefixes;
  assert.deepEqual(await list("192.0.2.1"), ["192.0.2.0", "192.0.2.3", "198.51.100.0/30"]);
  assert.deepEqual(await list("198.51.100.2"), ["192.0.2.0/30", "198.51.100.0", "198.51.100.3"]);
});

test("the error of an impossible fit says how many prefixes are needed; unused options are errors", async () => {
  const errorsOf = async (asked: ReturnType<typeof ask>) => (await asked).body.validation_errors;
  assert.match((await errorsOf(fit(2, {}))).entries[0], /need 3 prefixes, more than the 2 allowed/);
  assert.deepEqual(await errorsOf(fit(2, { never: [{ prefixes: ["192.0.2.1"] }], min_prefix_v6: 1 })), {
    never: ["needs loss add or remove"],
    min_prefix_v6: ["needs loss add or remove"],
  });
  const bad = await fit(2, {
    loss: "add",
    seen: [
      { ip: "192.0.2.1", lines: 1 },
      { ip: "192.0.2.0/24", lines: 1 },
    ],
  });
  assert.deepEqual([bad.status, Object.keys(bad.body.validation_errors)], [400, ["seen[1].ip"]]);
  assert.deepEqual(Object.keys(await errorsOf(fit(2, { loss: "add", never: [{ cbs: "/cdn/no-such-node" }] }))), [
    "never[0]",
  ]);
});

test("an unreadable set is an error that names it; so is another organisation's ruleset", async () => {
  const errorsOf = async (asked: ReturnType<typeof ask>) => {
    const { status, body } = await asked;
    return [status, body.validation_errors];
  };
  assert.deepEqual(await errorsOf(compute("symmetric", [{ prefixes: ["192.0.2.1"] }])), [
    400,
    { sets: ["symmetric takes exactly two sets"] },
  ]);
  assert.deepEqual(await errorsOf(compute("subtract", [{ prefixes: ["192.0.2.1"] }])), [
    400,
    { sets: ["subtract takes two sets or more"] },
  ]);
  for (const [operation, rest, errors] of [
    ["atleast", {}, { at_least: ["is missing: how many of the sets must have an address"] }],
    ["atleast", { at_least: 2 }, { at_least: ["must be at most 1, which is what all sets together count"] }],
    [
      "atleast",
      { at_least: 1, weights: [1, 1] },
      { weights: ["must have one weight for each of the 1 sets, in their order"] },
    ],
    ["union", { at_least: 1 }, { at_least: ['is for the operation "atleast" only; leave it out'] }],
    ["union", { weights: [1] }, { weights: ['is for the operation "atleast" only; leave it out'] }],
  ] as const)
    assert.deepEqual(await errorsOf(compute(operation, [{ prefixes: ["192.0.2.1"] }], rest)), [400, errors]);
  const [status, errors] = await errorsOf(compute("union", [{ prefixes: ["192.0.2.1", "192.0.2.1/24"] }]));
  assert.deepEqual([status, Object.keys(errors)], [400, ["sets[0].prefixes[1]"]]);
  assert.deepEqual(await errorsOf(relate([{ ruleset }, { prefixes: ["192.0.2.1"] }], other)), [
    400,
    { "sets[0]": [`unknown ruleset ${ruleset}`] },
  ]);
  const unknown = await compute("union", [{ cbs: "/cdn/no-such-node" }]);
  assert.deepEqual([unknown.status, Object.keys(unknown.body.validation_errors)], [400, ["sets[0]"]]);
  assert.equal((await compute("union", [{ cti: { tags: ["x"] } }])).status, 400, "no threat intelligence is loaded");
});
