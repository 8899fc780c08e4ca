/** The versions of a ruleset, compared with the ruleset at the time when each was current. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Random } from "../../bench/data/random.ts";
import { addUser, visit } from "./dashboard/browser.ts";
import { addKey, addOrganisation, type Answer, ask, startServer, type TestServer } from "./start-server.ts";
import { rounds } from "../rounds.ts";

const RULESETS = "/v1/edl/ip-rulesets";
const STEPS = rounds({ short: 12, long: 60 });
let t: TestServer;
let organisation: string;
let key: string;
let token: string;
before(async () => {
  t = await startServer({ perMinute: 1e9 });
  organisation = await addOrganisation(t, "versions");
  key = (await addKey(t, organisation)).text;
  ({ token } = await addUser(t, organisation, "editor"));
});
after(() => t.close());

const send = (method: string, path: string, body?: unknown): Promise<Answer> =>
  ask(t, method, `${RULESETS}/${path}`, { key, body });

async function textOf(path: string, by = key): Promise<string> {
  const response = await fetch(`${t.server.url}${RULESETS}/${path}`, { headers: { "X-API-Key": by } });
  assert.equal(response.status, 200, path);
  return response.text();
}

async function makeRuleset(name: string): Promise<string> {
  const { status, body } = await send("POST", "", { name, purpose: "blocklist" });
  assert.equal(status, 201);
  return body.id;
}

/** The version in the tag of the rules. */
async function versionNow(id: string): Promise<number> {
  const { headers } = await send("GET", id);
  return Number(/^"(\d+)\./.exec(headers.get("etag")!)![1]);
}

const exported = (id: string, version?: number, more = "&active_only=false"): Promise<string> =>
  textOf(`${id}/rules:export?format=ndjson${more}${version === undefined ? "" : `&version=${version}`}`);

const listed = async (id: string): Promise<{ version: number; change: string; changed_rules: number }[]> =>
  (await send("GET", `${id}/versions?page_size=1000`)).body.items;

const undo = async (): Promise<void> => assert.equal((await visit(t, "POST", "/undo", { token })).status, 200);

/** This many addresses, every third of which has a name. */
const list = (first: number, count: number, name: string): object => ({
  rules: Array.from({ length: count }, (_, at) => ({
    ip: `20.${(first + at) >> 16}.${((first + at) >> 8) & 255}.${(first + at) & 255}`,
    ...(at % 3 === 0 && { name }),
  })),
});

test("each version has the rules of its time: after single rules, batches, lists, undo and renames", async (c) => {
  const id = await makeRuleset("each");
  const random = new Random(16);
  const were = new Map<number, string>();
  const ips = ["20.0.0.0/8", "20.0.0.1", "20.0.0.2", "20.0.1.0/24", "2001:470::/32", "2001:470::1"];
  const one = (): string => ips[random.below(ips.length)]!;
  const steps: (() => Promise<unknown>)[] = [
    () => send("POST", `${id}/rules`, { ip: one(), name: `n${random.below(9)}`, conflict_resolution: "override" }),
    () => send("DELETE", `${id}/rules/rule?ip=${one()}`),
    () => send("PUT", `${id}/rules/rule?ip=${one()}`, { expires_at: new Date(t.clock.now + 5000).toISOString() }),
    () =>
      send("POST", `${id}/rules:batch`, {
        items: ips.map((ip) => (random.below(2) === 0 ? { op: "delete", ip } : { op: "add", ip, name: "batch" })),
      }),
    () => send("PUT", `${id}/rules?allow_empty=true&max_shrink=100`, list(random.below(9), random.below(9), "few")),
    // More than are listed with a change: these are stored in parts.
    () => send("PUT", `${id}/rules?max_shrink=100`, list(random.below(5000), 4500, `many ${random.below(9)}`)),
    () => send("POST", `${id}/rules:import?conflict_resolution=override`, list(random.below(9000), 4200, "imported")),
    () => send("PATCH", id, { description: `the ${random.below(1000)}th` }),
    async () => {
      await visit(t, "POST", `/edl/ip-rulesets/${id}/rules`, {
        token,
        body: { ip: "20.9.9.9", conflict_resolution: "override", name: `u${random.below(1e6)}` },
      });
      were.set(await versionNow(id), await exported(id));
      await undo();
    },
  ];
  for (let step = 0; step < STEPS; step++) {
    were.set(await versionNow(id), await exported(id));
    await steps[step < steps.length ? step : random.below(steps.length)]!();
    t.clock.now += 1000;
  }
  were.set(await versionNow(id), await exported(id));
  const versions = await listed(id);
  c.diagnostic(`${versions.length} versions, ${were.size} seen`);
  assert.deepEqual(
    versions.map(({ version }) => version),
    [...were.keys()].toSorted((a, b) => b - a),
    "newest first, all of them",
  );
  assert.equal(versions.at(-1)!.change, "create-ruleset");
  for (const [version, rules] of were) assert.equal(await exported(id, version), rules, `version ${version}`);
  assert.ok(new Set(were.values()).size > STEPS / 2, "negative control: they are not all the same");
  assert.match(await exported(id, [...were].find(([, rules]) => rules.includes("many"))![0], ""), /"many/);
});

test("a version has the active rules unless all are requested, in any format", async () => {
  const id = await makeRuleset("formats");
  await send("POST", `${id}/rules`, { ip: "20.0.0.1", expires_at: new Date(t.clock.now + 1000).toISOString() });
  await send("POST", `${id}/rules`, { ip: "20.0.0.2" });
  const version = await versionNow(id);
  await send("PUT", `${id}/rules?allow_empty=true`, { rules: [] });
  const text = (more: string): Promise<string> => textOf(`${id}/rules:export?version=${version}${more}`);
  assert.equal(await text(""), "20.0.0.1\n20.0.0.2\n");
  t.clock.now += 1000;
  assert.equal(await text(""), "20.0.0.2\n");
  assert.equal(await text("&active_only=false"), "20.0.0.1\n20.0.0.2\n");
  assert.match(await text("&format=nftables&set_name=old"), /old_4[^]*20\.0\.0\.2/);
  assert.equal(await text("&format=csv").then((csv) => csv.split("\n").length), 3);
});

test("versions come in pages; those of another ruleset or organisation, unknown ones and those before a deletion are not found", async () => {
  const id = await makeRuleset("pages");
  for (let at = 1; at <= 3; at++) await send("POST", `${id}/rules`, { ip: `20.0.0.${at}` });
  const current = await versionNow(id);
  const first = (await send("GET", `${id}/versions?page_size=3`)).body;
  assert.deepEqual([first.count, first.items.length, first.items[0].version], [4, 3, current]);
  assert.deepEqual(
    { ...first.items[0], created_at: undefined },
    { version: current, created_at: undefined, change: "add-rule", changed_rules: 1 },
  );
  const second = (await send("GET", first.next.slice(first.next.indexOf(id)))).body;
  assert.deepEqual([second.items.length, second.items[0].change, second.next], [1, "create-ruleset", null]);
  const other = await makeRuleset("other");
  for (const version of [await versionNow(other), 1, 9_000_000]) {
    const { status, body } = await send("GET", `${id}/rules:export?version=${version}`);
    assert.deepEqual([status, body.type], [404, "/problems/not-found"]);
    assert.match(body.detail, new RegExp(`version ${version} of the ruleset is not kept; .*/${id}/versions lists`));
  }
  for (const version of ["0", "-1", "1.5", "x"])
    assert.equal((await send("GET", `${id}/rules:export?version=${version}`)).status, 400, version);
  const stranger = (await addKey(t, await addOrganisation(t, "strangers"))).text;
  assert.equal((await ask(t, "GET", `${RULESETS}/${id}/versions`, { key: stranger })).status, 404);
  const reader = (await addKey(t, organisation, "read")).text;
  assert.equal((await ask(t, "GET", `${RULESETS}/${id}/versions`, { key: reader })).status, 200);
  assert.equal(await textOf(`${id}/rules:export?version=${current}`, reader), "20.0.0.1\n20.0.0.2\n20.0.0.3\n");

  assert.equal((await visit(t, "DELETE", `/edl/ip-rulesets/${id}`, { token })).status, 204);
  await undo();
  const versions = await listed(id);
  assert.ok(versions.every(({ version }) => version > current));
  assert.equal(await exported(id, versions[0]!.version), await exported(id));
  // Earlier exports may still come from the cache.
  assert.equal((await send("GET", `${id}/rules:export?version=${first.items[1].version}`)).status, 404);
});

test("rules written while a version is read are not in it", async () => {
  const id = await makeRuleset("meanwhile");
  const were = new Map<number, string>();
  for (let at = 0; at < 4; at++) {
    await send("PUT", `${id}/rules?max_shrink=100`, list(at * 1000, 6000, `first ${at}`));
    were.set(await versionNow(id), await exported(id));
  }
  const answers = [...were.keys()].map((version) => exported(id, version));
  for (let at = 0; at < 4; at++) await send("PUT", `${id}/rules?max_shrink=100`, list(at, 5000 + at, `later ${at}`));
  assert.deepEqual(await Promise.all(answers), [...were.values()]);
});
