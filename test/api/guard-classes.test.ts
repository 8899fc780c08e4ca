/** Which classes of services guards protect: said by a ruleset or a deployment, else by the organisation, else usual. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { writeSnapshot } from "../../src/snapshot/write-snapshot.ts";
import { catalogueOf } from "../cbs/catalogues.ts";
import { randomWords } from "../random-words.ts";
import { rounds } from "../rounds.ts";
import { until } from "../until.ts";
import { addUser, visit } from "./dashboard/browser.ts";
import { addKey, addOrganisation, type Answer, ask, startServer, type TestServer } from "./start-server.ts";

const CLASSES = ["serving", "rented", "anonymiser", "scanner", "access"] as const;
type Class = (typeof CLASSES)[number];

/** Nodes, with the service that each belongs to, and its class, by the documentation. */
const NODES: readonly (readonly [node: string, service: string, nodeClass: Class])[] = [
  ["/cdn/cloudflare", "/cdn/cloudflare", "serving"],
  ["/cdn/akamai", "/cdn/akamai", "serving"],
  ["/cdn/akamai/private-relay", "/cdn/akamai", "anonymiser"],
  ["/saas/github/web", "/saas/github", "serving"],
  ["/saas/github/actions", "/saas/github", "rented"],
  ["/cloud/azure", "/cloud/azure", "rented"],
  ["/security/tor", "/security/tor", "anonymiser"],
  ["/security/mullvad", "/security/mullvad", "anonymiser"],
  ["/bot/shodan", "/bot/shodan", "scanner"],
  ["/bot/google", "/bot/google", "serving"],
  ["/isp/comcast", "/isp/comcast", "access"],
];
/** Of these classes, one address is one customer. */
const COUNTED_BY_NETWORK: readonly Class[] = ["rented", "access"];
const ON_PURPOSE: readonly Class[] = ["anonymiser", "scanner"];

const words = randomWords(20_261_127);
const below = (count: number): number => words() % count;
const pick = <Value>(values: readonly Value[]): Value => values[below(values.length)]!;

/** A block of 20.0.0.0/20, as its first address counted from there, and its length. */
interface Block {
  readonly first: number;
  readonly length: number;
}
const SPACE = 20;
const sizeOf = ({ length }: Block): number => 2 ** (32 - length);
const textOf = ({ first, length }: Block): string => `20.0.${first >> 8}.${first & 255}/${length}`;
const randomBlock = (lengths: readonly number[]): Block => {
  const length = pick(lengths);
  return { length, first: below(2 ** (length - SPACE)) * 2 ** (32 - length) };
};
const LISTED = Array.from({ length: 60 }, () => ({
  block: randomBlock([21, 22, 23, 24, 25, 26, 28, 32]),
  node: pick(NODES),
}));

/** What a guard says of a block by what the documentation promises, one address after the other: counts by service. */
function expected(block: Block, classes: readonly Class[]) {
  const counts = new Map<string, number>();
  let left = 0;
  for (let address = block.first; address < block.first + sizeOf(block); address++) {
    const nodes = LISTED.filter(
      ({ block: { first, length } }) => address >= first && address < first + 2 ** (32 - length),
    );
    const known = nodes.map(({ node: [, service, nodeClass] }) => [service, nodeClass] as const);
    const isLetThrough = known.some(([, each]) => ON_PURPOSE.includes(each) && !classes.includes(each));
    const protects = ([, each]: (typeof known)[number]): boolean =>
      !isLetThrough && classes.includes(each) && (block.length <= 24 || !COUNTED_BY_NETWORK.includes(each));
    const hits = new Set(known.filter(protects).map(([service, each]) => `${service} ${each}`));
    for (const hit of hits) counts.set(hit, (counts.get(hit) ?? 0) + 1);
    if (hits.size === 0) left++;
  }
  return { hits: [...counts].map(([hit, count]) => `${hit} ${count}`).sort(), left };
}

let t: TestServer;
let key = "";
let organisation = "";
let ruleset = "";
const folder = mkdtempSync(join(tmpdir(), "ipsieve-classes-"));
before(async () => {
  const { table, metadata } = catalogueOf(LISTED.map(({ block, node: [node] }) => [textOf(block), node]));
  const catalogue = join(folder, "catalogue.ipsieve");
  await writeSnapshot(catalogue, { table, metadata, kind: "catalogue" });
  t = await startServer({ perMinute: 1_000_000 }, catalogue);
  organisation = await addOrganisation(t, "classes");
  key = (await addKey(t, organisation)).text;
  ruleset = (await ask(t, "GET", "/v1/edl/ip-rulesets/?purpose=blocklist", { key })).body.items[0].id;
});
after(async () => {
  await t.close();
  rmSync(folder, { recursive: true, force: true });
});

const send = async (status: number, method: string, path: string, body?: object): Promise<any> => {
  const answer: Answer = await ask(t, method, `/v1/edl/${path}`, { key, ...(body !== undefined && { body }) });
  assert.equal(answer.status, status, `${method} ${path}: ${answer.text}`);
  return answer.body;
};
const hitsIn = (warnings: readonly any[] = []): string[] =>
  warnings
    .filter(({ kind }) => kind === "service")
    .map((hit) => `${hit.id} ${hit.class} ${hit.ipv4_addresses}`)
    .sort();
const rulesPath = (): string => `ip-rulesets/${ruleset}/rules`;
const clear = () => send(200, "PUT", `${rulesPath()}?allow_empty=true&max_shrink=100`, { rules: [] });
const randomClasses = (): Class[] | null => (below(3) === 0 ? null : CLASSES.filter(() => below(2) === 0));

test("random choices on three levels: each door of rulesets and deployments protects exactly what they say", async () => {
  let protectedCases = 0;
  for (let round = 0; round < rounds({ short: 30, long: 800 }); round++) {
    const [ofAll, ofRuleset, ofDeployment] = [randomClasses(), randomClasses(), randomClasses()];
    assert.deepEqual(await send(200, "PATCH", "guard", { guard_classes: ofAll?.toReversed() ?? null }), {
      guard_classes: ofAll,
    });
    const about = await send(200, "PATCH", `ip-rulesets/${ruleset}`, { guard: "warn", guard_classes: ofRuleset });
    assert.deepEqual(about.guard_classes, ofRuleset);
    const block = randomBlock([22, 23, 24, 25, 27, 32, 32]);
    const usual = ofAll ?? ["serving", "rented"];
    const own = expected(block, ofRuleset ?? usual);
    const why = JSON.stringify({ ofAll, ofRuleset, ofDeployment, block: textOf(block) });
    const rule = { ip: textOf(block).replace(/\/32$/, "") };
    if (own.hits.length > 0) protectedCases++;

    assert.deepEqual(hitsIn((await send(201, "POST", rulesPath(), rule)).warnings), own.hits, why);
    await clear();
    await send(200, "PATCH", `ip-rulesets/${ruleset}`, { guard: "refuse" });
    const refused = await send(own.hits.length > 0 ? 409 : 201, "POST", rulesPath(), rule);
    assert.deepEqual(hitsIn(refused.collateral), own.hits, why);
    await clear();
    await send(200, "PATCH", `ip-rulesets/${ruleset}`, { guard: "carve" });
    const imported = await send(200, "POST", `${rulesPath()}:import`, { rules: [rule] });
    assert.deepEqual(hitsIn(imported.warnings), own.hits, why);
    const { items } = await send(200, "GET", `${rulesPath()}?page_size=1000`);
    const sizes = items.map(({ ip }: { ip: string }) => 2 ** (32 - Number(ip.split("/")[1] ?? 32)));
    assert.equal(
      sizes.reduce((sum: number, size: number) => sum + size, 0),
      own.left,
      why,
    );
    await clear();

    const published = expected(block, ofDeployment ?? usual);
    const definition = {
      include: [{ prefixes: [rule.ip] }],
      guard_classes: ofDeployment,
      options: { allow_empty: true },
    };
    const warned = await send(200, "POST", "deployments:preview", definition);
    assert.deepEqual(hitsIn(warned.warnings), published.hits, why);
    const carved = await send(200, "POST", "deployments:preview", { ...definition, guard: "carve" });
    assert.deepEqual(carved.ipv4_addresses, String(published.left), why);
    const kept = await send(200, "POST", "deployments:preview", { ...definition, guard: "refuse" });
    assert.equal(
      kept.reasons.some(({ code }: { code: string }) => code === "collateral"),
      published.hits.length > 0,
      why,
    );
  }
  assert.ok(protectedCases > 5, "the control: something was protected");
});

test("given at creation, kept by a restart, taken back by null and by undo, and in the audit log", async () => {
  await send(200, "PATCH", "guard", { guard_classes: null });
  const made = await send(201, "POST", "ip-rulesets/", {
    name: "chosen",
    purpose: "blocklist",
    guard_classes: ["scanner", "serving"],
  });
  assert.deepEqual(made.guard_classes, ["serving", "scanner"]);
  const include = [{ prefixes: ["198.51.100.0/24"] }];
  const list = await send(201, "POST", "deployments/", { name: "chosen", include, guard_classes: [] });
  assert.deepEqual(list.guard_classes, []);
  await send(200, "PATCH", "guard", { guard_classes: ["access"] });
  await t.restart();
  assert.deepEqual((await send(200, "GET", `ip-rulesets/${made.id}`)).guard_classes, ["serving", "scanner"]);
  assert.deepEqual((await send(200, "GET", `deployments/${list.id}`)).guard_classes, []);
  assert.deepEqual(await send(200, "GET", "guard"), { guard_classes: ["access"] });
  for (const [method, path] of [
    ["PATCH", "guard"],
    ["PATCH", `ip-rulesets/${made.id}`],
    ["PATCH", `deployments/${list.id}`],
  ] as const)
    for (const classes of ["serving", ["servings"], ["serving", "serving"], {}]) {
      const { validation_errors: errors } = await send(400, method, path, { guard_classes: classes });
      assert.match(Object.keys(errors)[0]!, /^guard_classes/);
    }
  assert.equal((await send(200, "PATCH", `deployments/${list.id}`, { guard_classes: null })).guard_classes, null);

  const admin = await addUser(t, organisation, "admin");
  const edl = "/edl/";
  await visit(t, "PATCH", `${edl}ip-rulesets/${made.id}`, { token: admin.token, body: { guard_classes: null } });
  await visit(t, "PATCH", `${edl}guard`, { token: admin.token, body: { guard_classes: ["serving"] } });
  const log = (await visit(t, "GET", "/audit/?limit=2", { token: admin.token })).body.items;
  assert.deepEqual(
    log.map(({ kind, summary, old, new: now }: any) => [kind, summary, old.guard_classes, now.guard_classes]),
    [
      ["set-guard-classes", "changed what the guards of the organisation protect", ["access"], ["serving"]],
      ["update-ruleset", 'changed the guard of the ruleset "chosen"', ["serving", "scanner"], null],
    ],
  );
  const { change } = (await visit(t, "GET", "/undo", { token: admin.token })).body;
  await visit(t, "POST", `/undo`, { token: admin.token, body: { sequence: change.sequence } });
  assert.deepEqual((await send(200, "GET", `ip-rulesets/${made.id}`)).guard_classes, ["serving", "scanner"]);
});

test("a published list follows when the organisation protects something else, and what was accepted stays so by class", async () => {
  await send(200, "PATCH", "guard", { guard_classes: ["serving"] });
  // Both classes of one service, the larger one first or last.
  const wide = { length: SPACE, first: 0 };
  const make = (guard: string): Promise<any> =>
    send(201, "POST", "deployments/", {
      name: guard,
      include: [{ prefixes: [textOf(wide)] }],
      guard,
      options: { allow_empty: true },
    });
  const { id } = await make("carve");
  const entries = async (): Promise<number> => {
    const file = (await send(200, "GET", `deployments/${id}/urls/`)).urls.combined[0];
    const text = await (await fetch(file)).text();
    const lines = text.split("\n").filter((line) => line.startsWith("20."));
    return lines.reduce((sum, line) => sum + 2 ** (32 - Number(line.split("/")[1] ?? 32)), 0);
  };
  for (const classes of [
    ["serving"],
    ["scanner", "rented"],
    [],
    ["serving", "rented", "anonymiser", "scanner", "access"],
  ]) {
    await send(200, "PATCH", "guard", { guard_classes: classes });
    const { left } = expected(wide, classes as Class[]);
    await until(`${classes.join()} is left out`, async () => (await entries()) === left, { every: 200 });
  }
  const refusing = await make("refuse");
  const state = () => send(200, "GET", `deployments/${refusing.id}`);
  await until("it is refused", async () => (await state()).status === "refused");
  const { refused_generation: generation } = await state();
  await send(200, "POST", `deployments/${refusing.id}:publish`, { generation });
  await until("it is published", async () => (await state()).status === "ok");
  // Another version of the list: what was accepted is not asked for again.
  await send(200, "PATCH", `deployments/${refusing.id}`, { exclude: [{ prefixes: ["20.0.15.255"] }] });
  const before = (await state()).generation;
  await until("the next list is decided", async () => {
    const { generation: now, status } = await state();
    return now > before || status === "refused";
  });
  assert.equal((await state()).status, "ok");
});
