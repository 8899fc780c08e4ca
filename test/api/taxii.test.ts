import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { parsePrefix } from "../../src/address/prefix.ts";
import { indicatorsIn } from "../../src/store/records/indicator.ts";
import { collectionOf } from "../../src/service/taxii/collections.ts";
import { makeCredentialText } from "../../src/service/access/credential-text.ts";
import { datasetCollectionId } from "../../src/store/records/indicator.ts";
import type { Rule } from "../../src/rulesets/rule.ts";
import { until } from "../until.ts";
import { SMALL_CATALOGUE } from "./harness/small-catalogue.ts";
import { addKey, addOrganisation, type Answer, ask, startServer, type TestServer } from "./start-server.ts";
import { definitionOf } from "../deployments/definition-of.ts";

const TYPE = "application/taxii+json;version=2.1";
const THREATS = fileURLToPath(new URL("../../data/cti-sample.ipsieve", import.meta.url));
const HOUR = 3_600_000;

let t: TestServer;
let organisationId = "";

before(async () => {
  t = await startServer({ failuresPerMinute: 10_000 }, SMALL_CATALOGUE, THREATS);
  organisationId = await addOrganisation(t, "Example");
});
after(() => t.close());

const by = () => ({ actor: "command:test", at: t.clock.now, organisationId });

async function newRuleset(purpose: "blocklist" | "allowlist" = "blocklist", name = "attackers"): Promise<string> {
  const about = { name, description: "", purpose, guard: "off", neverBlock: false } as const;
  return (await t.server.store.write({ kind: "create-ruleset", ...by(), ...about })).ruleset.id;
}

function add(rulesetId: string, text: string, about: Partial<Pick<Rule, "name" | "expiresAt">> = {}) {
  const request = { prefix: parsePrefix(text), name: null, expiresAt: null, mode: "override", ...about } as const;
  return t.server.store.write({ kind: "add-rule", ...by(), rulesetId, request });
}

function drop(rulesetId: string, text: string) {
  return t.server.store.write({ kind: "delete-rule", ...by(), rulesetId, prefix: parsePrefix(text) });
}

/** Signs in to these collections. */
async function signIn(...collections: string[]): Promise<{ id: string; authorization: string }> {
  const { text, digest, start } = makeCredentialText("taxii");
  const about = { label: "test", digest, start, collections };
  const { credential } = await t.server.store.write({
    kind: "create-credential",
    credential: "taxii",
    ...by(),
    ...about,
  });
  return { id: credential.id, authorization: `Basic ${btoa(`${start}:${text}`)}` };
}

/** A TAXII response, whose media type is checked. */
async function get(authorization: string, path: string, status = 200): Promise<Answer> {
  const found = await ask(t, "GET", `/taxii2/${path}`, { headers: { authorization, accept: TYPE } });
  assert.equal(found.status, status, found.text);
  assert.equal(found.headers.get("content-type"), TYPE);
  return { ...found, body: JSON.parse(found.text) };
}

const objectsOf = async (authorization: string, id: string, query = ""): Promise<any[]> =>
  (await get(authorization, `api/collections/${id}/objects/${query}`)).body.objects;
const indicatorsOf = async (authorization: string, id: string, query = ""): Promise<any[]> =>
  (await objectsOf(authorization, id, query)).filter(({ type }) => type === "indicator");

test("a client finds the collections of its credential, and no others", async () => {
  const [one, other] = [await newRuleset(), await newRuleset()];
  const { authorization } = await signIn(one, datasetCollectionId(organisationId));
  const { body: discovery } = await get(authorization, "");
  assert.deepEqual(discovery, { title: "ipsieve", default: "/taxii2/api/", api_roots: ["/taxii2/api/"] });
  const { body: root } = await get(authorization, "api/");
  assert.deepEqual(root.versions, [TYPE]);
  const { body } = await get(authorization, "api/collections/");
  assert.deepEqual(
    body.collections.map(({ id, title, can_read, can_write }: any) => [id, title, can_read, can_write]).sort(),
    [
      [one, "attackers", true, false],
      [datasetCollectionId(organisationId), "Threat intelligence", true, false],
    ].sort(),
  );
  assert.deepEqual((await get(authorization, `api/collections/${one}/`)).body.id, one);
  for (const id of [other, crypto.randomUUID(), "x"]) {
    assert.equal((await get(authorization, `api/collections/${id}/`, 404)).body.http_status, "404");
    await get(authorization, `api/collections/${id}/objects/`, 404);
  }
  const elsewhere = await addOrganisation(t, "other");
  await assert.rejects(
    t.server.store.write({
      kind: "create-credential",
      credential: "taxii",
      ...by(),
      organisationId: elsewhere,
      label: "x",
      digest: "x",
      start: "x",
      collections: [one],
    }),
    { code: "collection-not-found" },
  );
});

test("without valid credentials: 401; an API key is not valid", async () => {
  const ruleset = await newRuleset();
  const { id, authorization } = await signIn(ruleset);
  const [start, password] = atob(authorization.slice(6)).split(":") as [string, string];
  const key = await addKey(t, organisationId);
  const wrong = [
    "",
    "Basic",
    `Basic ${btoa(password)}`,
    `Basic ${btoa(`x:${password}`)}`,
    `Basic ${btoa(`${start}:${password.slice(0, -1)}`)}`,
    `Basic ${btoa(`${start}:${key.text}`)}`,
    `Bearer ${password}`,
  ];
  for (const each of wrong) {
    const { headers, body } = await get(each, "", 401);
    assert.equal(headers.get("www-authenticate"), 'Basic realm="taxii", charset="UTF-8"');
    assert.deepEqual([body.title, body.http_status], ["Authentication Required", "401"]);
  }
  assert.equal((await ask(t, "GET", "/v1/edl/ip-rulesets/", { key: password })).status, 401);
  await get(authorization, "");
  const command = { kind: "revoke-credential", credential: "taxii", ...by(), credentialId: id } as const;
  await t.server.store.write(command);
  await get(authorization, "", 401);
  await t.server.store.write(command);
  await ask(t, "GET", `/taxii2/${password}`);
  assert.ok(!t.logged().includes(password.slice(8)));
});

test("media types other than TAXII's are not acceptable, and nothing can be written", async () => {
  const ruleset = await newRuleset();
  const { authorization } = await signIn(ruleset);
  const rows: readonly (readonly [accept: string, status: number])[] = [
    [TYPE, 200],
    ["application/taxii+json; version=2.1", 200],
    ["application/taxii+json", 200],
    ["*/*", 200],
    ["application/*", 200],
    [`application/json, ${TYPE};q=0.5`, 200],
    ["application/taxii+json;version=2.0", 406],
    ["application/json", 406],
    ["application/vnd.oasis.taxii+json; version=2.0", 406],
    [`${TYPE};q=0`, 406],
  ];
  for (const [accept, status] of rows)
    assert.equal((await ask(t, "GET", "/taxii2/", { headers: { authorization, accept } })).status, status, accept);
  const objects = `/taxii2/api/collections/${ruleset}/objects/`;
  const post = (type: string) =>
    ask(t, "POST", objects, { headers: { authorization, accept: TYPE, "Content-Type": type }, body: '{"objects":[]}' });
  assert.equal((await post("application/json")).status, 415);
  assert.equal((await post(TYPE)).status, 403);
  assert.equal((await ask(t, "DELETE", `${objects}indicator--x/`, { headers: { authorization } })).status, 403);
  await get(authorization, "api/status/x/", 404);
  assert.equal((await get(authorization, "nowhere/", 404)).body.error_code, "not-found");
});

test("a rule is an indicator; its changes, end and return are versions and indicators as STIX requires", async () => {
  const ruleset = await newRuleset();
  const { authorization } = await signIn(ruleset);
  const began = t.clock.now;
  await add(ruleset, "192.0.2.0/24", { name: 'a "scanner"', expiresAt: began + 2 * HOUR });
  await add(ruleset, "198.51.100.7");
  await add(ruleset, "2001:db8::/32");
  const [identity, ...found] = await objectsOf(authorization, ruleset);
  assert.deepEqual([identity.type, identity.name, identity.identity_class], ["identity", "Example", "organization"]);
  const time = new Date(began).toISOString();
  assert.deepEqual(found[0], {
    type: "indicator",
    spec_version: "2.1",
    id: found[0].id,
    created_by_ref: identity.id,
    created: time,
    modified: time,
    name: 'a "scanner"',
    indicator_types: ["malicious-activity"],
    pattern: "[ipv4-addr:value = '192.0.2.0/24']",
    pattern_type: "stix",
    valid_from: time,
    valid_until: new Date(began + 2 * HOUR).toISOString(),
  });
  assert.match(found[0].id, /^indicator--[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.deepEqual(
    found.map(({ pattern }) => pattern),
    ["[ipv4-addr:value = '192.0.2.0/24']", "[ipv4-addr:value = '198.51.100.7']", "[ipv6-addr:value = '2001:db8::/32']"],
  );

  // In the same millisecond: the version must be later nevertheless.
  await add(ruleset, "198.51.100.7", { name: "renamed" });
  await drop(ruleset, "2001:db8::/32");
  const changed = await indicatorsOf(authorization, ruleset);
  assert.deepEqual(
    changed.map(({ id, revoked, name }) => [id, revoked, name]),
    [
      [found[0].id, undefined, 'a "scanner"'],
      [found[1].id, undefined, "renamed"],
      [found[2].id, true, "2001:db8::/32"],
    ],
  );
  assert.deepEqual([changed[1].modified > time, changed[1].created], [true, time]);
  assert.ok(changed[2].modified > time);

  // One that comes back, and one that has expired and is then extended.
  t.clock.now += 3 * HOUR;
  await add(ruleset, "2001:db8::/32");
  await until("the expiry is in the collection", async () =>
    (await indicatorsOf(authorization, ruleset)).some(({ id, revoked }) => id === found[0].id && revoked === true),
  );
  await add(ruleset, "192.0.2.0/24", { expiresAt: t.clock.now + HOUR });
  const last = await indicatorsOf(authorization, ruleset);
  const revokedIds = new Set(last.filter(({ revoked }) => revoked === true).map(({ id }) => id));
  assert.deepEqual(revokedIds, new Set([found[0].id, found[2].id]));
  const valid = last.filter(({ revoked }) => revoked !== true);
  assert.deepEqual(new Set(valid.map(({ pattern }) => pattern)), new Set(found.map(({ pattern }) => pattern)));
  assert.equal(new Set(last.map(({ id }) => id)).size, 5);
  for (const { created, modified, valid_from, valid_until } of last)
    assert.ok(modified >= created && (valid_until === undefined || valid_until > valid_from));

  const { versions } = (await get(authorization, `api/collections/${ruleset}/objects/${found[1].id}/versions/`)).body;
  assert.deepEqual(versions, [time, changed[1].modified]);
});

test("a rule that has already expired when it is written is published as revoked, once", async () => {
  const ruleset = await newRuleset("allowlist");
  const { authorization } = await signIn(ruleset);
  await add(ruleset, "192.0.2.1", { expiresAt: t.clock.now - 1 });
  const [only] = await indicatorsOf(authorization, ruleset);
  assert.deepEqual([only.revoked, only.valid_until, only.indicator_types], [true, undefined, ["benign"]]);
  await add(ruleset, "192.0.2.2");
  assert.equal((await indicatorsOf(authorization, ruleset)).length, 2);
});

test("pages ascend by microseconds, are complete while others write, and continue from their cursors", async () => {
  const ruleset = await newRuleset();
  const { authorization } = await signIn(ruleset);
  for (let host = 0; host < 30; host++) await add(ruleset, `192.0.2.${host}`);
  const path = `api/collections/${ruleset}/objects/`;
  const seen = new Map<string, any>();
  const stamps: string[] = [];
  for (let next = "", page = 0; ; page++) {
    const { body, headers } = await get(authorization, `${path}?limit=7${next}`);
    for (const object of body.objects) seen.set(object.id, object);
    stamps.push(headers.get("x-taxii-date-added-first")!, headers.get("x-taxii-date-added-last")!);
    if (page === 1) {
      await add(ruleset, "192.0.2.3", { name: "changed meanwhile" });
      await add(ruleset, "192.0.2.29", { name: "changed meanwhile" });
      await add(ruleset, "192.0.2.200");
      // Another client, for which the collection is brought up to date.
      await get(authorization, `${path}?limit=1`);
    }
    assert.equal("next" in body, body.more);
    if (!body.more) break;
    next = `&next=${body.next}`;
  }
  assert.equal(seen.size, 32);
  assert.equal([...seen.values()].filter(({ name }) => name === "changed meanwhile").length, 2);
  assert.deepEqual(stamps, stamps.toSorted());
  for (const stamp of stamps) assert.match(stamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);

  // The value of Last, sent back, returns exactly what has been added since.
  const last = stamps.at(-1)!;
  const none = await get(authorization, `${path}?added_after=${last}`);
  assert.deepEqual([none.body, none.headers.get("x-taxii-date-added-last")], [{ more: false, objects: [] }, null]);
  await add(ruleset, "192.0.2.201");
  await drop(ruleset, "192.0.2.5");
  const since = await indicatorsOf(authorization, ruleset, `?added_after=${last}`);
  assert.deepEqual(since.map(({ pattern, revoked }) => [pattern, revoked]).sort(), [
    ["[ipv4-addr:value = '192.0.2.201']", undefined],
    ["[ipv4-addr:value = '192.0.2.5']", true],
  ]);
  const { objects: manifest } = (await get(authorization, `api/collections/${ruleset}/manifest/?limit=3`)).body;
  assert.equal(manifest.length, 3);
  assert.equal(manifest[0].media_type, "application/stix+json;version=2.1");
  assert.ok(manifest[0].date_added < manifest[1].date_added);
});

test("a further page is the same whether or not it was prepared, in any coding, and needs the same permissions as the first", async () => {
  const ruleset = await newRuleset();
  const { id, authorization } = await signIn(ruleset);
  for (let host = 0; host < 30; host++) await add(ruleset, `192.0.2.${host}`);
  for (const part of ["objects", "manifest"]) {
    const path = `api/collections/${ruleset}/${part}/?limit=10`;
    const { body: first } = await get(authorization, path);
    const following = `${path}&next=${first.next}`;
    const pages = [await get(authorization, following), await get(authorization, following)];
    for (const coding of ["identity", "br", "gzip"]) {
      const headers = { authorization, accept: TYPE, "accept-encoding": coding };
      const path = `/taxii2/${following}`;
      pages.push(await ask(t, "GET", path, { headers }), await ask(t, "GET", path, { headers }));
      assert.equal(pages.at(-1)!.headers.get("content-encoding"), coding === "identity" ? null : coding);
    }
    for (const page of pages) {
      assert.equal(page.text, pages[0]!.text);
      const stamps = ["x-taxii-date-added-first", "x-taxii-date-added-last"].map((name) => page.headers.get(name));
      assert.ok(stamps[0]! < stamps[1]!);
    }
    assert.equal(pages[0]!.body.objects.length, 10);
  }
  const path = `api/collections/${ruleset}/objects/?limit=10`;
  const { next } = (await get(authorization, path)).body;
  await t.server.store.write({ kind: "revoke-credential", credential: "taxii", ...by(), credentialId: id });
  await get(authorization, `${path}&next=${next}`, 401);
});

test("a further page needs only `next`: filters and the limit that are absent are those of the first, and others are refused", async () => {
  const ruleset = await newRuleset();
  const { authorization } = await signIn(ruleset);
  for (let host = 0; host < 12; host++) await add(ruleset, `192.0.2.${host}`);
  for (let host = 0; host < 12; host++) await add(ruleset, `192.0.2.${host}`, { name: "changed" });
  const collection = `api/collections/${ruleset}`;
  const all = await indicatorsOf(authorization, ruleset);
  const ids = all.map(({ id }) => id);
  const { headers } = await get(authorization, `${collection}/objects/?limit=3`);
  const filters: Readonly<Record<string, string>> = {
    added_after: headers.get("x-taxii-date-added-last")!,
    "match[id]": ids.slice(2).join(","),
    "match[type]": "indicator",
    "match[version]": "all",
    "match[spec_version]": "2.1",
  };
  const pagesOf = async (path: string, given: object, repeated: readonly string[]): Promise<string[]> => {
    const texts: string[] = [];
    let query = new URLSearchParams({ ...given, limit: "2" });
    for (;;) {
      const { body, text } = await get(authorization, `${path}?${query}`);
      texts.push(text.replace(/"next":"[^"]+"/, ""));
      if (body.next === undefined) return texts;
      const kept = Object.entries(given).filter(([name]) => repeated.includes(name));
      query = new URLSearchParams([...kept, ["next", body.next]]);
    }
  };
  const names = Object.keys(filters);
  for (const endpoint of ["objects/", "manifest/", `objects/${ids[5]}/versions/`]) {
    const path = `${collection}/${endpoint}`;
    for (const set of [names, [], ...names.map((name) => [name])]) {
      const given = Object.fromEntries(set.map((name) => [name, filters[name]!]));
      const whole = await pagesOf(path, given, names);
      for (const repeated of [[], set.slice(1)])
        assert.deepEqual(await pagesOf(path, given, repeated), whole, `${path} ${set.join()} ${repeated.join()}`);
    }
    const first = await get(authorization, `${path}?${new URLSearchParams({ ...filters, limit: "1" })}`);
    if (first.body.next === undefined) continue;
    for (const [name, value] of [
      ["added_after", "2026-01-01T00:00:00Z"],
      ["match[id]", ids[0]!],
      ["match[type]", "identity"],
      ["match[version]", "first"],
      ["match[spec_version]", "2.0"],
    ]) {
      const query = new URLSearchParams([
        ["next", first.body.next],
        [name!, value!],
      ]);
      const isIgnored = name === "match[id]" && endpoint.includes("versions");
      await get(authorization, `${path}?${query}`, isIgnored ? 200 : 400);
    }
  }
  const { next } = (await get(authorization, `${collection}/objects/?limit=1`)).body;
  const [position, mark, packed] = next.split(".");
  const longer = Buffer.concat([Buffer.from(packed, "base64url"), Buffer.from("x")]).toString("base64url");
  for (const wrong of [
    `${position}.${mark}.`,
    `${position}.${mark}.AAAA`,
    `${position}.${mark}.${"A".repeat(500)}`,
    ...["x", "xx", "xxx", "xxxx", "."].map((rest) => next + rest),
    `${position}.${mark}.${longer}`,
    `0${next}`,
    next.slice(0, -1),
  ])
    await get(authorization, `${collection}/objects/?next=${wrong}`, 400);
  await get(authorization, `${collection}/objects/?next=${next}`);
});

test("changes made while a client pages arrive with its next read at the latest", async () => {
  const ruleset = await newRuleset();
  const { authorization } = await signIn(ruleset);
  for (let host = 0; host < 20; host++) await add(ruleset, `192.0.2.${host}`);
  const path = `api/collections/${ruleset}/objects/`;
  const first = await get(authorization, `${path}?limit=11`);
  await drop(ruleset, "192.0.2.1");
  await drop(ruleset, "192.0.2.19");
  await add(ruleset, "192.0.2.200");
  const second = await get(authorization, `${path}?limit=11&next=${first.body.next}`);
  assert.deepEqual([first.body.objects.length, second.body.objects.length, second.body.more], [11, 10, false]);
  const since = await indicatorsOf(
    authorization,
    ruleset,
    `?added_after=${second.headers.get("x-taxii-date-added-last")}`,
  );
  assert.deepEqual(since.map(({ name, revoked }) => [name, revoked]).sort(), [
    ["192.0.2.1", true],
    ["192.0.2.19", true],
    ["192.0.2.200", undefined],
  ]);
});

test("filters select by id, type, version and specification; invalid ones get 400 and are named", async () => {
  const ruleset = await newRuleset();
  const { authorization } = await signIn(ruleset);
  await add(ruleset, "192.0.2.1", { name: "one" });
  await add(ruleset, "192.0.2.2");
  const [identity, one, two] = await objectsOf(authorization, ruleset);
  t.clock.now += 1000;
  await add(ruleset, "192.0.2.1", { name: "two" });
  const names = async (query: string): Promise<string[]> =>
    (await objectsOf(authorization, ruleset, query)).map(({ name }) => name);
  assert.deepEqual(await names(`?match[id]=${one.id}`), ["two"]);
  assert.deepEqual(await names(`?match[id]=${one.id},${identity.id}`), ["Example", "two"]);
  assert.deepEqual(await names(`?match[id]=${one.id}&match[version]=all`), ["one", "two"]);
  assert.deepEqual(await names(`?match[id]=${one.id}&match[version]=first`), ["one"]);
  assert.deepEqual(await names(`?match[version]=${one.modified}&match[type]=indicator`), ["one", two.name]);
  assert.deepEqual(await names("?match[type]=identity"), ["Example"]);
  assert.deepEqual(await names("?match[type]=malware"), []);
  assert.deepEqual(await names("?match[spec_version]=2.0"), []);
  assert.deepEqual((await names("?match[spec_version]=2.1")).length, 3);
  assert.deepEqual((await names(`${one.id}/`)).length, 1);
  assert.deepEqual(await names(`${one.id}/?match[version]=first`), ["one"]);
  await get(authorization, `api/collections/${ruleset}/objects/indicator--${crypto.randomUUID()}/`, 404);

  const { next } = (await get(authorization, `api/collections/${ruleset}/objects/?limit=1`)).body;
  const wrong = [
    ["limit=0", "limit"],
    ["limit=-1", "limit"],
    ["limit=x", "limit"],
    ["limit=1&limit=2", "limit"],
    ["added_after=yesterday", "added_after"],
    ["added_after=2026-13-01T00:00:00Z", "added_after"],
    ["added_after=2026-02-30T00:00:00Z", "added_after"],
    ["match[version]=2026-06-31T00:00:00Z", "match[version]"],
    ["match[version]=newest", "match[version]"],
    ["match[pattern]=x", "match[pattern]"],
    ["next=x", "next"],
    [`next=${next}&match[type]=indicator`, "next"],
    [`next=${next}&added_after=2026-01-01T00:00:00Z`, "next"],
  ] as const;
  for (const [query, name] of wrong) {
    const { body } = await get(authorization, `api/collections/${ruleset}/objects/?${query}`, 400);
    assert.deepEqual([Object.keys(body.details), body.http_status], [[name], "400"]);
  }
  assert.equal((await objectsOf(authorization, ruleset, `?limit=10&next=${next}`)).length, 2);
  // A page has at most its maximum, however many items are requested, and any time may be given.
  for (const query of ["?limit=9999999999999999999999", "?added_after=1900-01-01T00:00:00Z"])
    assert.equal((await objectsOf(authorization, ruleset, query)).length, 3);
  const other = await newRuleset();
  const { authorization: both } = await signIn(ruleset, other);
  const { body } = await get(both, `api/collections/${other}/objects/?limit=1&next=${next}`, 400);
  assert.match(body.details.next[0], /another collection/);
});

test("a deleted ruleset or deployment becomes a collection of revocations", async () => {
  const ruleset = await newRuleset();
  await add(ruleset, "192.0.2.0/24");
  const definition = definitionOf({ include: [{ ruleset }] });
  const created = await t.server.store.write({ kind: "create-deployment", ...by(), name: "gone", definition });
  const deployment = created.deployment.id;
  await until("the list is published", () => t.server.services.publishing.lists.served(deployment) !== undefined);
  const { authorization } = await signIn(ruleset, deployment);
  const before = [await indicatorsOf(authorization, ruleset), await indicatorsOf(authorization, deployment)];
  assert.deepEqual(
    before.map(([only]) => only.revoked),
    [undefined, undefined],
  );
  t.clock.now += 1000;
  await t.server.store.write({ kind: "delete-deployment", ...by(), deploymentId: deployment, ifMatch: undefined });
  await t.server.store.write({ kind: "delete-ruleset", ...by(), rulesetId: ruleset });
  for (const [index, id] of [ruleset, deployment].entries()) {
    const [known] = before[index]!;
    const found = await indicatorsOf(authorization, id);
    assert.deepEqual(
      found.map((each) => [each.id, each.revoked, each.modified > known.modified]),
      [[known.id, true, true]],
    );
    assert.deepEqual(await indicatorsOf(authorization, id), found, "revoked once");
  }
  const { body } = await get(authorization, "api/collections/");
  assert.deepEqual(body.collections.map(({ title }: any) => title).sort(), ["Deleted ruleset", "gone"]);
  await t.restart();
  assert.equal((await indicatorsOf(authorization, deployment)).length, 1);
});

test("indicators that no one can read are deleted; a restored ruleset has new indicators", async () => {
  const [ruleset, kept] = [await newRuleset(), await newRuleset()];
  const { text: key } = await addKey(t, organisationId);
  const rules = Array.from({ length: 1100 }, (_, host) => ({ ip: `198.51.${host >> 8}.${host & 255}` }));
  const imported = await ask(t, "POST", `/v1/edl/ip-rulesets/${ruleset}/rules:import`, { key, body: { rules } });
  assert.equal(imported.status, 200, imported.text);
  await add(kept, "192.0.2.1");
  const { id, authorization } = await signIn(ruleset, kept);
  const versions = { all: true, first: false, last: false, at: [] };
  const query = { after: 0, limit: 10_000, types: ["indicator"], versions } as const;
  const countOf = async (each: string): Promise<number> =>
    indicatorsIn(await t.server.store.read("indicators", each, query)).length;
  const clean = () => t.server.services.publishing.indicators.deleteOld();
  const known = await indicatorsOf(authorization, ruleset, "?limit=1000");
  assert.equal((await indicatorsOf(authorization, kept)).length, 1);
  await clean();
  t.clock.now += 1000;
  const command = { kind: "delete-ruleset", ...by(), rulesetId: ruleset } as const;
  await t.server.store.write(command);
  await until("it is deleted", () => t.server.services.memory.ruleset(organisationId, ruleset) === undefined);
  const { sequence } = t.server.services.memory;
  await indicatorsOf(authorization, ruleset);
  await clean();
  assert.deepEqual([await countOf(ruleset), await countOf(kept)], [2200, 1], "its revocations can be read");
  await t.server.store.write({ kind: "revoke-credential", credential: "taxii", ...by(), credentialId: id });
  await clean();
  assert.deepEqual([await countOf(ruleset), await countOf(kept)], [0, 1]);

  // Since its indicators were reported as revoked, restored ones must not have their ids.
  await t.server.store.write({ kind: "restore-ruleset", ...by(), sequence });
  const { authorization: another } = await signIn(ruleset);
  const back = await indicatorsOf(another, ruleset, "?limit=5000");
  assert.equal(back.length, 1100);
  assert.ok(back.every(({ revoked, created }) => revoked === undefined && created > known[0].created));
  const ids = new Set(known.map((each) => each.id));
  assert.equal(back.filter((each) => ids.has(each.id)).length, 0);
  assert.equal((await indicatorsOf(another, ruleset, "?match[version]=all&limit=5000")).length, 1100);
});

test("superseded versions are kept as long as changes, at most a hundred per indicator; last versions stay", async () => {
  const ruleset = await newRuleset();
  const { authorization } = await signIn(ruleset);
  const rename = (host: number, name: string) => add(ruleset, `192.0.2.${host}`, { name });
  const namesOf = async (version: string): Promise<string[]> =>
    (await indicatorsOf(authorization, ruleset, `?match[version]=${version}`)).map(({ name }) => name);
  const clean = () => t.server.services.publishing.indicators.deleteOld();
  for (const [host, name] of [
    [1, "first"],
    [2, "gone"],
    [3, "never changed"],
  ] as const)
    await rename(host, name);
  await namesOf("all");
  await rename(1, "second");
  await drop(ruleset, "192.0.2.2");
  await namesOf("all");
  t.clock.now += 29 * 24 * HOUR;
  await rename(1, "third");
  const every = ["first", "gone", "never changed", "second", "gone", "third"];
  assert.deepEqual(await namesOf("all"), every);
  assert.deepEqual(await namesOf("first"), every.slice(0, 3));
  await clean();
  assert.deepEqual(await namesOf("all"), every);

  // A client that has read a part continues where it was, without what has been deleted.
  const path = `api/collections/${ruleset}/objects/?match[version]=all&limit=2`;
  const { body } = await get(authorization, path);
  t.clock.now += 24 * HOUR + 1;
  await clean();
  assert.deepEqual(await namesOf("all"), ["never changed", "second", "gone", "third"]);
  assert.deepEqual((await namesOf("first")).toSorted(), ["gone", "never changed", "second"]);
  assert.deepEqual((await namesOf("last")).toSorted(), ["gone", "never changed", "third"]);
  const { objects } = (await get(authorization, `${path.replace("limit=2", "limit=9")}&next=${body.next}`)).body;
  assert.deepEqual(
    objects.map(({ name }: any) => name),
    ["never changed", "second", "gone", "third"],
  );
  t.clock.now += 31 * 24 * HOUR;
  await clean();
  assert.deepEqual((await namesOf("all")).toSorted(), ["gone", "never changed", "third"]);
  const [{ id }] = await indicatorsOf(authorization, ruleset, "?match[version]=first");
  assert.equal(
    (await get(authorization, `api/collections/${ruleset}/objects/${id}/versions/`)).body.versions.length,
    1,
  );

  for (let version = 0; version < 110; version++) {
    await rename(3, `version ${version}`);
    await namesOf("last");
  }
  const kept = Array.from({ length: 101 }, (_, index) => `version ${index + 9}`);
  assert.deepEqual(
    (await namesOf("all")).filter((name) => name.startsWith("version")),
    kept,
  );
});

test("indicators of a deployment keep their ids from list to list; removed entries are revoked", async () => {
  const definition = definitionOf({ include: [{ prefixes: ["192.0.2.0/24", "198.51.100.7", "2001:db8::/32"] }] });
  const created = await t.server.store.write({ kind: "create-deployment", ...by(), name: "edge", definition });
  const { id } = created.deployment;
  const generation = () => t.server.services.publishing.lists.served(id)?.published.generation ?? 0;
  await until("the list is published", () => generation() > 0);
  const { authorization } = await signIn(id);
  const first = await indicatorsOf(authorization, id);
  assert.deepEqual(
    first.map(({ pattern }) => pattern.slice(pattern.indexOf("'") + 1, -2)),
    ["192.0.2.0/24", "198.51.100.7", "2001:db8::/32"],
  );
  t.clock.now += 1000;
  const include = [{ prefixes: ["192.0.2.0/24", "203.0.113.0/24", "2001:db8::/32"] }];
  const update = { kind: "update-deployment", ...by(), deploymentId: id } as const;
  await t.server.store.write({ ...update, definition: { include, description: "" } });
  await until("the next list is published", () => generation() > 1);
  const second = await indicatorsOf(authorization, id);
  assert.deepEqual(
    second.map((each) => [each.id === first[0].id || each.id === first[2].id, each.id === first[1].id, each.revoked]),
    [
      [true, false, undefined],
      [true, false, undefined],
      [false, true, true],
      [false, false, undefined],
    ],
  );

  // A client that reads it is counted in its pulls, once a minute.
  const { pulls } = t.server.services.publishing;
  const read = async (): Promise<readonly string[]> => {
    await objectsOf(authorization, id);
    return (await pulls.logOf(id)).pulls.map(({ file, status, bytes }) => `${file} ${status} ${bytes}`);
  };
  const before = (await read()).length;
  assert.equal(pulls.lastOf(id), t.clock.now - 1000);
  t.clock.now += 24 * HOUR;
  assert.ok(pulls.isNotPulled(t.server.services.memory.deployment(organisationId, id)!, t.clock.now));
  assert.deepEqual(
    await read(),
    Array.from({ length: before + 1 }, () => "taxii2 200 0"),
  );
  assert.ok(!pulls.isNotPulled(t.server.services.memory.deployment(organisationId, id)!, t.clock.now));
  t.clock.now += 59_999;
  assert.equal((await read()).length, before + 1);
  await t.server.store.write({ ...update, definition: { active: false } });
  await get(authorization, `api/collections/${id}/objects/`, 403);
  assert.equal((await get(authorization, "api/collections/")).body.collections[0].can_read, false);
});

test("threat intelligence: each prefix of the dataset, with the classification of the dataset", async () => {
  const id = datasetCollectionId(organisationId);
  const { authorization } = await signIn(id);
  const { dataset } = t.server.services.data.threats.view();
  const [kinds, prefixes] = [new Set<string>(), new Set<string>()];
  for (let next = ""; ;) {
    const { body } = await get(authorization, `api/collections/${id}/objects/?limit=1000${next}`);
    for (const { type, pattern, indicator_types } of body.objects)
      if (type === "indicator") {
        prefixes.add(pattern);
        kinds.add(indicator_types.join());
      }
    if (!body.more) break;
    next = `&next=${body.next}`;
  }
  const count = [4, 6].reduce((sum, family) => sum + [...dataset.table.entries(family as 4 | 6)].length, 0);
  assert.equal(prefixes.size, count);
  assert.ok(kinds.has("malicious-activity") && kinds.size > 1);
});

test("threat intelligence without a plan for it: its collection says that it cannot be read", async () => {
  const id = datasetCollectionId(organisationId);
  const { authorization } = await signIn(id);
  const setPlan = (active: boolean) =>
    t.server.store.write({
      kind: "set-plan",
      ...by(),
      area: "cti",
      active,
      until: null,
      perMinute: null,
      perMonth: null,
    });
  await setPlan(false);
  const { body } = await get(authorization, `api/collections/${id}/objects/`, 403);
  assert.match(body.description, /no active plan for .* \(cti\)/);
  assert.equal((await get(authorization, "api/collections/")).body.collections[0].can_read, false);
  assert.equal((await get(authorization, `api/collections/${id}/`)).body.can_read, false);
  await setPlan(true);
  await get(authorization, `api/collections/${id}/objects/?limit=1`);
});

/** Takes a turn of the queue and keeps it until the returned function is called. */
async function holdTurn(who: string): Promise<() => void> {
  const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const held = t.server.services.publishing.taxii.run({ who, isKnown: true }, () => {
    begun.resolve();
    return ended.promise;
  });
  await Promise.race([begun.promise, held]);
  return ended.resolve;
}

test("the database work of an organisation's requests is queued; if too many wait, 503 says when to retry", async () => {
  const rulesets: string[] = [];
  for (let count = 0; count < 6; count++) rulesets.push(await newRuleset());
  const { authorization } = await signIn(...rulesets);
  const release = await holdTurn(organisationId);
  const answers: Answer[] = [];
  const requests = rulesets.map((id) =>
    ask(t, "GET", `/taxii2/api/collections/${id}/objects/`, { headers: { authorization, accept: TYPE } }).then(
      (answer) => answers.push(answer),
    ),
  );
  await until("two of them are refused", async () => answers.length === 2);
  for (const { status, headers, text } of answers) {
    assert.deepEqual([status, headers.get("retry-after"), headers.get("content-type")], [503, "5", TYPE]);
    assert.match(JSON.parse(text).description, /^too many TAXII requests at the moment/);
  }
  release();
  await Promise.all(requests);
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 200, 200, 200, 503, 503]);
});

test("following a source and reading a page alternate", async (context) => {
  const ruleset = await newRuleset();
  const { authorization } = await signIn(ruleset);
  await objectsOf(authorization, ruleset);
  const { mock } = context.mock.method(t.server.services.publishing.taxii, "run");
  await objectsOf(authorization, ruleset);
  assert.deepEqual(
    mock.calls.map((call) => call.arguments[0]),
    [
      { who: organisationId, isKnown: true },
      { who: organisationId, isKnown: true },
    ],
  );
});

test("a server that stops ends a comparison after its current step; the next server completes it", async () => {
  const other = await addOrganisation(t, "Stopped");
  const collection = { id: datasetCollectionId(other), organisationId: other };
  const { services, store } = t.server;
  const release = await holdTurn("someone");
  const following = services.publishing.indicators.follow(collectionOf(services.memory, other, collection.id)!);
  const refused = assert.rejects(following, { code: "unavailable", retryAfter: 5 });
  // Between the first step, which only reads, and the second.
  const next = holdTurn("someone else");
  release();
  const releaseNext = await next;
  const stopped = services.publishing.indicators.stop();
  releaseNext();
  await Promise.all([refused, stopped]);
  assert.equal((await store.record("indicators", collection, t.clock.now, null)).mark, -1);
  await t.restart();
  const again = t.server.services;
  await again.publishing.indicators.follow(collectionOf(again.memory, other, collection.id)!);
  const { mark } = await t.server.store.record("indicators", collection, t.clock.now, null);
  assert.equal(mark, again.data.threats.times.createdAt);
});
