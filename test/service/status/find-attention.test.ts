/** What an organisation is told, whole, on either side of each bound; what is about deployments has a file of its own. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { parsePrefix } from "../../../src/address/prefix.ts";
import { AS_SOURCE, type CatalogueSource } from "../../../src/cbs/catalogue.ts";
import { columnsOf } from "../../../src/rulesets/rule-columns.ts";
import { KeyLimits, SteadyClock } from "../../../src/service/access/rate-limits.ts";
import { readSettings, type Settings } from "../../../src/service/settings.ts";
import { BlockedProtected } from "../../../src/service/status/blocked-protected.ts";
import { SUBJECTS } from "../../../src/service/status/finding.ts";
import { findAttention } from "../../../src/service/status/find-attention.ts";
import { ServiceMemory } from "../../../src/service/store/service-memory.ts";
import type { ExternalList } from "../../../src/store/records/external-list.ts";
import type { Webhook } from "../../../src/store/records/webhook.ts";
import type { ApiKey } from "../../../src/store/records/credential.ts";
import { EMPTY_STATE, type Plan, type Ruleset, type State } from "../../../src/store/state.ts";

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 10, 21);
const organisationId = "1";

interface World extends Partial<State> {
  readonly settings?: Partial<Settings>;
  /** When each of these rules of the first ruleset expires. */
  readonly expiries?: readonly (number | null)[];
  readonly failingSince?: number;
  readonly sources?: readonly Partial<CatalogueSource>[];
  readonly threatsCreatedAt?: number;
  readonly pullsFailSince?: number;
  /** Requests of the key "3" this month. */
  readonly used?: number;
}

async function lookedAt(world: World) {
  const memory = new ServiceMemory();
  const rules = (world.expiries ?? []).map((expiresAt, at) => ({
    prefix: parsePrefix(`20.0.0.${at}`),
    name: null,
    expiresAt,
    createdAt: 1,
    updatedAt: 1,
  }));
  const ruleset = world.rulesets?.[0]?.id ?? "";
  for (const part of columnsOf(rules)) memory.addRules({ rulesetId: ruleset, rules: part });
  await memory.addState({ ...EMPTY_STATE, ...world });
  const settings = {
    ...readSettings({ flag: () => undefined, environment: {}, file: undefined }),
    ...world.settings,
  };
  const keyLimits = new KeyLimits(new SteadyClock(() => 0));
  for (let request = 0; request < (world.used ?? 0); request++)
    keyLimits.take("3", "edl", NOW, { perMinute: 1e6, perMonth: 1e6 });
  const { failingSince = null } = world;
  const catalogue = {
    generation: world.sources === undefined ? 0 : 1,
    view: () => ({ catalogue: { metadata: { sources: world.sources } } }),
  };
  const threats = {
    generation: world.threatsCreatedAt === undefined ? 0 : 1,
    times: { createdAt: world.threatsCreatedAt ?? null },
  };
  const services = {
    memory,
    settings,
    keyLimits,
    pulls: { lastOf: () => null, isNotPulled: () => true },
    store: { read: async () => (world.webhooks ?? []).map(({ id }) => ({ webhookId: id, failingSince })) },
    catalogue,
    threats,
    followedCatalogue: { failingSince: world.pullsFailSince ?? null },
  } as unknown as Parameters<typeof findAttention>[2];
  const blocked = new BlockedProtected({
    lists: { preview: async () => assert.fail("nothing is published") },
    catalogue,
  });
  const activity = { changes: [], days: [], errors: [], blocked: [] };
  return findAttention(organisationId, activity, services, blocked, NOW);
}
const subjects = new Set<string>();
const found = async (world: World) => {
  const { findings } = await lookedAt(world);
  for (const { about } of findings) subjects.add(about.type);
  return findings;
};

const plan = (area: Plan["area"], until: number | null, active = true): Plan => ({
  organisationId,
  area,
  active,
  until,
  perMinute: null,
  perMonth: null,
});
const ruleset: Ruleset = {
  id: "2",
  organisationId,
  name: "Own",
  purpose: "blocklist",
  description: "",
  guard: "off",
  guardClasses: null,
  neverBlock: false,
  createdAt: 0,
  updatedAt: 0,
  version: 1,
  stamp: "",
};
const key: ApiKey = {
  kind: "api",
  id: "3",
  organisationId,
  label: "monitor",
  access: "read",
  digest: "d",
  start: "s",
  createdAt: 0,
  expiresAt: null,
  revokedAt: null,
  scopes: [],
  networks: [],
};
const list = (changes: Partial<ExternalList>): ExternalList =>
  ({ id: "4", organisationId, name: "Drop", problem: null, content: null, ...changes }) as ExternalList;
const problem = (kind: "failed" | "refused", digest: string | null) => ({
  kind,
  code: "x",
  message: "the host is gone",
  since: 5,
  digest,
});
const webhook = (changes: Partial<Webhook>): Webhook =>
  ({
    id: "5",
    organisationId,
    url: "https://hooks.example.net/secret",
    active: true,
    stopped: null,
    ...changes,
  }) as Webhook;

test("nothing is found where nothing is wrong, and it is counted what was looked at", async () => {
  const world = {
    plans: [plan("edl", null), plan("cbs", null)],
    rulesets: [ruleset],
    credentials: [key, { ...key, digest: "e", revokedAt: 1 }, { ...key, digest: "f", expiresAt: NOW }],
    externalLists: [list({})],
    webhooks: [webhook({})],
    sources: [],
    threatsCreatedAt: NOW,
  };
  const counts = { deployments: 0, lists: 1, rulesets: 1, keys: 1, webhooks: 1, datasets: 1 };
  assert.deepEqual(await lookedAt(world), { findings: [], lookedAt: counts }, "no plan for threat intelligence");
  const both = { ...world, plans: [plan("cbs", null), plan("cti", null)] };
  assert.equal((await lookedAt(both)).lookedAt.datasets, 2);
  const ended = { ...world, plans: [plan("cbs", NOW)] };
  assert.equal((await lookedAt(ended)).lookedAt.datasets, 0);
});

test("lists that could not be fetched or were refused", async () => {
  const finding = (severity: string, code: string, message: string, cure: string) => ({
    severity,
    code,
    about: { type: "list", id: "4", name: "Drop" },
    message,
    at: 5,
    cure,
    command: "ipsieve list show 4",
  });
  const correct = "See the error, and correct its URL or its format";
  const failed = "could not be fetched: the host is gone; it has no content yet";
  assert.deepEqual(await found({ externalLists: [list({ problem: problem("failed", null) })] }), [
    finding("warning", "list-failed", failed, correct),
  ]);
  const content = {} as ExternalList["content"];
  const refused = "was refused: the host is gone; the last good content is in use";
  assert.deepEqual(await found({ externalLists: [list({ problem: problem("refused", "d"), content })] }), [
    finding("critical", "list-refused", refused, "See what changed, and accept it"),
  ]);
  assert.deepEqual(await found({ externalLists: [list({ problem: problem("refused", null), content })] }), [
    finding("critical", "list-refused", refused, correct),
  ]);
});

test("endpoints that were stopped, or fail", async () => {
  const finding = (severity: string, code: string, message: string, at: number) => ({
    about: { type: "webhook", id: "5", name: "hooks.example.net" },
    cure: "See its deliveries",
    command: "ipsieve webhook deliveries 5",
    severity,
    code,
    message,
    at,
  });
  const stopped = (reason: "gone" | "failing") => [webhook({ active: false, stopped: { at: 6, reason } })];
  assert.deepEqual(await found({ webhooks: stopped("gone") }), [
    finding("critical", "webhook-disabled", "gets no events any more: it answered 410 (gone)", 6),
  ]);
  assert.deepEqual(await found({ webhooks: stopped("failing") }), [
    finding("critical", "webhook-disabled", "gets no events any more: it failed for three days", 6),
  ]);
  assert.deepEqual(await found({ webhooks: [webhook({})], failingSince: 8 }), [
    finding("warning", "webhook-failing", "does not accept events", 8),
  ]);
  assert.deepEqual(await found({ webhooks: [webhook({ active: false })], failingSince: 8 }), []);
});

test("keys and plans that end within a week", async () => {
  const expires = {
    severity: "warning",
    code: "key-expires",
    about: { type: "key", id: "3", name: "monitor" },
    message: "expires soon; programs that use it then get 401",
    at: NOW + 7 * DAY,
    cure: "Create another key, and give it to its programs",
    command: "ipsieve admin key create",
  };
  const keyUntil = (expiresAt: number) => found({ credentials: [{ ...key, expiresAt }] });
  assert.deepEqual(await keyUntil(NOW + 7 * DAY), [expires]);
  assert.deepEqual(await keyUntil(NOW + 7 * DAY + 1), []);
  const planEnds = (until: number, severity: string, code: string, message: string) => ({
    severity,
    code,
    about: { type: "plan", id: null, name: "Common Business Services" },
    message,
    at: until,
    cure: "Ask the operator to extend it",
    command: "ipsieve admin plan set cbs",
  });
  const [soon, next] = [NOW + 7 * DAY, NOW + 1];
  assert.deepEqual(await found({ plans: [plan("cbs", soon + 1)] }), []);
  for (const until of [soon, next])
    assert.deepEqual(await found({ plans: [plan("cbs", until)] }), [
      planEnds(until, "warning", "plan-ends", "ends soon"),
    ]);
  assert.deepEqual(await found({ plans: [plan("cbs", NOW)] }), [
    planEnds(NOW, "critical", "plan-ended", "has ended; its operations are refused"),
  ]);
  assert.deepEqual(await found({ plans: [plan("cbs", NOW, false), plan("edl", null)] }), []);
});

test("keys that have used up most of their requests of the month", async () => {
  const perMonth = { plans: [{ ...plan("edl", null), perMonth: 1000 }], credentials: [key] };
  const full = (severity: string, message: string) => ({
    severity,
    code: "plan-full",
    about: { type: "key", id: "3", name: "monitor" },
    message,
    at: Date.UTC(2026, 11, 1),
    cure: "Allow more requests, or ask for less",
    command: "ipsieve admin plan set edl --per-month",
  });
  assert.deepEqual(await found({ ...perMonth, used: 899 }), []);
  const left = "of 1,000 this month under EDL Management";
  assert.deepEqual(await found({ ...perMonth, used: 900 }), [full("warning", `has 100 requests left ${left}`)]);
  assert.deepEqual(await found({ ...perMonth, used: 999 }), [full("warning", `has 1 request left ${left}`)]);
  assert.deepEqual(await found({ ...perMonth, used: 1000 }), [
    full("critical", `has 0 requests left ${left}; it gets 429 until the month ends`),
  ]);
  assert.deepEqual(await found({ ...perMonth, plans: [plan("edl", null, false)], used: 1000 }), []);
});

test("limits of the server that are reached, or nearly", async () => {
  const limit = (severity: string, about: object, message: string, cure: string, command: string | null) => ({
    severity,
    code: "limit-reached",
    about,
    message,
    at: null,
    cure,
    command,
  });
  const ofServer = (name: string, setting: string, count: number, most: number) =>
    limit(
      count < most ? "warning" : "critical",
      { type: "limit", id: null, name },
      `${count < most ? "is nearly full" : "is full"}: ${count} of ${most} (--${setting}-per-organisation)`,
      "Delete what is not needed",
      null,
    );
  const many = (count: number) => Array.from({ length: count }, (_, at) => String(100 + at));
  const rulesets = (count: number) => ({ rulesets: many(count).map((id) => ({ ...ruleset, id })) });
  const lists = (count: number) => ({ externalLists: many(count).map((id) => list({ id })) });
  const deployments = (count: number): Partial<State> => ({
    deployments: many(count).map((id) => ({
      id,
      organisationId,
      name: id,
      deletedAt: null,
      published: null,
      refused: null,
      definition: { active: false, include: [] },
    })) as unknown as State["deployments"],
  });
  const cases = [
    ["Rulesets", "rulesets", rulesets, "rulesetsPerOrganisation"],
    ["Deployments", "deployments", deployments, "deploymentsPerOrganisation"],
    ["External lists", "lists", lists, "listsPerOrganisation"],
  ] as const;
  for (const [name, setting, of, each] of cases) {
    const settings = { [each]: 20 };
    assert.deepEqual(await found({ ...of(17), settings }), [], name);
    for (const count of [18, 20])
      assert.deepEqual(await found({ ...of(count), settings }), [ofServer(name, setting, count, 20)]);
  }
  const rules = (count: number) => ({
    rulesets: [ruleset],
    settings: { rulesPerRuleset: 20 },
    expiries: Array.from({ length: count }, () => null),
  });
  const about = { type: "ruleset", id: "2", name: "Own" };
  const [cure, command] = ["Delete expired rules, or compact it", "ipsieve ruleset compact 2"];
  assert.deepEqual(await found(rules(17)), []);
  const nearly = "is nearly full: 18 of 20 (--rules-per-ruleset)";
  assert.deepEqual(await found(rules(18)), [limit("warning", about, nearly, cure, command)]);
  const full = "is full: 20 of 20 (--rules-per-ruleset)";
  assert.deepEqual(await found(rules(20)), [limit("critical", about, full, cure, command)]);
});

test("rules that expire within a day, and what that means", async () => {
  const expire = (message: string, at: number) => [
    {
      severity: "notice",
      code: "rules-expire",
      about: { type: "ruleset", id: "2", name: "Own" },
      message,
      at,
      cure: "See the rules, and extend those that are needed",
      command: null,
    },
  ];
  const blocks = (...expiries: (number | null)[]) => found({ rulesets: [ruleset], expiries });
  const allows = (...expiries: number[]) => found({ rulesets: [{ ...ruleset, purpose: "allowlist" }], expiries });
  assert.deepEqual(await blocks(NOW + DAY + 1, null, NOW), [], "later, never, and already");
  const last = NOW + DAY;
  const [one, both] = ["has 1 rule that expires within a day;", "has 2 rules that expire within a day;"];
  assert.deepEqual(await blocks(last, null), expire(`${one} what it blocks is then free`, last));
  assert.deepEqual(await blocks(last, NOW + 1), expire(`${both} what they block is then free`, NOW + 1));
  assert.deepEqual(await allows(last), expire(`${one} what it allows may then be blocked`, last));
  assert.deepEqual(await allows(last, last), expire(`${both} what they allow may then be blocked`, last));
});

test("old data, for those whose plan it is for", async () => {
  const days = (count: number) => new Date(NOW - count * DAY).toISOString();
  const source = (id: string | null, fetchedAt: string): Partial<CatalogueSource> => ({ id, fetchedAt });
  const ofCatalogue = (severity: string, code: string, message: string, at: number) => ({
    about: { type: "catalogue", id: null, name: "Catalogue" },
    cure: "Update the catalogue",
    command: "ipsieve cbs update",
    severity,
    code,
    message,
    at,
  });
  const plans = [plan("cbs", null), plan("cti", null)];
  assert.deepEqual(await found({ plans, sources: [source("aws", days(30))], threatsCreatedAt: NOW - 30 * DAY }), []);
  const old = {
    sources: [source("aws", days(31)), source(null, days(32)), source(AS_SOURCE, days(33))],
    threatsCreatedAt: NOW - 31 * DAY,
    pullsFailSince: 9,
  };
  assert.deepEqual(await found(old), [], "without a plan");
  const oldSince = (count: number, what: string, advice: string, severity = "warning") =>
    ofCatalogue(severity, "data-old", `is old: its ${what} are ${count} days old; ${advice}`, NOW - count * DAY);
  assert.deepEqual(await found({ ...old, plans }), [
    ofCatalogue("warning", "catalogue-not-pulled", "cannot be pulled; the last good one is in use", 9),
    oldSince(31, "official lists", 'run "ipsieve cbs update" to fetch the lists again'),
    oldSince(32, "own lists", "build the catalogue again from newer lists"),
    {
      severity: "warning",
      code: "data-old",
      about: { type: "threats", id: null, name: "Threat intelligence" },
      message: "is old: it was made 31 days ago",
      at: NOW - 31 * DAY,
      cure: "Import newer feeds",
      command: "ipsieve cti import",
    },
    // Only a release of the package has newer ones. The worst come first.
    oldSince(33, "AS numbers", "newer releases of ipsieve include newer AS numbers", "notice"),
  ]);
});

test("the worst comes first, and the subjects are those that clients are told of", async () => {
  const externalLists = [
    list({ problem: problem("failed", null) }),
    list({ id: "6", problem: problem("refused", null) }),
  ];
  const world = {
    rulesets: [ruleset],
    expiries: [NOW + 1],
    externalLists,
    plans: [plan("edl", NOW), plan("cbs", NOW + 1)],
  };
  assert.deepEqual(
    (await found(world)).map(({ severity, code }) => `${severity} ${code}`),
    ["critical list-refused", "critical plan-ended", "warning list-failed", "warning plan-ends", "notice rules-expire"],
  );
  assert.deepEqual([...subjects, "deployment"].toSorted(), [...SUBJECTS].toSorted());
});
