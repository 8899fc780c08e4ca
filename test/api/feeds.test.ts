import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { statSync } from "node:fs";
import { join } from "node:path";
import { commentOf } from "../../src/formats/comment.ts";
import type { DefinitionChanges, Deployment, DeploymentDefinition } from "../../src/store/records/deployment.ts";
import { parsePrefix } from "../../src/address/prefix.ts";
import { makeToken } from "../../src/service/access/secret-token.ts";
import { until } from "../until.ts";
import { addOrganisation, ask, startServer, type TestServer } from "./start-server.ts";
import { onlyLong } from "../rounds.ts";
import { definitionOf } from "../deployments/definition-of.ts";

const DAY = 86_400_000;
const DEFINITION = definitionOf({
  include: [{ prefixes: ["192.0.2.0/24", "198.51.100.0/25", "2001:db8::/32"] }],
  exclude: [{ prefixes: ["192.0.2.128/25"] }],
});
const LIST = "192.0.2.0/25\n198.51.100.0/25\n2001:db8::/32\n";

let t: TestServer;
let organisationId = "";

before(async () => {
  t = await startServer({ failuresPerMinute: 1000 });
  organisationId = await addOrganisation(t, "feeds");
});
after(() => t.close());

const by = (organisation = organisationId) => ({
  actor: "command:test",
  at: t.clock.now,
  organisationId: organisation,
});

async function deploy(definition: Partial<DeploymentDefinition> = {}, organisation?: string): Promise<Deployment> {
  const { deployment } = await t.server.store.write({
    kind: "create-deployment",
    ...by(organisation),
    name: "edge",
    definition: { ...DEFINITION, ...definition },
  });
  return deployment;
}

async function deployed(definition: Partial<DeploymentDefinition> = {}, organisation?: string): Promise<Deployment> {
  const deployment = await deploy(definition, organisation);
  await until("the list is published", () => t.server.services.publishing.lists.served(deployment.id) !== undefined);
  return deployment;
}

const urlOf = (deployment: Deployment, file = "combined.txt"): string =>
  `/feeds/${t.server.services.publishing.feedTokens.tokenOf(deployment)}/${file}`;
const fetchFeed = (path: string, headers: Record<string, string> = {}, method = "GET") =>
  ask(t, method, path, { headers: { "Accept-Encoding": "identity", ...headers } });

test("a feed has the includes without the excludes, for both families and each, with checksums; HEAD has its length", async () => {
  const deployment = await deployed();
  const whole = await fetchFeed(urlOf(deployment));
  assert.deepEqual([whole.status, whole.text], [200, LIST]);
  assert.equal(whole.headers.get("content-type"), "text/plain; charset=utf-8");
  assert.equal((await fetchFeed(urlOf(deployment, "ipv4.txt"))).text, "192.0.2.0/25\n198.51.100.0/25\n");
  assert.equal((await fetchFeed(urlOf(deployment, "ipv6.txt"))).text, "2001:db8::/32\n");
  for (const kind of ["md5", "sha256"]) {
    const sum = await fetchFeed(urlOf(deployment, `combined.txt.${kind}`));
    assert.equal(sum.text, `${createHash(kind).update(LIST).digest("hex")}  combined.txt\n`);
  }
  const head = await fetchFeed(urlOf(deployment), {}, "HEAD");
  assert.deepEqual([head.status, head.text, head.headers.get("content-length")], [200, "", String(LIST.length)]);
  assert.equal(head.headers.get("etag"), whole.headers.get("etag"));
  for (const name of ["combined.csv", "combined-001.txt", "toString.txt", "ipv4.txt.sha1"])
    assert.equal((await fetchFeed(urlOf(deployment, name))).status, 404, name);
});

test("a binary trie is served as bytes, for both families and each, and is not divided", async () => {
  const deployment = await deployed({ firewall_format: "trie" });
  const response = await fetch(t.server.url + urlOf(deployment, "combined.bin"));
  assert.equal(response.headers.get("content-type"), "application/octet-stream");
  const bytes = Buffer.from(await response.arrayBuffer());
  assert.equal(bytes.toString("latin1", 0, 9), "ELLIOTRIE");
  const sum = await fetchFeed(urlOf(deployment, "combined.bin.sha256"));
  assert.equal(sum.text, `${createHash("sha256").update(bytes).digest("hex")}  combined.bin\n`);
  const ipv6 = Buffer.from(await (await fetch(t.server.url + urlOf(deployment, "ipv6.bin"))).arrayBuffer());
  assert.deepEqual([ipv6.readUInt32BE(12), ipv6.length], [33, 24 + 9 * 33]);
  assert.equal((await fetchFeed(urlOf(deployment, "combined.txt"))).status, 404);
  const tooLong = await deploy({ firewall_format: "trie", options: { max_bytes: 100 } });
  await until("it is refused", () => t.server.services.memory.deploymentById(tooLong.id)!.refused !== null);
  const { refused } = t.server.services.memory.deploymentById(tooLong.id)!;
  assert.match(
    refused!.reasons[0]!.message,
    new RegExp(`the list has ${bytes.length} bytes, more than the 100 allowed`),
  );
});

test("unchanged content gets 304 by tag and by date, even after a restart; compressed bodies have tags of their own", async () => {
  const prefixes = Array.from({ length: 400 }, (_, i) => `203.0.${i >> 8}.${i & 255}`).filter((_, i) => i % 2 === 0);
  const deployment = await deployed({ include: [{ prefixes }], exclude: [] });
  t.clock.now += 1000;
  const first = await fetchFeed(urlOf(deployment));
  const tag = first.headers.get("etag")!;
  const date = first.headers.get("last-modified")!;
  await t.restart();
  const again = await fetchFeed(urlOf(deployment));
  assert.deepEqual([again.text, again.headers.get("etag")], [first.text, tag]);
  assert.equal((await fetchFeed(urlOf(deployment), { "If-None-Match": tag })).status, 304);
  assert.equal((await fetchFeed(urlOf(deployment), { "If-Modified-Since": date })).status, 304);
  assert.equal((await fetchFeed(urlOf(deployment), { "If-None-Match": '"x"', "If-Modified-Since": date })).status, 200);
  const response = await fetch(t.server.url + urlOf(deployment), { headers: { "Accept-Encoding": "gzip" } });
  const coded = response.headers.get("etag")!;
  assert.deepEqual([response.headers.get("content-encoding"), await response.text()], ["gzip", first.text]);
  assert.notEqual(coded, tag);
  const known = { "Accept-Encoding": "gzip", "If-None-Match": coded };
  assert.equal((await fetchFeed(urlOf(deployment), known)).status, 304);
  const { bytes } = await t.server.services.publishing.feedBytes.coded(
    {
      deployment: t.server.services.memory.deploymentById(deployment.id)!,
      list: t.server.services.publishing.lists.served(deployment.id)!,
      file: { part: "combined", chunk: null, checksum: null },
      now: t.clock.now,
    },
    "gzip",
    () => assert.fail("it has been coded"),
  );
  assert.equal(gunzipSync(bytes).toString(), first.text);
});

/** Headers that differ from one response to the next; and the framework sends a length of 0 with a 304 for HEAD. */
const OWN = new Set(["date", "x-request-id", "ratelimit-reset"]);

function comparable({ status, text, headers }: Awaited<ReturnType<typeof fetchFeed>>) {
  const compared = [...headers].filter(([name]) => !OWN.has(name) && (status !== 304 || name !== "content-length"));
  return { status, text, headers: compared.sort() };
}

test("a device that has the list gets the same response from the fast path and the ordinary one, until something changes", async () => {
  const deployment = await deployed();
  t.clock.now += 5000;
  const url = urlOf(deployment);
  const { sentFeeds } = t.server.services.publishing;
  const first = await fetchFeed(url);
  const tag = first.headers.get("etag")!;
  assert.equal(sentFeeds.find(url)?.tag, tag, "negative control: the short way is there");
  for (const known of [tag, tag.replace(/"$/, '.gzip"'), '"another"', `${tag}, "another"`, "*"])
    for (const coding of ["identity", "gzip", "br, gzip;q=0", "identity;q=0"])
      for (const method of ["GET", "HEAD"]) {
        const headers = { "If-None-Match": known, "Accept-Encoding": coding };
        const short = await fetchFeed(url, headers, method);
        // A query is not part of the file's name, but makes the request take the ordinary path.
        assert.deepEqual(
          comparable(short),
          comparable(await fetchFeed(`${url}?`, headers, method)),
          `${known} ${coding}`,
        );
      }
  const { pulls } = await t.server.services.publishing.pulls.logOf(deployment.id);
  const [ordinary, short] = pulls.filter(({ status }) => status === 304);
  assert.deepEqual(short, { ...ordinary, at: short!.at });
  const status = async (): Promise<number> => (await fetchFeed(url, { "If-None-Match": tag })).status;
  await t.server.store.write({
    kind: "update-deployment",
    ...by(),
    deploymentId: deployment.id,
    definition: { ...deployment.definition, include: [{ prefixes: ["192.0.2.0/24"] }] },
  });
  await until(
    "it is published",
    () => t.server.services.publishing.lists.served(deployment.id)!.published.generation === 2,
  );
  assert.equal(await status(), 200);
  t.clock.now += 5000;
  const current = t.server.services.memory.deploymentById(deployment.id)!;
  const definition = { ...current.definition, active: false };
  await t.server.store.write({ kind: "update-deployment", ...by(), deploymentId: deployment.id, definition });
  await until("it is not active", () => !t.server.services.memory.deploymentById(deployment.id)!.definition.active);
  assert.equal(await status(), 403);
});

test("the fast path ends with the grace time of a token, and with that of the plan", async () => {
  const other = await addOrganisation(t, "short way");
  const deployment = await deployed({}, other);
  const url = urlOf(deployment);
  const tag = (await fetchFeed(url)).headers.get("etag")!;
  const status = async (): Promise<number> => (await fetchFeed(url, { "If-None-Match": tag })).status;
  assert.equal(await status(), 304);
  await t.server.store.write({
    kind: "rotate-deployment",
    ...by(other),
    deploymentId: deployment.id,
    credential: { url: true },
    graceUntil: t.clock.now + 1000,
  });
  assert.deepEqual([await status(), await status()], [304, 304]);
  t.clock.now += 1000;
  assert.equal(await status(), 403);
});

test("lists that change twice in a second have distinct dates, for devices that use only the date", async () => {
  t.clock.now += 1000 - (t.clock.now % 1000);
  const second = t.clock.now;
  const deployment = await deployed();
  const get = async (since?: string) => {
    const found = await fetchFeed(urlOf(deployment), since === undefined ? {} : { "If-Modified-Since": since });
    return { status: found.status, text: found.text, date: found.headers.get("last-modified")! };
  };
  const first = await get();
  assert.deepEqual([first.text, Date.parse(first.date)], [LIST, second - 1000]);
  t.clock.now = second + 900;
  const definition = { include: [{ prefixes: ["9.9.9.0/24"] }], exclude: [] };
  await t.server.store.write({ kind: "update-deployment", ...by(), deploymentId: deployment.id, definition });
  await until(
    "it is published",
    () => t.server.services.publishing.lists.served(deployment.id)!.published.generation === 2,
  );
  t.clock.now = second + 5000;
  const later = await get(first.date);
  assert.deepEqual([later.status, later.text, Date.parse(later.date)], [200, "9.9.9.0/24\n", second]);
  assert.equal((await get(later.date)).status, 304);
});

test("a list that changes after the clock was set back is sent, whatever date the device has from before", async () => {
  const start = t.clock.now;
  const deployment = await deployed();
  t.clock.now += 5000;
  const { headers } = await fetchFeed(urlOf(deployment));
  const since = { "If-Modified-Since": headers.get("last-modified")! };
  t.clock.now = start - 3_600_000;
  assert.equal((await fetchFeed(urlOf(deployment), since)).status, 304, "it has not changed");
  const definition = { include: [{ prefixes: ["9.9.9.0/24"] }], exclude: [] };
  await t.server.store.write({ kind: "update-deployment", ...by(), deploymentId: deployment.id, definition });
  await until(
    "it is published",
    () => t.server.services.publishing.lists.served(deployment.id)!.published.generation === 2,
  );
  for (const now of [t.clock.now, t.clock.now + 60_000, start + 3_600_000]) {
    t.clock.now = now;
    const { status, text } = await fetchFeed(urlOf(deployment), since);
    assert.deepEqual([status, text], [200, "9.9.9.0/24\n"], `at ${new Date(now).toISOString()}`);
  }
});

test("responses in error cases: a firewall stops enforcing only when it should", async () => {
  const deployment = await deployed();
  const path = urlOf(deployment);
  const { text, digest } = makeToken();
  const basic = (password: string) => ({ Authorization: `Basic ${btoa(`any:${password}`)}` });
  const byId = `/feeds/${deployment.id}/combined.txt`;
  await rotate(deployment, { password: digest });
  const wrongToken = path.replace(/.(?=\/combined)/, (last) => (last === "A" ? "B" : "A"));
  const rows: readonly (readonly [what: string, path: string, headers: Record<string, string>, status: number])[] = [
    ["a token", path, {}, 200],
    ["a password", byId, basic(text), 200],
    ["another token", wrongToken, {}, 403],
    ["no token at all", "/feeds/x/combined.txt", {}, 403],
    ["no password", byId, {}, 401],
    ["another password", byId, basic("wrong"), 401],
    ["no password, and no file", `/feeds/${deployment.id}/`, {}, 401],
    ["a password, and no file", `/feeds/${deployment.id}/`, basic(text), 404],
    ["another token, and no file", wrongToken.replace("combined.txt", ""), {}, 403],
    ["a token, and no file", path.replace("combined.txt", ""), {}, 404],
    ["no such deployment", `/feeds/${crypto.randomUUID()}/combined.txt`, basic(text), 401],
  ];
  for (const [what, url, headers, status] of rows) {
    const found = await fetchFeed(url, headers);
    assert.equal(found.status, status, what);
    assert.equal(found.headers.get("www-authenticate")?.startsWith("Basic ") ?? false, status === 401, what);
  }
  const change = (definition: Partial<DeploymentDefinition>) =>
    t.server.store.write({ kind: "update-deployment", ...by(), deploymentId: deployment.id, definition });
  await change({ active: false });
  assert.equal((await fetchFeed(path)).status, 403, "not active");
  await change({ active: true });
  assert.equal((await fetchFeed(path)).status, 200, "active again");
  const pending = await deploy({ include: [{ ruleset: crypto.randomUUID() }] });
  const none = await fetchFeed(urlOf(pending));
  assert.deepEqual([none.status, none.headers.get("retry-after")], [503, "5"], "never made");
  await t.server.store.write({ kind: "delete-deployment", ...by(), deploymentId: deployment.id });
  assert.equal((await fetchFeed(path)).status, 410, "deleted");
  assert.equal((await fetchFeed(byId, basic(text))).status, 410, "deleted");
  assert.equal((await fetchFeed(byId, basic("wrong"))).status, 401, "deleted, for those who do not have its password");
  assert.ok(!t.logged().includes(path.split("/")[2]!), "no token is logged");
  assert.match(t.logged(), /"path":"\/feeds\/ipf_\[redacted\]\/combined.txt"/);
  if (process.platform !== "win32") assert.equal(statSync(join(t.folder, "store.db.key")).mode & 0o777, 0o600);
});

test("a replaced token works for its grace time", async () => {
  const deployment = await deployed();
  const [old, at] = [urlOf(deployment), t.clock.now];
  await rotate(deployment, { url: true }, at + DAY);
  const now = t.server.services.memory.deploymentById(deployment.id)!;
  assert.notEqual(urlOf(now), old);
  try {
    for (const path of [old, urlOf(now)]) assert.equal((await fetchFeed(path)).status, 200);
    t.clock.now = at + DAY;
    assert.equal((await fetchFeed(old)).status, 403);
    assert.equal((await fetchFeed(urlOf(now))).status, 200);
  } finally {
    t.clock.now = at;
  }
});

test("added rules and expiries change the feed; so does an expiry alone", async () => {
  const { ruleset } = await t.server.store.write({
    kind: "create-ruleset",
    ...by(),
    name: "r",
    purpose: "blocklist",
    description: "",
  });
  const deployment = await deployed({ include: [{ ruleset: ruleset.id }] });
  assert.equal((await fetchFeed(urlOf(deployment))).text, "", "an empty ruleset is an empty list");
  const start = t.clock.now;
  const add = (prefix: string, expiresAt: number | null) =>
    t.server.store.write({
      kind: "add-rule",
      ...by(),
      rulesetId: ruleset.id,
      request: { prefix: parsePrefix(prefix), name: null, expiresAt, mode: "extend" },
    });
  await add("203.0.113.1", null);
  await add("203.0.113.9", start + DAY);
  const becomes = (text: string) =>
    until(`the feed is ${text}`, async () => (await fetchFeed(urlOf(deployment))).text === text);
  await becomes("203.0.113.1\n203.0.113.9\n");
  try {
    t.clock.now = start + DAY;
    await becomes("203.0.113.1\n");
  } finally {
    t.clock.now = start;
  }
});

test("after the end of a plan, feeds stay unchanged for 30 days, then get 403 until it is renewed", async () => {
  const start = t.clock.now;
  const ends = start + DAY;
  const [ended, active] = await Promise.all(["ended", "active"].map((name) => addOrganisation(t, name)));
  const [frozen, live] = await Promise.all(
    [ended!, active!].map((organisation) => expiringList(organisation, ends + DAY)),
  );
  const setPlan = (until: number | null, isActive = true) =>
    t.server.store.write({
      kind: "set-plan",
      ...by(ended),
      area: "edl",
      active: isActive,
      until,
      perMinute: null,
      perMonth: null,
    });
  await setPlan(ends);
  const answerOf = async (deployment: Deployment) => {
    const { status, text } = await fetchFeed(urlOf(deployment));
    return [status, status === 200 ? text : ""];
  };
  const both = [200, "203.0.113.1\n203.0.113.9\n"];
  const one = [200, "203.0.113.1\n"];
  try {
    t.clock.now = ends + DAY;
    await until("what has expired leaves the list of the other", async () => (await answerOf(live!))[1] === one[1]);
    assert.deepEqual(await answerOf(frozen!), both);
    t.clock.now = ends + 30 * DAY - 1;
    assert.deepEqual(await answerOf(frozen!), both);
    t.clock.now = ends + 30 * DAY;
    assert.deepEqual([await answerOf(frozen!), await answerOf(live!)], [[403, ""], one]);
    await setPlan(null);
    await until("the list is up to date again", async () => (await answerOf(frozen!))[1] === one[1]);
    await setPlan(null, false);
    t.clock.now += 30 * DAY - 1;
    assert.deepEqual(await answerOf(frozen!), one, "turned off, which ends a plan, too");
    await setPlan(null, false);
    t.clock.now++;
    assert.deepEqual(await answerOf(frozen!), [403, ""]);
    await setPlan(null);
    assert.deepEqual(await answerOf(frozen!), one);
  } finally {
    t.clock.now = start;
  }
});

/** The list of a ruleset with two rules, one of which expires. */
async function expiringList(organisation: string, expiresAt: number): Promise<Deployment> {
  const about = { name: "r", purpose: "blocklist", description: "" } as const;
  const { ruleset } = await t.server.store.write({ kind: "create-ruleset", ...by(organisation), ...about });
  for (const [prefix, end] of [
    ["203.0.113.1", null],
    ["203.0.113.9", expiresAt],
  ] as const) {
    const request = { prefix: parsePrefix(prefix), name: null, expiresAt: end, mode: "extend" } as const;
    await t.server.store.write({ kind: "add-rule", ...by(organisation), rulesetId: ruleset.id, request });
  }
  return deployed({ include: [{ ruleset: ruleset.id }], exclude: [] }, organisation);
}

test(
  "a list that devices cannot process is refused, and they keep the previous one",
  { skip: onlyLong() },
  async () => {
    const deployment = await deployed();
    const id = deployment.id;
    const change = (definition: DefinitionChanges) =>
      t.server.store.write({ kind: "update-deployment", ...by(), deploymentId: id, definition });
    const reasons = () =>
      t.server.services.memory
        .deploymentById(id)!
        .refused?.reasons.map(({ code }) => code)
        .join() ?? "";
    await change({ options: { max_entries: 2 } });
    await until("it is refused", () => reasons() === "too-many-entries");
    assert.equal((await fetchFeed(urlOf(deployment))).text, LIST);
    await change({ include: [{ prefixes: ["10.0.0.0/7"] }], options: { max_entries: null } });
    await until("it is refused", () => reasons() === "too-wide");
    await change({ include: [{ prefixes: ["192.0.2.128/25"] }] });
    await until("the excludes leave nothing", () => reasons() === "empty");
    await change({ include: [{ ruleset: crypto.randomUUID() }] });
    await until("the source is gone", () => reasons() === "no-source");
    assert.equal((await fetchFeed(urlOf(deployment))).text, LIST);
    await change({ include: DEFINITION.include });
    await until("it is published again", () => reasons() === "");
  },
);

test("a divided list: every entry is in one file, and a changed entry changes only its file", async () => {
  const prefixes = Array.from({ length: 500 }, (_, i) => `203.0.${i >> 7}.${(2 * i) & 255}`);
  const deployment = await deployed({ include: [{ prefixes }], exclude: [], options: { chunk_entries: 100 } });
  const { chunks } = t.server.services.publishing.lists.served(deployment.id)!.published;
  assert.ok(chunks >= 8, "a power of two from 5 on");
  const names = Array.from({ length: chunks }, (_, i) => `combined-${String(i + 1).padStart(3, "0")}.txt`);
  const read = () => Promise.all(names.map(async (name) => (await fetchFeed(urlOf(deployment, name))).text));
  const texts = await read();
  assert.deepEqual(texts.flatMap((text) => text.split("\n").slice(0, -1)).sort(), [...prefixes].sort());
  assert.ok(texts.every((text) => text.split("\n").length - 1 <= 100));
  const definition = { include: [{ prefixes: prefixes.slice(1) }] };
  await t.server.store.write({ kind: "update-deployment", ...by(), deploymentId: deployment.id, definition });
  await until(
    "it is published",
    () => t.server.services.publishing.lists.served(deployment.id)!.published.generation === 2,
  );
  const changed = (await read()).filter((text, index) => text !== texts[index]);
  assert.equal(changed.length, 1);
});

test("comments name the deployment in whole files, entries and pieces", async () => {
  const prefixes = Array.from({ length: 75 }, (_, i) => `203.0.113.${2 * i}`);
  const given = { exclude: [], include: [{ prefixes }], options: { comments: true } };
  const whole = await deployed(given);
  const { text } = await fetchFeed(urlOf(whole));
  assert.equal(text, [`# ${commentOf(whole.name)}`, ...prefixes, ""].join("\n"));
  const withEntries = await deployed({ ...given, firewall_format: "paloalto" });
  const expected = prefixes.map((prefix) => `${prefix} ${commentOf(withEntries.name)}\n`).join("");
  assert.equal((await fetchFeed(urlOf(withEntries))).text, expected);
});

test("pulls are recorded with their addresses and statuses; requests without credentials are not", async () => {
  const deployment = await deployed();
  const headers = { "User-Agent": "firewall/1" };
  await fetchFeed(urlOf(deployment), headers);
  await fetchFeed(urlOf(deployment, "other.txt"), headers);
  await fetchFeed(`/feeds/${deployment.id}/combined.txt`, headers);
  const { pulls, days } = await t.server.services.publishing.pulls.logOf(deployment.id);
  assert.deepEqual(
    pulls.map(({ file, address, agent, status, bytes }) => [file, address, agent, status, bytes]),
    [
      ["other.txt", "127.0.0.1", "firewall/1", 404, 0],
      ["combined.txt", "127.0.0.1", "firewall/1", 200, LIST.length],
    ],
  );
  assert.deepEqual(
    days.map((day) => [day.pulls, day.bytes]),
    [[2, LIST.length]],
  );
  assert.equal(t.server.services.publishing.pulls.isNotPulled(deployment, t.clock.now + 900_000), false);
  assert.equal(t.server.services.publishing.pulls.isNotPulled(deployment, t.clock.now + 900_001), true);
  await t.restart();
  assert.equal(t.server.services.publishing.pulls.lastOf(deployment.id), t.clock.now);
});

function rotate(
  { id }: Deployment,
  credential: { readonly url: true } | { readonly password: string },
  graceUntil = t.clock.now,
) {
  return t.server.store.write({ kind: "rotate-deployment", ...by(), deploymentId: id, credential, graceUntil });
}

test("/metrics says how lists fare: responses to devices, deployments that are refused or not fetched, external lists", async (c) => {
  const own = await startServer({ metrics: "on" });
  c.after(() => own.close());
  const organisation = await addOrganisation(own, "health");
  const write = (name: string, definition: Partial<DeploymentDefinition>) =>
    own.server.store.write({
      kind: "create-deployment",
      ...by(organisation),
      name,
      definition: { ...DEFINITION, ...definition },
    });
  const { deployment } = await write("good", {});
  await write("paused", { active: false });
  await write("too long", { options: { ...DEFINITION.options, max_entries: 1 } });
  const page = async () => (await ask(own, "GET", "/metrics")).text;
  await until("the list is published, the other one refused", async () =>
    /deployments\{state="refused"\} 1/.test(await page()),
  );
  await until("the list is published", () => own.server.services.publishing.lists.served(deployment.id) !== undefined);
  const feed = `/feeds/${own.server.services.publishing.feedTokens.tokenOf(deployment)}/ipv4.txt`;
  const { headers } = await ask(own, "GET", feed);
  await ask(own, "GET", feed, { headers: { "If-None-Match": headers.get("etag")! } });
  await ask(own, "GET", "/feeds/unknown/ipv4.txt");
  await ask(own, "GET", "/taxii2/");
  await ask(own, "GET", "/v1/decisions/stream");
  const before = await page();
  for (const [operation, status] of [
    ["readFeed", 200],
    ["readFeed", 304],
    ["readFeed", 403],
    ["readTaxii", 401],
    ["streamDecisions", 403],
  ] as const)
    assert.match(
      before,
      new RegExp(`^ipsieve_request_seconds_count\\{operation="${operation}",status="${status}"\\} 1$`, "m"),
    );
  const counts = (name: string, text: string) =>
    Object.fromEntries(
      Array.from(text.matchAll(new RegExp(`^${name}\\{state="(\\w+)"\\} (\\d+)$`, "gm")), ([, state, count]) => [
        state,
        Number(count),
      ]),
    );
  assert.deepEqual(counts("ipsieve_deployments", before), { ok: 1, stale: 0, refused: 1, inactive: 1 });
  assert.deepEqual(counts("ipsieve_external_lists", before), { ok: 0, failed: 0, refused: 0, inactive: 0 });
  assert.match(before, /^ipsieve_deployments_not_pulled 0$/m);
  own.clock.now += DAY;
  assert.match(await page(), /^ipsieve_deployments_not_pulled 2$/m, "the paused one does not count");
});
