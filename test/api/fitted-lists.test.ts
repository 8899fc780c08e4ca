/** `overflow: fit`: blocklists that are shortened, as devices receive them, with excludes, guards and explanations. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { formatPrefix, parsePrefix } from "../../src/address/prefix.ts";
import { AddressSet } from "../../src/sets/address-set.ts";
import { Random } from "../../bench/data/random.ts";
import { until } from "../until.ts";
import { addKey, addOrganisation, ask, startServer, type TestServer } from "./start-server.ts";

const PATH = "/v1/edl/deployments/";
const RULESETS = "/v1/edl/ip-rulesets/";
const HOUR = 3_600_000;

let t: TestServer;
let key = "";
before(async () => {
  t = await startServer();
  key = (await addKey(t, await addOrganisation(t, "fitting"))).text;
});
after(() => t.close());

const create = async (body: object): Promise<string> => {
  const made = await ask(t, "POST", PATH, { key, body });
  assert.equal(made.status, 201, made.text);
  return made.body.id;
};
const get = async (id: string): Promise<any> => (await ask(t, "GET", PATH + id, { key })).body;
const textOf = async (id: string): Promise<string> => {
  const { urls } = (await ask(t, "GET", `${PATH}${id}/urls/`, { key })).body;
  return (await fetch(urls.combined[0])).text();
};
const preview = async (body: object): Promise<any> =>
  (await ask(t, "POST", `${PATH.slice(0, -1)}:preview`, { key, body })).body;
const explain = async (ip: string): Promise<any> =>
  (await ask(t, "POST", `${RULESETS.slice(0, -1)}:explain`, { key, body: { ip } })).body.deployments;

const HOSTS = ["20.9.0.1", "20.9.0.2", "20.9.0.4", "20.9.128.1"];

test("a blocklist is shortened by adding the fewest addresses, which the preview and explanations name", async () => {
  const options = { max_entries: 2, overflow: "fit" };
  const include = [{ prefixes: HOSTS }];
  const shown = await preview({ include, options });
  assert.deepEqual(shown.fitted, {
    added_ipv4_addresses: "5",
    added_ipv6_addresses: "0",
    added: ["20.9.0.0", "20.9.0.3", "20.9.0.5", "20.9.0.6/31"],
  });
  assert.deepEqual([shown.entries, shown.reasons], [["20.9.0.0/29", "20.9.128.1"], []]);
  const id = await create({ name: "short", include, options });
  await until("it is published", async () => (await get(id)).status === "ok");
  assert.equal(await textOf(id), "20.9.0.0/29\n20.9.128.1\n");
  const found = async (ip: string): Promise<unknown[]> => {
    const each = (await explain(ip)).find((one: any) => one.id === id);
    return [each?.contains, each?.decided_by];
  };
  assert.deepEqual(await found("20.9.0.1"), ["all", "include"]);
  assert.deepEqual(await found("20.9.0.7"), ["all", "fit"]);
  assert.deepEqual(await found("20.9.0.0/29"), ["all", "include"]);
  assert.deepEqual(await found("20.9.0.8"), [undefined, undefined]);
  // It is exact again as soon as possible.
  await ask(t, "PATCH", PATH + id, { key, body: { options: { ...options, max_entries: 4 } } });
  await until("it is exact", async () => (await textOf(id)) === HOSTS.map((ip) => `${ip}\n`).join(""));
  assert.equal((await preview({ include, options: { ...options, max_entries: 4 } })).fitted, undefined);
  assert.deepEqual(await found("20.9.0.7"), [undefined, undefined]);
  await ask(t, "DELETE", PATH + id, { key });
});

test("in bulk, addresses that no source lists are distinguished from added ones", async () => {
  const [{ id: ruleset }] = (await ask(t, "GET", `${RULESETS}?purpose=blocklist`, { key })).body.items;
  for (const ip of HOSTS) await ask(t, "POST", `${RULESETS}${ruleset}/rules`, { key, body: { ip } });
  const id = await create({ name: "rules", include: [{ ruleset }], options: { max_entries: 2, overflow: "fit" } });
  await until("it is published", async () => (await get(id)).status === "ok");
  const ips = ["20.9.0.8", "20.9.0.7", "20.9.0.1", "20.9.0.9", "20.9.0.3"];
  const body = { ips };
  const found = (await ask(t, "POST", `${RULESETS.slice(0, -1)}:explain`, { key, body })).body;
  assert.deepEqual(
    ips.map((ip) => found[ip].deployments.find((each: any) => each.id === id)?.decided_by),
    [undefined, "fit", "include", undefined, "fit"],
  );
  await ask(t, "DELETE", PATH + id, { key });
});

test("a list with too many entries is refused without shortening, and with it if it cannot be shortened enough", async () => {
  const include = [{ prefixes: HOSTS }];
  const reasons = async (options: object, exclude: object[] = []): Promise<string[]> =>
    (await preview({ include, exclude, options })).reasons.map(({ message }: any) => message);
  const refused = ["the list has 4 entries, more than the 2 allowed"];
  assert.deepEqual(await reasons({ max_entries: 2 }), refused);
  assert.deepEqual(await reasons({ max_entries: 2, overflow: "refuse" }), refused);
  assert.deepEqual(await reasons({ max_entries: 2, overflow: "fit" }), []);
  // Every address in between is excluded.
  const exclude = [{ prefixes: ["20.9.0.0", "20.9.0.3", "20.9.0.5", "20.9.0.6", "20.9.64.0/18"] }];
  assert.deepEqual(await reasons({ max_entries: 2, overflow: "fit" }, exclude), [
    "the list has 4 entries, more than the 2 allowed, and cannot be shortened to fewer than 4, as some addresses must not be added",
  ]);
});

test("nothing that the guard protects is added, and the list follows what it protects", async () => {
  const [allow] = (await ask(t, "GET", `${RULESETS}?purpose=allowlist`, { key })).body.items;
  const options = { max_entries: 2, overflow: "fit" };
  const include = [{ prefixes: ["20.9.0.1", "20.9.0.2", "20.9.0.16"] }];
  const id = await create({ name: "guarded", include, options });
  await until("the nearest are joined", async () => (await textOf(id)) === "20.9.0.0/30\n20.9.0.16\n");
  const expires_at = new Date(t.clock.now + HOUR).toISOString();
  await ask(t, "POST", `${RULESETS}${allow.id}/rules`, { key, body: { ip: "20.9.0.3", expires_at } });
  await until("it is refused: those between the others are wider", async () => (await get(id)).status === "refused");
  assert.match(
    (await get(id)).reasons[0].message,
    /cannot be shortened to fewer than 3, as some addresses must not be added$/,
  );
  assert.equal(await textOf(id), "20.9.0.0/30\n20.9.0.16\n", "the previous list");
  await ask(t, "PATCH", PATH + id, { key, body: { guard: "off" } });
  await until("unless the guard is off", async () => (await get(id)).status === "ok");
  await ask(t, "PATCH", PATH + id, { key, body: { guard: "warn" } });
  await until("it is refused again", async () => (await get(id)).status === "refused");
  t.clock.now += HOUR;
  await until("the address is no longer allowed", async () => (await get(id)).status === "ok");
  await ask(t, "DELETE", PATH + id, { key });
});

test("an allowlist and a divided list cannot be shortened", async () => {
  for (const [body, reason] of [
    [{ purpose: "allowlist", options: { overflow: "fit" } }, /would let in strangers$/],
    [{ purpose: "other", options: { overflow: "fit" } }, /would let in strangers$/],
    [{ options: { overflow: "fit", chunk_entries: 100 } }, /leave out chunk_entries$/],
    [{ options: { overflow: "cut" } }, /./],
  ] as const) {
    const { status, body: problem } = await ask(t, "POST", PATH, {
      key,
      body: { name: "wrong", include: [{ prefixes: HOSTS }], ...body },
    });
    assert.equal(status, 400);
    assert.match(problem.validation_errors["options.overflow"][0], reason);
  }
});

test("random lists: as short as requested, everything listed, nothing excluded", async () => {
  const random = new Random(20);
  let fitted = 0;
  for (let round = 0; round < 20; round++) {
    const hosts = Array.from({ length: 60 }, () => `20.9.${random.below(4)}.${random.below(256)}`);
    const kept = Array.from({ length: 5 }, () => `20.9.${random.below(4)}.${random.below(256)}`);
    const max = 12 + random.below(8);
    const options = { max_entries: max, overflow: "fit" };
    const shown = await preview({ include: [{ prefixes: hosts }], exclude: [{ prefixes: kept }], options });
    const [all, excluded] = [hosts, kept].map((texts) => AddressSet.of(texts.map((text) => parsePrefix(text)))) as [
      AddressSet,
      AddressSet,
    ];
    const wanted = all.difference(excluded);
    if (shown.reasons.length > 0) {
      assert.match(
        shown.reasons[0].message,
        /cannot be shortened to fewer than \d+, as some addresses must not be added$/,
      );
      continue;
    }
    const listed = AddressSet.of(shown.entries.map((text: string) => parsePrefix(text)));
    assert.ok(shown.entries.length <= max);
    assert.ok(wanted.difference(listed).isEmpty, "an address is missing");
    assert.ok(listed.intersection(excluded).isEmpty, "an excluded address is listed");
    const added = [...listed.difference(wanted).prefixes()].map(formatPrefix);
    assert.deepEqual(shown.fitted?.added ?? [], added.slice(0, 20));
    fitted++;
  }
  assert.ok(fitted > 5, `only ${fitted} could be shortened`);
});
