import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Reader, type Response } from "mmdb-lib";
import { until } from "../until.ts";
import { definitionOf } from "../deployments/definition-of.ts";
import { addUser, visit } from "./dashboard/browser.ts";
import { addKey, addOrganisation, type Answer, ask, startServer, type TestServer } from "./start-server.ts";
import { onlyLong } from "../rounds.ts";

const PATH = "/v1/edl/deployments/";
const HOUR = 3_600_000;

let t: TestServer;
let organisation = "";
let key = "";
let reader = "";
let ruleset = "";

before(async () => {
  t = await startServer();
  organisation = await addOrganisation(t, "deployments");
  key = (await addKey(t, organisation)).text;
  reader = (await addKey(t, organisation, "read")).text;
  ruleset = (await ask(t, "GET", "/v1/edl/ip-rulesets/?purpose=blocklist", { key })).body.items[0].id;
  await ask(t, "POST", `/v1/edl/ip-rulesets/${ruleset}/rules`, { key, body: { ip: "198.51.100.0/24" } });
});
after(() => t.close());

const create = (body: object, as = key): Promise<Answer> => ask(t, "POST", PATH, { key: as, body });
const get = async (id: string): Promise<any> => (await ask(t, "GET", PATH + id, { key })).body;
const becomes = (id: string, status: string) =>
  until(`the deployment is ${status}`, async () => (await get(id)).status === status);

test("from a ruleset to the list that a device reads; then with a read-only key", async () => {
  const made = await create({
    name: "edge",
    include: [{ ruleset: ruleset.toUpperCase() }],
    exclude: [{ prefixes: ["198.51.100.128/25", "2001:DB8:0::/48"] }],
  });
  assert.equal(made.status, 201, made.text);
  const { id } = made.body;
  assert.equal(made.headers.get("location"), PATH + id);
  assert.deepEqual(
    [made.body.include, made.body.exclude, made.body.firewall_format, made.body.update_frequency_seconds],
    [[{ ruleset }], [{ prefixes: ["198.51.100.128/25", "2001:db8::/48"] }], "text", 900],
  );
  await becomes(id, "ok");
  const { generation, ipv4_entries_count, ipv6_entries_count, last_accessed, reasons } = await get(id);
  assert.deepEqual([generation, ipv4_entries_count, ipv6_entries_count, last_accessed, reasons], [1, 1, 0, null, []]);
  const { body: told } = await ask(t, "GET", `${PATH}${id}/urls/`, { key: reader });
  assert.deepEqual(
    Object.entries<string[]>(told.urls).map(([name, urls]) => [name, urls.map((url) => url.replace(/.*\//, ""))]),
    [
      ["combined", ["combined.txt"]],
      ["ipv4", ["ipv4.txt"]],
      ["ipv6", ["ipv6.txt"]],
      ["checksums", ["combined.txt.sha256"]],
      ["unprocessable", []],
    ],
  );
  const list = await fetch(told.urls.combined[0]);
  assert.equal(await list.text(), "198.51.100.0/25\n");
  const { body: pulls } = await ask(t, "GET", `${PATH}${id}/pulls/`, { key: reader });
  assert.deepEqual(
    pulls.items.map(({ file, status, bytes }: any) => [file, status, bytes]),
    [["combined.txt", 200, 16]],
  );
  assert.equal((await get(id)).last_accessed, new Date(t.clock.now).toISOString());
  assert.equal((await create({ name: "x", include: [{ ruleset }] }, reader)).status, 403);
  const { body: page } = await ask(t, "GET", `${PATH}?page_size=1`, { key: reader });
  assert.deepEqual([page.count, page.items[0].id, page.next], [1, id, null]);
  const setActive = (active: boolean) => ask(t, "PATCH", PATH + id, { key, body: { active } });
  for (const [active, status] of [
    [false, 403],
    [true, 200],
  ] as const) {
    await setActive(active);
    assert.equal((await ask(t, "GET", `${PATH}${id}/urls/`, { key })).status, status);
  }
  assert.equal((await ask(t, "DELETE", PATH + id, { key })).status, 204);
  assert.equal((await ask(t, "GET", PATH + id, { key })).status, 404);
  assert.equal((await ask(t, "GET", `${PATH}${id}/urls/`, { key })).status, 410);
  const gone = await fetch(told.urls.combined[0]);
  await gone.body?.cancel();
  assert.equal(gone.status, 410);
});

test("formats have further names, in bodies and in queries; what is kept and shown is their own", async () => {
  const include = [{ prefixes: ["192.0.2.0/24"] }];
  const made = await create({ name: "Further", include, firewall_format: "plain" });
  assert.deepEqual([made.status, made.body.firewall_format], [201, "text"]);
  const { body } = await ask(t, "PATCH", PATH + made.body.id, { key, body: { firewall_format: "jsonl" } });
  assert.equal(body.firewall_format, "ndjson");
  const exported = (format: string) =>
    ask(t, "GET", `/v1/edl/ip-rulesets/${ruleset}/rules:export?format=${format}`, { key });
  for (const [further, own] of [
    ["plain", "text"],
    ["jsonl", "ndjson"],
  ] as const) {
    const { status, text } = await exported(further);
    assert.deepEqual([status, text], [200, (await exported(own)).text]);
  }
  for (const format of ["plain ", "constructor", "PLAIN"]) {
    assert.equal((await exported(encodeURIComponent(format))).status, 400);
    assert.equal((await create({ name: "x", include, firewall_format: format })).status, 400);
  }
  await ask(t, "DELETE", PATH + made.body.id, { key });
});

test("MMDB: exports and lists for devices; a rule where it keeps IPv4 refuses the list", async () => {
  const read = async (url: string): Promise<Reader<Response>> => {
    const response = await fetch(url, { headers: { "X-API-Key": key } });
    assert.deepEqual([response.status, response.headers.get("content-type")], [200, "application/octet-stream"]);
    return new Reader(Buffer.from(await response.arrayBuffer()));
  };
  const { body: made } = await ask(t, "POST", "/v1/edl/ip-rulesets/", {
    key,
    body: { name: "MMDB", purpose: "blocklist" },
  });
  const rules = `/v1/edl/ip-rulesets/${made.id}/rules`;
  await ask(t, "POST", rules, { key, body: { ip: "198.51.100.0/24", name: "tests" } });
  const expires_at = new Date(t.clock.now).toISOString();
  await ask(t, "PUT", `${rules}?max_shrink=100`, {
    key,
    body: {
      rules: [
        { ip: "198.51.100.0/24", name: "tests" },
        { ip: "203.0.113.1", expires_at },
      ],
    },
  });
  const path = `${t.server.url}${rules}:export?format=mmdb`;
  const [exported, all] = await Promise.all([read(path), read(`${path}&active_only=false`)]);
  assert.deepEqual(exported.get("198.51.100.7"), { names: ["tests"], prefix_length: 24 });
  assert.equal(exported.get("203.0.113.1"), null, "it has expired");
  assert.deepEqual(all.get("203.0.113.1"), { names: [], expires_at, prefix_length: 32 });
  const { body } = await create({ name: "Reader", include: [{ ruleset: made.id }], firewall_format: "mmdb" });
  await becomes(body.id, "ok");
  const { body: told } = await ask(t, "GET", `${PATH}${body.id}/urls/`, { key });
  assert.match(told.urls.combined[0], /combined\.mmdb$/);
  assert.deepEqual((await read(told.urls.combined[0])).get("198.51.100.7"), { names: [], prefix_length: 24 });
  const include = [{ ruleset: made.id }, { prefixes: ["::7:0/112"] }];
  await ask(t, "PATCH", PATH + body.id, { key, body: { include } });
  await becomes(body.id, "refused");
  assert.match((await get(body.id)).reasons[0].message, /MMDB keeps IPv4 at ::\/96/);
  await ask(t, "DELETE", PATH + body.id, { key });
});

test("invalid sources and options: each error names its field", async () => {
  const include = [{ prefixes: ["192.0.2.0/24"] }];
  const rows: readonly (readonly [body: object, field: string])[] = [
    [{ include: [] }, "include"],
    [{ include: [{}] }, "include[0]"],
    [{ include: [...include, { ruleset, cbs: "/cloud" }] }, "include[1]"],
    [{ include: [{ ruleset: crypto.randomUUID() }] }, "include[0]"],
    [{ include: [{ cbs: "/no/such/node" }] }, "include[0]"],
    [{ include, exclude: [{ prefixes: ["192.0.2.0/24", "192.0.2.1/24"] }] }, "exclude[0].prefixes[1]"],
    [{ include, firewall_format: "nftables", options: { chunk_entries: 1000 } }, "options.chunk_entries"],
    [{ include, firewall_format: "fortinet", options: { comments: true } }, "options.comments"],
    [{ include, firewall_format: "trie", options: { comments: true } }, "options.comments"],
    [{ include, firewall_format: "crowdsec-csv", purpose: "allowlist" }, "firewall_format"],
    [{ include, device: "toaster" }, "device"],
    [{ include, guard: "sometimes" }, "guard"],
    [{ include, name: "a\nb" }, "name"],
  ];
  for (const [body, field] of rows) {
    const answer = await create({ name: "x", ...body });
    assert.equal(answer.status, 400, answer.text);
    assert.deepEqual(Object.keys(answer.body.validation_errors), [field], answer.text);
  }
  const stranger = (await addKey(t, await addOrganisation(t, "stranger", ["edl"]))).text;
  assert.match((await create({ name: "x", include: [{ ruleset }] }, stranger)).text, /unknown ruleset/);
  assert.equal((await create({ name: "x", include: [{ cti: {} }] }, stranger)).status, 403);
});

test("a preview counts and shows why a list would be refused, and writes nothing", async () => {
  const { id } = (await create({ name: "p", include: [{ prefixes: ["192.0.2.0/24", "2001:db8::/32"] }] })).body;
  await becomes(id, "ok"); // previews name what differs from the published list
  const preview = (body: object) => ask(t, "POST", `${PATH}${id}:preview`, { key: reader, body });
  const as = await preview({ exclude: [{ prefixes: ["192.0.2.0/26"] }] });
  assert.equal(as.status, 200, as.text);
  const { entries, ipv4_entries_count, ipv4_addresses, removed_ipv4_entries, reasons, changes_at } = as.body;
  assert.deepEqual(
    [entries, ipv4_entries_count, ipv4_addresses, removed_ipv4_entries, reasons, changes_at],
    [["192.0.2.64/26", "192.0.2.128/25", "2001:db8::/32"], 2, "192", 1, [], null],
  );
  const made = async () => (await ask(t, "GET", PATH, { key: reader })).body.count as number;
  const before = await made();
  assert.ok(before > 0);
  // Without changes: no body is one without members, whether or not its type is named.
  const plain = (await preview({})).text;
  for (const headers of [{}, { "content-type": "application/json" }] as Record<string, string>[]) {
    const { status, text } = await ask(t, "POST", `${PATH}${id}:preview`, { key: reader, headers });
    assert.deepEqual([status, text], [200, plain]);
  }
  const unmade = await ask(t, "POST", `${PATH.slice(0, -1)}:preview`, {
    key: reader,
    body: { include: [{ prefixes: ["192.0.2.0/24", "2001:db8::/32"] }], firewall_format: "sophos" },
  });
  assert.deepEqual(
    [unmade.status, unmade.body.ipv4_entries_count, unmade.body.entries],
    [200, 256, ["192.0.2.0/24", "2001:db8::/32"]],
  );
  assert.equal(unmade.body.unprocessable_count, 1);
  assert.equal(unmade.body.unprocessable[0].prefix, "2001:db8::/32");
  assert.match(unmade.body.unprocessable[0].reason, /IPv4 addresses only/);
  assert.deepEqual(unmade.body.reasons, [
    { code: "unprocessable", message: "sophos cannot express 2001:db8::/32 (it takes IPv4 addresses only)" },
  ]);
  assert.equal(await made(), before);
  const long = await preview({ options: { max_entries: 1 } });
  assert.deepEqual(
    long.body.reasons.map(({ code }: any) => code),
    ["too-many-entries"],
  );
  assert.deepEqual((await get(id)).exclude, []);
  assert.equal((await ask(t, "DELETE", PATH + id, { key })).status, 204);
});

test("the lines of a file that lists what is not blocked are counted, and limited", async () => {
  const preview = async (body: object) => {
    const asked = { include: [{ prefixes: ["192.0.2.1"] }], firewall_format: "traefik", ...body };
    return (await ask(t, "POST", `${PATH.slice(0, -1)}:preview`, { key: reader, body: asked })).body;
  };
  const codes = ({ reasons }: any): string[] => reasons.map(({ code }: any) => code);
  const blocked = await preview({});
  assert.deepEqual([blocked.ipv4_entries_count, blocked.ipv6_entries_count], [32, 1]);
  const allowed = await preview({ purpose: "allowlist" });
  assert.deepEqual([allowed.ipv4_entries_count, allowed.ipv6_entries_count], [1, 0]);
  for (const [most, wanted] of [
    [33, []],
    [32, ["too-many-entries"]],
  ] as const)
    for (const overflow of ["refuse", "fit"]) {
      const options = { max_entries: most, overflow };
      assert.deepEqual(codes(await preview({ options })), wanted, JSON.stringify(options));
    }
});

test("a preview of a blocklist names what it would block but should not, unless that is excluded", async () => {
  const [allow] = (await ask(t, "GET", "/v1/edl/ip-rulesets/?purpose=allowlist", { key })).body.items;
  const rules = `/v1/edl/ip-rulesets/${allow.id}/rules`;
  assert.equal((await ask(t, "POST", rules, { key, body: { ip: "20.0.1.0/24" } })).status, 201);
  const preview = async (body: object) => {
    const asked = { include: [{ prefixes: ["20.0.0.0/22", "10.0.0.0/30"] }], ...body };
    const answer = await ask(t, "POST", `${PATH.slice(0, -1)}:preview`, { key: reader, body: asked });
    assert.equal(answer.status, 200, answer.text);
    return answer.body.warnings?.map(({ kind, ipv4_addresses: count, detail }: any) => [kind, count, detail]);
  };
  const allowed = ["allowed", "256", `would block 256 addresses that the allowlist "${allow.name}" allows`];
  const private4 = ["special-purpose", "4", "would block 4 addresses for special use (Private-Use)"];
  assert.deepEqual(await preview({}), [allowed, private4]);
  assert.deepEqual(await preview({ exclude: [{ ruleset: allow.id }] }), [private4]);
  assert.equal(await preview({ exclude: [{ ruleset: allow.id }, { prefixes: ["10.0.0.0/8"] }] }), undefined);
  assert.equal(await preview({ purpose: "allowlist" }), undefined);
  assert.equal((await ask(t, "DELETE", `${rules}/rule?ip=20.0.1.0/24`, { key })).status, 204);
});

test("an include that contradicts the purpose is named wherever the deployment is", async () => {
  const { items } = (await ask(t, "GET", "/v1/edl/ip-rulesets/", { key })).body;
  const [allow, block] = ["allowlist", "blocklist"].map((purpose) =>
    items.find((each: any) => each.purpose === purpose),
  );
  const url = "https://lists.example.com/own.txt";
  const own = await ask(t, "POST", "/v1/edl/lists/", {
    key,
    body: { name: "offices", url, active: false, never_block: true },
  });
  assert.equal(own.status, 201, own.text);
  const [ofAllow, ofBlock, ofOwn] = [{ ruleset: allow.id }, { ruleset: block.id }, { list: own.body.id }];
  for (const [purpose, include, wanted] of [
    [
      "blocklist",
      [ofBlock, ofAllow],
      [/^the allowlist ".*" is an include of a blocklist: devices block what it allows/],
    ],
    [
      "allowlist",
      [ofAllow, ofBlock],
      [/^the blocklist ".*" is an include of an allowlist: devices allow what it blocks/],
    ],
    [
      "blocklist",
      [ofOwn, ofAllow],
      [/^the external list "offices" has your own networks and is an include/, /^the allow/],
    ],
    ["allowlist", [ofOwn, ofAllow], []],
    ["blocklist", [ofBlock], []],
    ["other", [ofAllow, ofBlock, ofOwn], []],
  ] as const) {
    const { body } = await create({ name: "doubtful", purpose, include, guard: "off" });
    const read = await get(body.id);
    const previews = [
      await ask(t, "POST", `${PATH}${body.id}:preview`, { key: reader, body: {} }),
      await ask(t, "POST", `${PATH.slice(0, -1)}:preview`, { key: reader, body: { include, purpose, guard: "off" } }),
    ];
    for (const { doubtful_sources: texts } of [
      body,
      read,
      ...previews.flatMap(({ status, body }) => (status === 200 ? [body] : [])),
    ]) {
      assert.equal(texts.length, wanted.length, JSON.stringify(texts));
      for (const [index, pattern] of wanted.entries()) assert.match(texts[index], pattern);
    }
    assert.equal((await ask(t, "DELETE", PATH + body.id, { key })).status, 204);
  }
  assert.equal((await ask(t, "DELETE", `/v1/edl/lists/${own.body.id}`, { key })).status, 204);
});

test("a preview says how the list differs from what devices have", async () => {
  const { id } = (await create({ name: "differs", include: [{ prefixes: ["192.0.2.0/24", "2001:db8::/32"] }] })).body;
  await becomes(id, "ok");
  const preview = async (body: object) =>
    (await ask(t, "POST", `${PATH}${id}:preview`, { key: reader, body })).body.difference;
  const none = { ipv4_addresses: "0", ipv6_addresses: "0", prefixes: [] };
  const before = { ipv4_entries_before: 1, ipv6_entries_before: 1 };
  assert.deepEqual(await preview({ firewall_format: "paloalto" }), { ...before, listed: none, unlisted: none });
  assert.deepEqual(
    await preview({ exclude: [{ prefixes: ["192.0.2.0/26"] }], include: [{ prefixes: ["192.0.2.0/23"] }] }),
    {
      ...before,
      listed: { ipv4_addresses: "256", ipv6_addresses: "0", prefixes: ["192.0.3.0/24"] },
      unlisted: {
        ipv4_addresses: "64",
        ipv6_addresses: String(2n ** 96n),
        prefixes: ["192.0.2.0/26", "2001:db8::/32"],
      },
    },
  );
  const body = { include: [{ prefixes: ["192.0.2.0/24"] }] };
  assert.equal(
    (await ask(t, "POST", `${PATH.slice(0, -1)}:preview`, { key: reader, body })).body.difference,
    undefined,
  );
  assert.equal((await ask(t, "DELETE", PATH + id, { key })).status, 204);
});

const textOf = async (id: string): Promise<string> => {
  const { urls } = (await ask(t, "GET", `${PATH}${id}/urls/`, { key })).body;
  return (await fetch(urls.combined[0])).text();
};

test("a deployment from before a property existed has the value of new ones", async () => {
  const definition = definitionOf({ include: [{ prefixes: ["192.0.2.0/24"] }] });
  assert.ok(!("guard" in definition));
  const by = { actor: "command:test", at: t.clock.now, organisationId: organisation };
  const { deployment } = await t.server.store.write({ kind: "create-deployment", ...by, name: "older", definition });
  const { guard, guard_classes } = await get(deployment.id);
  assert.deepEqual([guard, guard_classes], ["warn", null]);
});

test(
  "refuse: the previous list stays until someone approves what the new one blocks, and no more than that",
  { skip: onlyLong() },
  async () => {
    const [allow] = (await ask(t, "GET", "/v1/edl/ip-rulesets/?purpose=allowlist", { key })).body.items;
    const rules = `/v1/edl/ip-rulesets/${allow.id}/rules`;
    const made = await create({ name: "guarded", guard: "refuse", include: [{ prefixes: ["20.5.0.0/24"] }] });
    const { id } = made.body;
    assert.equal(made.body.guard, "refuse");
    await becomes(id, "ok");
    const add = (ip: string) => ask(t, "POST", rules, { key, body: { ip } });
    await add("20.5.0.0/28");
    await becomes(id, "refused");
    const first = await get(id);
    assert.deepEqual(first.reasons, [
      {
        code: "collateral",
        message: `it would block 16 addresses that the allowlist "${allow.name}" allows`,
      },
    ]);
    assert.equal(await textOf(id), "20.5.0.0/24\n");
    const publish = async (generation: number) =>
      assert.equal((await ask(t, "POST", `${PATH}${id}:publish`, { key, body: { generation } })).status, 200);
    await publish(first.refused_generation);
    await becomes(id, "ok");
    const { accepted } = t.server.services.memory.deploymentById(id)!.published!;
    assert.deepEqual(accepted, [{ id: allow.id, ipv4_addresses: "16", ipv6_addresses: "0" }]);
    await ask(t, "PATCH", PATH + id, { key, body: { include: [{ prefixes: ["20.5.0.0/25"] }] } });
    await until("the same addresses are not refused again", async () => (await textOf(id)) === "20.5.0.0/25\n");
    await add("20.5.0.64");
    await becomes(id, "refused");
    assert.match((await get(id)).reasons[0].message, /would block 17 addresses/);
    await ask(t, "DELETE", `${rules}/rule?ip=20.5.0.64`, { key });
    await becomes(id, "ok");
    await ask(t, "PATCH", PATH + id, { key, body: { include: [{ prefixes: ["192.0.2.0/25"] }] } });
    await becomes(id, "refused");
    assert.match((await get(id)).reasons[0].message, /would block 128 addresses of cloudflare \(\/cdn\/cloudflare\)$/);
    assert.equal(await textOf(id), "20.5.0.0/25\n");
    await ask(t, "PATCH", PATH + id, { key, body: { guard: "off" } });
    await until("nothing is guarded", async () => (await textOf(id)) === "192.0.2.0/25\n");
    assert.equal((await ask(t, "DELETE", PATH + id, { key })).status, 204);
    await ask(t, "DELETE", `${rules}/rule?ip=20.5.0.0/28`, { key });
  },
);

test("a release covers what was refused: a list that would block more by then is refused again", async () => {
  const [allow] = (await ask(t, "GET", "/v1/edl/ip-rulesets/?purpose=allowlist", { key })).body.items;
  const rules = `/v1/edl/ip-rulesets/${allow.id}/rules`;
  const add = (ip: string) => ask(t, "POST", rules, { key, body: { ip } });
  await add("20.7.0.0");
  const { id } = (await create({ name: "released", guard: "refuse", include: [{ prefixes: ["20.7.0.0/24"] }] })).body;
  let seen = 1;
  let status: number;
  // The list may be compiled again between the two requests: then it has another number, and is not released.
  do {
    await until("what was added is refused", async () => {
      const [reason] = (await get(id)).reasons;
      return reason?.message.startsWith(`it would block ${seen} address`);
    });
    const { refused_generation: generation } = await get(id);
    await add(`20.7.0.${seen++}`);
    ({ status } = await ask(t, "POST", `${PATH}${id}:publish`, { key, body: { generation } }));
  } while (status === 409);
  assert.equal(status, 200);
  await until("it is refused again, or published", async () => {
    const { generation, reasons } = await get(id);
    return generation > 0 || reasons[0].message.startsWith(`it would block ${seen} addresses`);
  });
  const { generation, refused_generation } = await get(id);
  assert.equal(generation, 0, "no one has seen what it would block now");
  const released = await ask(t, "POST", `${PATH}${id}:publish`, { key, body: { generation: refused_generation } });
  assert.equal(released.status, 200);
  await becomes(id, "ok");
  assert.equal((await ask(t, "DELETE", PATH + id, { key })).status, 204);
  for (let last = 0; last < seen; last++) await ask(t, "DELETE", `${rules}/rule?ip=20.7.0.${last}`, { key });
});

test("guards protect services after the plan for them has ended, but not if there never was one", async () => {
  const lists = { guard: "carve", include: [{ prefixes: ["192.0.2.0/25", "20.8.0.0/25"] }] };
  const [ended, never] = [await addOrganisation(t, "ended"), await addOrganisation(t, "never", ["edl"])];
  const make = async (organisationId: string) => {
    const own = (await addKey(t, organisationId)).text;
    const { body } = await create({ name: "guarded", ...lists }, own);
    const { urls } = (await ask(t, "GET", `${PATH}${body.id}/urls/`, { key: own })).body;
    const text = async () => (await fetch(urls.combined[0])).text();
    const include = (prefixes: string[]) =>
      ask(t, "PATCH", PATH + body.id, { key: own, body: { include: [{ prefixes }] } });
    const [{ id: block }] = (await ask(t, "GET", "/v1/edl/ip-rulesets/?purpose=blocklist", { key: own })).body.items;
    const rule = { key: own, body: { ip: "192.0.2.1" } };
    const warnings = async () => (await ask(t, "POST", `/v1/edl/ip-rulesets/${block}/rules`, rule)).body.warnings;
    return { text, include, warnings };
  };
  const other = await make(never);
  await until("nothing is protected", async () => (await other.text()) === "20.8.0.0/25\n192.0.2.0/25\n");
  assert.equal(await other.warnings(), undefined);
  const plan = { area: "cbs", active: true, perMinute: null, perMonth: null } as const;
  const set = (until: number) =>
    t.server.store.write({
      kind: "set-plan",
      actor: "command:test",
      at: t.clock.now,
      organisationId: ended,
      ...plan,
      until,
    });
  await set(t.clock.now + HOUR);
  const own = await make(ended);
  await until("services are protected", async () => (await own.text()) === "20.8.0.0/25\n");
  t.clock.now += HOUR;
  await own.include(["192.0.2.0/25", "20.8.0.0/24"]);
  await until("the list is made again", async () => (await own.text()).includes("20.8.0.0/24\n"));
  assert.equal(await own.text(), "20.8.0.0/24\n");
  assert.deepEqual(
    (await own.warnings()).map(({ name }: any) => name),
    ["cloudflare"],
  );
});

test("carve: services and allowed addresses are left out, as long as they are allowed", async () => {
  const [allow] = (await ask(t, "GET", "/v1/edl/ip-rulesets/?purpose=allowlist", { key })).body.items;
  const include = [{ prefixes: ["20.6.0.0/24", "192.0.2.0/24", "198.51.100.0/24"] }];
  const { id } = (await create({ name: "carved", guard: "carve", include, exclude: [] })).body;
  await until("no service is listed", async () => (await textOf(id)) === "20.6.0.0/24\n198.51.100.0/24\n");
  const expires_at = new Date(t.clock.now + HOUR).toISOString();
  await ask(t, "POST", `/v1/edl/ip-rulesets/${allow.id}/rules`, { key, body: { ip: "20.6.0.128/25", expires_at } });
  await until("nor what is allowed", async () => (await textOf(id)) === "20.6.0.0/25\n198.51.100.0/24\n");
  const { body } = await ask(t, "POST", `${PATH}${id}:preview`, { key: reader, body: {} });
  assert.deepEqual(
    body.warnings.map(({ detail }: any) => detail),
    [
      "leaves out 256 addresses of cloudflare (/cdn/cloudflare)",
      "leaves out 256 addresses of aws (/cloud/aws)",
      `leaves out 128 addresses that the allowlist "${allow.name}" allows`,
    ],
  );
  assert.deepEqual([body.entries, body.changes_at], [["20.6.0.0/25", "198.51.100.0/24"], expires_at]);
  const explain = async (ip: string) => {
    const { deployments } = (await ask(t, "POST", "/v1/edl/ip-rulesets:explain", { key, body: { ip } })).body;
    const { contains, decided_by } = deployments.find((each: any) => each.id === id);
    return [contains, decided_by];
  };
  assert.deepEqual(await explain("20.6.0.200"), ["none", "guard"]);
  assert.deepEqual(await explain("20.6.0.0/24"), ["part", "guard"]);
  assert.deepEqual(await explain("20.6.0.1"), ["all", "include"]);
  t.clock.now += HOUR;
  await until("it is allowed no more", async () => (await textOf(id)) === "20.6.0.0/24\n198.51.100.0/24\n");
  await ask(t, "PATCH", PATH + id, { key, body: { include: [{ prefixes: ["192.0.2.0/25"] }] } });
  await becomes(id, "refused");
  assert.equal((await get(id)).reasons[0].code, "empty");
  assert.equal((await ask(t, "DELETE", PATH + id, { key })).status, 204);
});

test("an ETag shows whether a deployment has changed; If-Match depends on what users decide, not on its list", async () => {
  const { id } = (await create({ name: "tagged", include: [{ prefixes: ["192.0.2.0/24"] }] })).body;
  const read = (headers: Record<string, string> = {}) => ask(t, "GET", PATH + id, { key, headers });
  const first = (await read()).headers.get("etag")!;
  await becomes(id, "ok");
  const now = (await read()).headers.get("etag")!;
  assert.notEqual(now, first, "there is a list now");
  assert.equal((await read({ "If-None-Match": now })).status, 304);
  const change = (tag: string, name: string) =>
    ask(t, "PATCH", PATH + id, { key, body: { name }, headers: { "If-Match": tag } });
  assert.equal((await change(first, "renamed")).status, 200);
  const late = await change(now, "again");
  assert.deepEqual([late.status, late.body.detail], [412, "the deployment has changed since; read it again"]);
  for (const tag of [now, `W/${now}`, '"1-0"'])
    assert.equal((await ask(t, "DELETE", PATH + id, { key, headers: { "If-Match": tag } })).status, 412);
  assert.equal((await change("*", "renamed")).status, 200);
  const { headers } = await read();
  assert.equal((await ask(t, "DELETE", PATH + id, { key, headers: { "If-Match": headers.get("etag")! } })).status, 204);
});

test("a device implies a format and limits; prefixes that the format cannot express have a file of their own", async () => {
  const body = { name: "d", include: [{ prefixes: ["192.0.2.0/24", "2001:db8::/32"] }] };
  const { body: made } = await create({ ...body, device: "sonicwall-25k" });
  assert.equal(made.device, "sonicwall-25k");
  const options = { unprocessable: "omit" };
  const { id } = (await create({ ...body, firewall_format: "sophos", options })).body;
  await becomes(id, "ok");
  assert.equal((await get(id)).unprocessable_count, 1);
  const { urls } = (await ask(t, "GET", `${PATH}${id}/urls/`, { key })).body;
  assert.equal(urls.unprocessable.length, 1);
  assert.equal(await (await fetch(urls.unprocessable[0])).text(), "2001:db8::/32\n");
});

test("a wider rule never empties the list of a device: it is refused, or left out if the deployment says so", async () => {
  const narrow = { include: [{ prefixes: ["45.1.0.0/24"] }] };
  const wide = { include: [{ prefixes: ["45.1.0.0/24", "45.0.0.0/12"] }] };
  const made = await create({ name: "wide", ...narrow, firewall_format: "sophos" });
  const { id } = made.body;
  await becomes(id, "ok");
  assert.equal((await get(id)).ipv4_entries_count, 256);
  const { urls } = (await ask(t, "GET", `${PATH}${id}/urls/`, { key })).body;
  const lines = async (): Promise<number> => (await (await fetch(urls.combined[0])).text()).split("\n").length - 1;
  const change = (body: object) => ask(t, "PATCH", PATH + id, { key, body });
  await change(wide);
  await becomes(id, "refused");
  assert.match((await get(id)).reasons[0].message, /^sophos cannot express 45\.0\.0\.0\/12 \(/);
  assert.equal(await lines(), 256);
  await change({ options: { unprocessable: "omit" } });
  await becomes(id, "ok");
  const { unprocessable_count, ipv4_entries_count, options } = await get(id);
  assert.deepEqual([unprocessable_count, ipv4_entries_count, options], [1, 256, { unprocessable: "omit" }]);
  assert.equal(await lines(), 256);
  const { body: told } = await ask(t, "GET", `${PATH}${id}/urls/`, { key });
  assert.equal(await (await fetch(told.urls.unprocessable[0])).text(), "45.0.0.0/12\n");
  // Nothing that is left can be expressed: an empty list would be worse than the previous one.
  await change({ include: [{ prefixes: ["45.0.0.0/12"] }] });
  await becomes(id, "refused");
  assert.deepEqual((await get(id)).reasons[0].code, "empty");
  await change({ include: [{ prefixes: Array.from({ length: 17 }, (_, at) => `45.${at}.0.0/16`) }] });
  await until("it is too long", async () => (await get(id)).reasons[0].code === "too-many-entries");
  assert.equal(await lines(), 256);
});

test("a zone's serial number is the generation's; it rises by one with each change of the list", async () => {
  const { id } = (await create({ name: "z", include: [{ prefixes: ["192.0.2.0/24"] }], firewall_format: "rpz" })).body;
  await becomes(id, "ok");
  const [url] = (await ask(t, "GET", `${PATH}${id}/urls/`, { key })).body.urls.combined;
  const serial = async () => / localhost\. root\.localhost\. (\d+) /.exec(await (await fetch(url)).text())?.[1];
  assert.equal(await serial(), "1");
  await ask(t, "PATCH", PATH + id, { key, body: { include: [{ prefixes: ["192.0.2.0/25"] }] } });
  await until("the zone has changed", async () => (await serial()) === "2");
});

test("a refused list is released only by its own number", async () => {
  const { id } = (await create({ name: "r", include: [{ prefixes: ["192.0.2.1", "192.0.2.9"] }] })).body;
  const publish = (generation: number) => ask(t, "POST", `${PATH}${id}:publish`, { key, body: { generation } });
  assert.equal((await publish(1)).status, 409);
  await ask(t, "PATCH", PATH + id, { key, body: { options: { max_entries: 1 } } });
  await becomes(id, "refused");
  const { refused_generation, reasons } = await get(id);
  assert.deepEqual([refused_generation, reasons[0].code], [1, "too-many-entries"]);
  assert.equal((await publish(2)).status, 409);
  assert.equal((await publish(1)).status, 200);
  for (const [max_entries, status] of [
    [2, "ok"],
    [1, "refused"],
  ] as const) {
    await ask(t, "PATCH", PATH + id, { key, body: { options: { max_entries } } });
    await becomes(id, status);
  }
  assert.equal((await get(id)).refused_generation, 2, "no number is used again");
  const again = await publish(1);
  assert.deepEqual([again.status, /now has the number 2, not 1/.test(again.text)], [409, true], again.text);
});

test("what is there already is not checked again: a deployment whose sources are gone can be paused and renamed", async () => {
  const own = await addOrganisation(t, "gone");
  const its = (await addKey(t, own)).text;
  const call = (method: string, path: string, body?: object) => ask(t, method, path, { key: its, body });
  const { id: rules } = (await call("POST", "/v1/edl/ip-rulesets/", { name: "gone", purpose: "blocklist" })).body;
  const prefixes = ["192.0.2.0/24"];
  const list = (await call("POST", "/v1/edl/lists/", { name: "gone", url: "https://lists.invalid/", active: false }))
    .body;
  const include = [{ ruleset: rules }, { list: list.id }, { prefixes }];
  const { body: made } = await call("POST", PATH, { name: "x", include, exclude: [{ cbs: "/cdn/cloudflare" }] });
  for (const path of [`/v1/edl/ip-rulesets/${rules}`, `/v1/edl/lists/${list.id}`])
    assert.equal((await call("DELETE", path)).status, 204);
  const plan = { area: "cbs", active: false, perMinute: null, perMonth: null, until: null } as const;
  await t.server.store.write({
    kind: "set-plan",
    actor: "command:test",
    at: t.clock.now,
    organisationId: own,
    ...plan,
  });
  for (const body of [
    { active: false },
    { name: "renamed" },
    { include: include.slice(1) },
    { exclude: made.exclude },
    { active: true },
  ]) {
    const { status, text } = await call("PATCH", PATH + made.id, body);
    assert.equal(status, 200, `${JSON.stringify(body)}: ${text}`);
  }
  const added = async (body: object) => (await call("PATCH", PATH + made.id, body)).status;
  assert.equal(await added({ include: [...include, { ruleset: crypto.randomUUID() }] }), 400);
  assert.equal(await added({ exclude: [...made.exclude, { cbs: "/cloud/aws" }] }), 403);
});

test("only admins replace URLs and passwords, in the dashboard; the password is shown once", async () => {
  const { id } = (await create({ name: "c", include: [{ ruleset }] })).body;
  await becomes(id, "ok");
  assert.equal((await ask(t, "POST", `${PATH}${id}:rotate`, { key, body: { credential: "url" } })).status, 404);
  const admin = await addUser(t, organisation, "admin");
  const rotate = (body: object) => visit(t, "POST", `/edl/deployments/${id}:rotate`, { token: admin.token, body });
  const { urls } = (await ask(t, "GET", `${PATH}${id}/urls/`, { key })).body;
  const replaced = await rotate({ credential: "url", grace_hours: 1 });
  assert.deepEqual(replaced.body, {
    password: null,
    previous_valid_until: new Date(t.clock.now + HOUR).toISOString(),
    previous_urls: [
      {
        replaced_at: new Date(t.clock.now).toISOString(),
        valid_until: new Date(t.clock.now + HOUR).toISOString(),
      },
    ],
  });
  const now = (await ask(t, "GET", `${PATH}${id}/urls/`, { key })).body.urls;
  assert.notEqual(now.combined[0], urls.combined[0]);
  for (const url of [urls.combined[0], now.combined[0]]) assert.equal((await fetch(url)).status, 200);
  const { password } = (await rotate({ credential: "password" })).body;
  const byPassword = () =>
    ask(t, "GET", `/feeds/${id}/combined.txt`, { headers: { Authorization: `Basic ${btoa(`x:${password}`)}` } });
  assert.equal((await byPassword()).text, "198.51.100.0/24\n");
  await rotate({ credential: "password" });
  assert.equal((await byPassword()).status, 401);
  assert.ok(!JSON.stringify(await get(id)).includes(password));
});
