/** `options.timeouts`: lists whose entries say when they end, as devices receive them. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, beforeEach, test } from "node:test";
import { FORMATS } from "../../src/formats/formats.ts";
import { RULE_EXPORT_FORMATS } from "../../src/rulesets/export-rules.ts";
import type { Deployment } from "../../src/store/records/deployment.ts";
import { until } from "../until.ts";
import { addKey, addOrganisation, ask, startServer, type TestServer } from "./start-server.ts";

const PATH = "/v1/edl/deployments/";
const RULESETS = "/v1/edl/ip-rulesets/";
const SECOND = 1000;
const DAY = 86_400 * SECOND;
const TIMED = ["ipset", "nftables", "crowdsec-csv", "mikrotik"] as const;

let t: TestServer;
let key = "";
let ruleset = "";
before(async () => {
  t = await startServer();
  key = (await addKey(t, await addOrganisation(t, "timed"))).text;
});
after(() => t.close());
/** Each test has its own ruleset, and starts at a whole second. */
beforeEach(async () => {
  t.clock.now = Math.ceil(t.clock.now / SECOND) * SECOND;
  ruleset = (await ask(t, "POST", RULESETS, { key, body: { name: randomUUID(), purpose: "blocklist" } })).body.id;
});

/** Milliseconds from now; null: never. */
async function add(ip: string, lasts: number | null): Promise<void> {
  const expires_at = lasts === null ? null : new Date(t.clock.now + lasts).toISOString();
  const { status, text } = await ask(t, "POST", `${RULESETS}${ruleset}/rules`, { key, body: { ip, expires_at } });
  assert.equal(status, 201, text);
}

async function create(body: object): Promise<Deployment> {
  const made = await ask(t, "POST", PATH, { key, body: { name: "edge", include: [{ ruleset }], ...body } });
  assert.equal(made.status, 201, made.text);
  const deployment = t.server.services.memory.deploymentById(made.body.id)!;
  await until("it is published", () => t.server.services.publishing.lists.served(deployment.id) !== undefined);
  return deployment;
}

const deploy = (format: string, options: object = {}): Promise<Deployment> =>
  create({ firewall_format: format, options: { timeouts: true, ...options } });

const textOf = ({ id }: Deployment): string => {
  const { text } = t.server.services.publishing.lists.served(id)!;
  return `${text[4]}${text[6]}${text.times}`;
};

async function get(deployment: Deployment, headers: Record<string, string> = {}, method = "GET") {
  const extension = deployment.definition.firewall_format === "crowdsec-csv" ? "csv" : "txt";
  const path = `/feeds/${t.server.services.publishing.feedTokens.tokenOf(deployment)}/combined.${extension}`;
  return ask(t, method, path, { headers: { "Accept-Encoding": "identity", ...headers } });
}

/** The lines with addresses, without the lines around them. */
async function linesOf(deployment: Deployment): Promise<string[]> {
  return (await get(deployment)).text
    .split("\n")
    .filter((line) => /\d[.:]/.test(line))
    .map((line) =>
      line
        .replace(/^add list="\w+" address=|^add \S+ /, "")
        .replace(/,ban,\w+$/, "")
        .replace(/ -exist$|,$/, ""),
    );
}

/** The entries of each format at the moment at which they are loaded. */
const WRITTEN: Readonly<Record<(typeof TIMED)[number], readonly string[]>> = {
  ipset: [
    "20.0.0.0 timeout 60",
    "20.0.0.1 timeout 3600",
    "20.0.0.2/31 timeout 60",
    "20.0.0.9",
    "2001:db8::/32 timeout 2147483",
  ],
  nftables: [
    "20.0.0.0 timeout 60s",
    "20.0.0.2/31 timeout 60s",
    "20.0.0.1 timeout 3600s",
    "20.0.0.9",
    "2001:db8::/32 timeout 31536000s",
  ],
  "crowdsec-csv": [
    "60s,ip,20.0.0.0",
    "3600s,ip,20.0.0.1",
    "60s,range,20.0.0.2/31",
    "31536000s,ip,20.0.0.9",
    "31536000s,range,2001:db8::/32",
  ],
  mikrotik: [
    "20.0.0.0 timeout=60s",
    "20.0.0.1 timeout=3600s",
    "20.0.0.2/31 timeout=60s",
    "20.0.0.9",
    "2001:db8::/32 timeout=21474836s",
  ],
};

for (const format of TIMED)
  test(`${format}: entries are split where ends differ, and say how long they stay from each request on`, async () => {
    await add("20.0.0.0/30", 60 * SECOND);
    await add("20.0.0.1", 3600 * SECOND);
    await add("20.0.0.9", null);
    await add("2001:db8::/32", 365 * DAY);
    const deployment = await deploy(format);
    assert.deepEqual(await linesOf(deployment), WRITTEN[format]);
    const { tag, text } = await get(deployment).then(({ headers, text }) => ({ tag: headers.get("etag")!, text }));
    assert.match(tag, /^W\/"[\w-]{22}"$/);
    t.clock.now += 10_500;
    const later = await get(deployment);
    assert.equal(later.headers.get("etag"), tag, "the same state");
    assert.notEqual(later.text, text);
    // Half a second is rounded up.
    assert.match(later.text, /\b50s?\b/);
    assert.doesNotMatch(later.text, /\b(?:49|60)s?\b/);
    t.clock.now += 60 * SECOND;
    // This holds whether or not the list has been compiled again.
    assert.doesNotMatch((await get(deployment)).text, /20\.0\.0\.[0238]|timeout[ =]-|\b0s/);
    await until("it is made again", () => !textOf(deployment).includes("20.0.0.2/31"));
    assert.notEqual((await get(deployment)).headers.get("etag"), tag);
  });

test("304 by the weak tag and by the date, also compressed, for HEAD and after a restart, until the list changes", async () => {
  for (let i = 0; i < 200; i++) await add(`20.1.0.${i}`, 3600 * SECOND + i * SECOND);
  const deployment = await deploy("nftables");
  t.clock.now += SECOND;
  const first = await get(deployment);
  const [tag, date] = [first.headers.get("etag")!, first.headers.get("last-modified")!];
  const same = async (headers: Record<string, string>, method?: string): Promise<number> =>
    (await get(deployment, headers, method)).status;
  const check = async (): Promise<void> => {
    t.clock.now += SECOND;
    // Once by the ordinary path, then before the framework.
    for (let i = 0; i < 2; i++) assert.equal(await same({ "If-None-Match": tag }), 304);
    assert.equal(await same({ "If-None-Match": tag }, "HEAD"), 304);
    assert.equal(await same({ "If-None-Match": tag.slice(2) }), 304, "compared weakly");
    assert.equal(await same({ "If-Modified-Since": date }), 304);
    assert.equal(await same({ "If-None-Match": 'W/"another"' }), 200);
  };
  await check();
  const head = await get(deployment, {}, "HEAD");
  const whole = await get(deployment);
  assert.deepEqual([head.headers.get("content-length"), head.headers.get("etag")], [String(whole.text.length), tag]);
  const path = `/feeds/${t.server.services.publishing.feedTokens.tokenOf(deployment)}/combined.txt`;
  const coded = await fetch(t.server.url + path, { headers: { "Accept-Encoding": "gzip" } });
  const codedTag = coded.headers.get("etag")!;
  assert.deepEqual([coded.headers.get("content-encoding"), await coded.text()], ["gzip", whole.text]);
  assert.match(codedTag, /^W\/"[\w-]{22}\.gzip"$/);
  for (let i = 0; i < 2; i++) {
    const known = await get(deployment, { "Accept-Encoding": "gzip", "If-None-Match": codedTag });
    assert.deepEqual([known.status, known.headers.get("etag")], [304, codedTag]);
  }
  await t.restart();
  await check();
  t.clock.now += 2 * SECOND;
  await add("20.1.1.1", 10 * SECOND);
  await until("it has the new rule", () => textOf(deployment).includes("20.1.1.1"));
  const changed = await get(deployment, { "If-None-Match": tag });
  assert.equal(changed.status, 200);
  assert.notEqual(changed.headers.get("last-modified"), date);
  // A rule that lasts longer makes another list, although its addresses are the same.
  const expires_at = new Date(t.clock.now + 500 * SECOND).toISOString();
  const longer = { ip: "20.1.1.1", expires_at, conflict_resolution: "override" };
  await ask(t, "POST", `${RULESETS}${ruleset}/rules`, { key, body: longer });
  const before = changed.headers.get("etag")!;
  await until("the new end is there", async () => (await get(deployment)).headers.get("etag") !== before);
  assert.match((await get(deployment)).text, /^20\.1\.1\.1 timeout 500s/m);
});

test("what ends later than the format can say is new before its time is over", async () => {
  await add("20.2.0.1", 100 * DAY);
  const deployment = await deploy("ipset");
  const tags: string[] = [];
  const at: number[] = [];
  const start = t.clock.now;
  for (let day = 0; day <= 99; day++) {
    t.clock.now = start + day * DAY;
    const { headers, text } = await get(deployment);
    const timeout = Number(/20\.2\.0\.1 timeout (\d+)/.exec(text)![1]);
    assert.ok(timeout <= 2_147_483 && timeout <= (100 - day) * 86_400, `${timeout} on day ${day}`);
    const tag = headers.get("etag")!;
    if (tags.at(-1) === tag) continue;
    tags.push(tag);
    at.push(day);
    const modified = Date.parse(headers.get("last-modified")!);
    assert.ok(modified <= t.clock.now && modified > t.clock.now - 2 * DAY, `${headers.get("last-modified")}`);
  }
  // A device that polls every day gets it again after less than a quarter of the 24.8 days plus a day, which is a third
  // of them.
  for (const [index, day] of at.slice(1).entries()) assert.ok(day - at[index]! <= 8, `nothing new on day ${day}`);
  assert.equal(new Set(tags).size, tags.length);
  assert.equal(at.at(-1), 76, "from then on it is exact");
});

test("only formats that can say so have the option, by the table of formats, and no checksums then", async () => {
  for (const format of [...RULE_EXPORT_FORMATS, "misp", "trie"]) {
    const body = { include: [{ prefixes: ["20.3.0.1"] }], firewall_format: format, options: { timeouts: true } };
    const { status, body: problem } = await ask(t, "POST", `${PATH.slice(0, -1)}:preview`, { key, body });
    const can = (TIMED as readonly string[]).includes(format);
    assert.equal("longestTimeout" in ((FORMATS as Record<string, object>)[format] ?? {}), can, format);
    assert.equal(status, can ? 200 : 400, format);
    if (!can)
      assert.match(
        problem.validation_errors["options.timeouts"][0],
        new RegExp(`^entries in the format ${format} cannot`),
      );
  }
  const deployment = await deploy("ipset");
  const { urls } = (await ask(t, "GET", `${PATH}${deployment.id}/urls/`, { key })).body;
  assert.deepEqual(urls.checksums, []);
  assert.equal((await ask(t, "GET", `${new URL(urls.combined[0]).pathname}.sha256`)).status, 404);
  const changed = await ask(t, "PATCH", PATH + deployment.id, { key, body: { firewall_format: "text" } });
  assert.equal(changed.status, 400);
});

test("without the option, or where no rule expires, the bytes are those that there always were", async () => {
  await add("20.4.0.0/31", 60 * SECOND);
  await add("20.4.0.0", 3600 * SECOND);
  for (const format of TIMED) {
    const [plain, permanent] = [
      await create({ firewall_format: format }),
      await create({ firewall_format: format, include: [{ prefixes: ["20.4.0.0/31"] }], options: { timeouts: true } }),
    ];
    const [one, other] = [await get(plain), await get(permanent)];
    // Sets are named after the deployment.
    const unnamed = (text: string): string => text.replaceAll(/edge_[0-9a-f]{6}/g, "edge");
    assert.equal(unnamed(one.text), unnamed(other.text), format);
    assert.match(one.headers.get("etag")!, /^"/);
    assert.match(one.text, /20\.4\.0\.0\/31/);
  }
});

test("split entries count, and are joined before addresses are added where the list is to be fitted", async () => {
  await add("20.5.0.0/30", 60 * SECOND);
  await add("20.5.0.1", 3600 * SECOND);
  await add("20.5.0.4", null);
  const preview = async (options: object): Promise<any> => {
    const body = { include: [{ ruleset }], firewall_format: "ipset", options };
    return (await ask(t, "POST", `${PATH.slice(0, -1)}:preview`, { key, body })).body;
  };
  const entries = ["20.5.0.0", "20.5.0.1", "20.5.0.2/31", "20.5.0.4"];
  const shown = await preview({ timeouts: true });
  assert.deepEqual([shown.entries, shown.ipv4_entries_count, shown.timed_entries_count], [entries, 4, 3]);
  assert.equal((await preview({})).timed_entries_count, undefined);
  assert.deepEqual((await preview({ max_entries: 2 })).reasons, []);
  const [reason] = (await preview({ max_entries: 3, timeouts: true })).reasons;
  assert.equal(reason.message, "the list has 4 entries, more than the 3 allowed");
  const fitted = await preview({ max_entries: 3, timeouts: true, overflow: "fit" });
  assert.deepEqual([fitted.entries, fitted.fitted, fitted.reasons], [["20.5.0.0/30", "20.5.0.4"], undefined, []]);
  const joined = await deploy("ipset", { max_entries: 3, overflow: "fit" });
  assert.deepEqual(await linesOf(joined), ["20.5.0.0/30 timeout 3600", "20.5.0.4"]);
  const shortened = await deploy("ipset", { max_entries: 1, overflow: "fit" });
  assert.deepEqual(await linesOf(shortened), ["20.5.0.0/29"]);
});

test("an exclude that ends brings addresses back, without a time that says so", async () => {
  await add("20.6.0.0/31", 3600 * SECOND);
  const other = (await ask(t, "POST", RULESETS, { key, body: { name: randomUUID(), purpose: "blocklist" } })).body.id;
  const expires_at = new Date(t.clock.now + 60 * SECOND).toISOString();
  await ask(t, "POST", `${RULESETS}${other}/rules`, { key, body: { ip: "20.6.0.1", expires_at } });
  const body = { firewall_format: "ipset", exclude: [{ ruleset: other }], options: { timeouts: true } };
  const deployment = await create(body);
  assert.deepEqual(await linesOf(deployment), ["20.6.0.0 timeout 3600"]);
  t.clock.now += 60 * SECOND;
  await until("it is back", async () => (await linesOf(deployment)).join() === "20.6.0.0/31 timeout 3540");
});

test("an explanation says until when an address is listed", async () => {
  await add("20.7.0.0/30", 60 * SECOND);
  await add("20.7.0.1", null);
  const deployment = await deploy("ipset");
  await create({ name: "plain" });
  const ends = async (ip: string): Promise<unknown[]> => {
    const { body } = await ask(t, "POST", `${RULESETS.slice(0, -1)}:explain`, { key, body: { ip } });
    const found = body.deployments.filter(({ id, name }: any) => id === deployment.id || name === "plain");
    return found.map(({ ends_at }: any) => ends_at);
  };
  const end = new Date(t.clock.now + 60 * SECOND).toISOString();
  assert.deepEqual(await ends("20.7.0.0"), [end, undefined]);
  assert.deepEqual(await ends("20.7.0.1"), [null, undefined]);
  assert.deepEqual(await ends("20.7.0.2/31"), [end, undefined]);
  assert.deepEqual(await ends("20.7.0.0/30"), [null, undefined]);
});
