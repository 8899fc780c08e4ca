/**
 * The costliest requests that each operation permits, by `operationId`: the maximum amount of input, in each accepted
 * form, and bodies of the maximum length that are wrong throughout. An operation without an entry makes the bench fail,
 * and a test.
 */
import { gzipSync } from "node:zlib";
import { randomUUID } from "node:crypto";
import { PARTIAL_FORMATS, RULE_EXPORT_FORMATS } from "../../src/rulesets/export-rules.ts";
import {
  addresses,
  batch,
  endlessLine,
  invalidLines,
  FILLINGS,
  listOfRules,
  type ListType,
  log,
} from "./costly-bodies.ts";
import { dayOf, EARLIER_CATALOGUES } from "./earlier-catalogues.ts";
import type { Client, Exchange, Sending } from "./neighbour-client.ts";
import { longList } from "./long-lists.ts";

/** Sent once, or a few requests that belong together: with requests that prepare it, and others that clean up. */
export type Turn = () => Promise<unknown>;

export interface CostlyRequest {
  /** What makes it costly, in a few words. */
  readonly name: string;
  /** Prepares everything that can be prepared. */
  make(client: Client): Turn | Promise<Turn>;
}

const MAX_NAME_LENGTH = "𝕏".repeat(255);
const MAX_PASSWORD_LENGTH = "p".repeat(500);
/** Of a body that is no list. A list in it would be unknown, as everything else. */
const MEMBER = "name";
const LOG_BYTES = 32 << 20;
/** As many as are kept for undo. */
const UNDONE_RULES = 50_000;
const ADDRESSES = 250;
const LIST_TYPES: readonly ListType[] = ["application/json", "text/plain", "text/csv", "application/x-ndjson"];

const rules = ({ base, own }: Client, id = own.fullId): string => `${base}/edl/ip-rulesets/${id}/rules`;
const rulesets = ({ base }: Client): string => `${base}/edl/ip-rulesets/`;
const guard = ({ base }: Client): string => `${base}/edl/guard`;
/** The dashboard has the ruleset in the path, keys in the query. */
const previews = (client: Client): string =>
  client.base === "/v1"
    ? `${client.base}/edl/ip-rulesets:preview?ruleset_id=${client.own.fullId}`
    : `${rules(client)}:preview`;
const deployments = ({ base }: Client): string => `${base}/edl/deployments/`;
const externalLists = ({ base }: Client): string => `${base}/edl/lists/`;

const searched = (base: string, q: string): string => `${base}/cti/search?q=${encodeURIComponent(q)}`;
const SCANNED = Array.from({ length: 4 }, (_, i) => `http.user_agent:"*${i}*x*y*z*"`).join(" OR ");
const COMPARED = Array.from({ length: 16 }, (_, i) => `NOT port > ${i}`).join(" OR ");

/** The catalogue of another day each time: there are more of them than are kept open. */
function asOfAnotherDay(method: string, path: string, sent: Sending = {}): CostlyRequest {
  return {
    name: "as of another day each time",
    make: (client) => {
      let turn = 0;
      return () => {
        const day = dayOf(turn++ % EARLIER_CATALOGUES);
        return client.ask(method, `${client.base}/cbs/${path}as_of=${day}`, sent);
      };
    },
  };
}

/** Always the same request, or several in turn. */
function sending(
  name: string,
  method: string,
  pathOf: (client: Client) => string,
  ...sent: readonly Sending[]
): CostlyRequest {
  return { name, make: (client) => inTurns(client, method, pathOf(client), sent) };
}

function inTurns(client: Client, method: string, path: string, sent: readonly Sending[]): Turn {
  let turn = 0;
  return () => client.ask(method, path, sent[turn++ % Math.max(1, sent.length)]);
}

function getting(
  name: string,
  pathOf: (client: Client) => string,
  headers: Readonly<Record<string, string>> = {},
): CostlyRequest {
  return sending(name, "GET", pathOf, { headers });
}

/** Bodies of the maximum length that are wrong throughout: one by one if they may be long, otherwise in turn. */
function wrongBodies(
  method: string,
  pathOf: (client: Client) => string,
  member: string = MEMBER,
  isBulk = false,
): CostlyRequest[] {
  const make = async (client: Client, fillings: readonly string[]): Promise<Turn> => {
    const { bulk_body_bytes: bulk, body_bytes: single } = client.access.limits;
    const bytes = await client.permittedBytes(method, pathOf(client), "application/json", isBulk ? bulk : single);
    return inTurns(
      client,
      method,
      pathOf(client),
      fillings.map((filling) => ({ body: FILLINGS[filling]!(bytes, member) })),
    );
  };
  const all = Object.keys(FILLINGS);
  if (!isBulk) return [{ name: "bodies of the limit full of wrong things", make: (client) => make(client, all) }];
  return all.map((filling) => ({
    name: `a body of the limit full of ${filling}`,
    make: (client) => make(client, [filling]),
  }));
}

/** A body made anew for each turn. */
function sendingNew(
  name: string,
  method: string,
  pathOf: (client: Client) => string,
  bodyOf: (turn: number) => unknown,
): CostlyRequest {
  return {
    name,
    make: (client) => {
      let turn = 0;
      return () => client.ask(method, pathOf(client), { body: JSON.stringify(bodyOf(turn++)) });
    },
  };
}

/** Lists of a million rules, or as many as are permitted, in each form; each changes all rules of the previous one. */
function wholeLists(
  method: string,
  pathOf: (client: Client) => string,
  types: readonly ListType[] = LIST_TYPES,
): CostlyRequest[] {
  const lists = types.map((type): CostlyRequest => ({
    name: `a list of as many rules as are permitted, ${type}`,
    async make(client) {
      const { rules_per_ruleset: count, bulk_body_bytes: most } = client.access.limits;
      const bytes = await client.permittedBytes(method, pathOf(client), type, most);
      return inTurns(
        client,
        method,
        pathOf(client),
        [1, 2].map((seed) => ({ type, body: listOfRules(type, count, bytes, seed) })),
      );
    },
  }));
  const wrongLines = Object.entries({ "invalid lines": invalidLines, "one line without an end": endlessLine }).map(
    ([name, bodyOf]): CostlyRequest => ({
      name: `a body of the limit of ${name}`,
      async make(client) {
        const bytes = await client.permittedBytes(
          method,
          pathOf(client),
          "text/csv",
          client.access.limits.bulk_body_bytes,
        );
        return inTurns(client, method, pathOf(client), [{ type: "text/csv", body: bodyOf(bytes) }]);
      },
    }),
  );
  return [...lists, ...wrongLines];
}

/** As many addresses as are permitted, bare where `member` is undefined. */
function manyAddresses(
  name: string,
  pathOf: (client: Client) => string,
  member: string | undefined,
  headers: Readonly<Record<string, string>> = {},
): CostlyRequest {
  return {
    name,
    make: (client) => {
      const ips = addresses(client.access.limits.bulk_addresses, 3);
      return inTurns(client, "POST", pathOf(client), [
        { headers, body: JSON.stringify(member === undefined ? ips : { [member]: ips }) },
      ]);
    },
  };
}

/** Streams, which may have any length. */
function streams(pathOf: (client: Client) => string): CostlyRequest[] {
  const bodies: Readonly<Record<string, () => Sending>> = {
    "a stream of addresses": () => ({
      type: "text/plain",
      body: Buffer.from(`${addresses(1_000_000, 4).join("\n")}\n`),
    }),
    "a stream of lines that are no addresses": () => ({
      type: "application/x-ndjson",
      body: Buffer.alloc(LOG_BYTES, '{"ip":1}\n'),
    }),
    "a stream of one line": () => ({ type: "text/plain", body: Buffer.alloc(LOG_BYTES, "1") }),
  };
  return Object.entries(bodies).map(([name, sentOf]) => ({
    name,
    make: (client) => inTurns(client, "POST", pathOf(client), [sentOf()]),
  }));
}

const idOf = ({ text }: Exchange): string =>
  /"id":"([0-9a-f-]{36})"/.exec(text)?.[1] ?? "00000000-0000-4000-8000-000000000000";

/** Each from another address of this machine, and therefore with a limit of its own. */
function fromEverywhere(turn: number): string {
  return `127.1.${Math.floor(turn / ADDRESSES) % ADDRESSES}.${1 + (turn % ADDRESSES)}`;
}

/** Attempts at passwords and tokens. */
function guessing(path: string, bodyOf: (turn: number) => object): CostlyRequest[] {
  const everywhere: CostlyRequest = {
    name: "wrong, each from another address",
    make: (client) => {
      let turn = 0;
      return () =>
        client.ask("POST", client.base + path, { body: JSON.stringify(bodyOf(turn)), from: fromEverywhere(turn++) });
    },
  };
  return [
    everywhere,
    sendingNew("wrong, all from one address", "POST", ({ base }) => base + path, bodyOf),
    ...wrongBodies("POST", ({ base }) => base + path),
  ];
}

const bulkThreats = (pathOf: (client: Client) => string): CostlyRequest[] => [
  manyAddresses("as many addresses as are permitted", pathOf, "ips"),
  manyAddresses("… answered by lines", pathOf, undefined, { Accept: "application/x-ndjson" }),
  ...streams(pathOf),
  ...wrongBodies("POST", pathOf, "ips", true),
];

/** Uploads a log, as something to read or delete; again if others are still in progress. */
async function uploaded(client: Client, bytes: number): Promise<string> {
  for (let tries = 0; ; tries++) {
    const answer = await client.ask("POST", `${client.base}/identifications?id=${randomUUID()}`, {
      type: "text/plain",
      body: log(bytes),
    });
    if (answer.status === 200 || tries === 50) return idOf(answer);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** A temporary ruleset. */
async function createRuleset(client: Client): Promise<string> {
  return idOf(
    await client.ask("POST", rulesets(client), {
      body: JSON.stringify({ name: MAX_NAME_LENGTH, purpose: "blocklist", description: "d".repeat(1000) }),
    }),
  );
}

/** Of the whole catalogue. */
const LARGE = [{ cbs: "/cloud" }, { cbs: "/cdn" }];
const SMALL = [{ prefixes: ["203.0.113.0/24"] }];

async function createDeployment(client: Client): Promise<string> {
  const include = [{ ruleset: client.own.fullId }];
  return idOf(await client.ask("POST", deployments(client), { body: JSON.stringify({ name: "costly", include }) }));
}

/** A request about the full ruleset and the largest nodes. */
function ofSets(name: string, path: string, bodyOf: (sources: readonly object[]) => object): CostlyRequest {
  return {
    name,
    make: (client) => {
      const body = JSON.stringify(bodyOf([{ ruleset: client.own.fullId }, ...LARGE]));
      return () => client.ask("POST", client.base + path, { body });
    },
  };
}

/** 20 sets of the sources, in turn. */
function repeated(sources: readonly object[]): object[] {
  return Array.from({ length: 20 }, (_, at) => sources[at % sources.length]!);
}

const WEBHOOK = { url: "https://example.org/hook", kinds: ["rule.created"], active: false };
const MAX_DESCRIPTION = "d".repeat(1000);
const webhooks = ({ base }: Client): string => `${base}/webhooks`;

async function createWebhook(client: Client): Promise<string> {
  return webhookIdOf(await client.ask("POST", webhooks(client), { body: JSON.stringify(WEBHOOK) }));
}

function webhookIdOf({ text }: Exchange): string {
  return (JSON.parse(text) as { webhook: { id: string } }).webhook.id;
}

/** Requests about an endpoint that is created for them, to which nothing is delivered. */
function ofWebhook(name: string, method: string, rest: string, bodyOf?: (turn: number) => unknown): CostlyRequest {
  return {
    name,
    make: (client) => {
      let turn = 0;
      return async () => {
        const path = `${webhooks(client)}/${await createWebhook(client)}`;
        await client.ask(method, path + rest, bodyOf === undefined ? {} : { body: JSON.stringify(bodyOf(turn++)) });
        await client.ask("DELETE", path);
      };
    },
  };
}

/** Requests about a message to an endpoint, which has failed: no name has the address. */
function ofDelivery(name: string, method: string, rest: string): CostlyRequest {
  return {
    name,
    make: (client) => async () => {
      const path = `${webhooks(client)}/${await createWebhook(client)}`;
      const { id } = JSON.parse((await client.ask("POST", `${path}:test`)).text) as { id: string };
      await client.ask(method, `${path}/deliveries/${id}${rest}`);
      await client.ask("DELETE", path);
    },
  };
}

/** Requests about a deployment of the full ruleset, made for them. */
function ofDeployment(name: string, method: string, rest: string, bodyOf?: (turn: number) => unknown): CostlyRequest {
  return {
    name,
    async make(client) {
      const path = `${deployments(client)}${await createDeployment(client)}${rest}`;
      let turn = 0;
      return () => client.ask(method, path, bodyOf === undefined ? {} : { body: JSON.stringify(bodyOf(turn++)) });
    },
  };
}

async function createList(client: Client): Promise<string> {
  const body = { name: "costly", url: await longList(), active: false, max_change: 1_000_000 };
  return idOf(await client.ask("POST", externalLists(client), { body: JSON.stringify(body) }));
}

/** Requests about an external list of a million entries that has been fetched. */
function ofList(name: string, method: string, rest: string, bodyOf?: (client: Client) => unknown): CostlyRequest {
  return {
    name,
    async make(client) {
      const own = externalLists(client) + (await createList(client));
      await client.ask("POST", `${own}:refresh`, { body: "{}" });
      return () => client.ask(method, own + rest, bodyOf === undefined ? {} : { body: JSON.stringify(bodyOf(client)) });
    },
  };
}

async function importMany(client: Client, seed: number, id: string, count = UNDONE_RULES): Promise<void> {
  await client.ask("POST", `${rules(client, id)}:import?conflict_resolution=override`, {
    type: "text/csv",
    body: listOfRules("text/csv", count, 1 << 26, seed),
  });
}

/** The rules of a ruleset change before every request, so that nothing of the previous response can be reused. */
function afterAChange(name: string, pathOf: (client: Client) => string | Promise<string>): CostlyRequest {
  return {
    name,
    async make(client) {
      const ip = await aRuleOf(client);
      let turn = 0;
      return async () => {
        await client.ask("PUT", `${rules(client)}/rule?ip=${encodeURIComponent(ip)}`, {
          body: JSON.stringify({ name: `turn ${turn++}` }),
        });
        await client.ask("GET", await pathOf(client));
      };
    },
  };
}

/** The export of the version before the last one. */
async function earlierVersion(client: Client): Promise<string> {
  const { text } = await client.ask("GET", `${rulesets(client)}${client.own.fullId}/versions?page_size=2`);
  const { version } = JSON.parse(text).items[1];
  return `${rules(client)}:export?format=ndjson&active_only=false&version=${version}`;
}

/** The prefix of a rule of the full ruleset. */
async function aRuleOf(client: Client): Promise<string> {
  const { text } = await client.ask("GET", `${rules(client)}?page_size=1`);
  return (JSON.parse(text) as { items: { ip: string }[] }).items[0]!.ip;
}

const lastPage = ({ access }: Client): number => Math.floor((0.9 * access.limits.rules_per_ruleset) / 1000);
/** Words without a match, each nearly a name of the catalogue. */
const TYPOS =
  "amzaon clodflare micosoft gogle orcale akmai fasly digtal oceam hetznr linodd alibba tencnt githb sals force zom sclack drpbox".slice(
    0,
    200,
  );

export const COSTLIEST: Readonly<Record<string, readonly CostlyRequest[]>> = {
  listRulesets: [getting("the largest page", (client) => `${rulesets(client)}?page_size=1000`)],
  createRuleset: [
    {
      name: "the longest texts",
      make: (client) => async () => void (await client.ask("DELETE", rulesets(client) + (await createRuleset(client)))),
    },
    ...wrongBodies("POST", rulesets),
  ],
  getRuleset: [getting("of as many rules as there are", (client) => rulesets(client) + client.own.fullId)],
  updateRuleset: [
    sendingNew(
      "the longest texts",
      "PATCH",
      (client) => rulesets(client) + client.own.fullId,
      (turn) => ({ name: `${turn}${MAX_NAME_LENGTH}`.slice(0, 255), description: `${turn}${"d".repeat(990)}` }),
    ),
    ...wrongBodies("PATCH", (client) => rulesets(client) + client.own.fullId),
  ],
  deleteRuleset: [
    {
      name: "of 50,000 rules",
      make: (client) => async () => {
        const id = await createRuleset(client);
        await importMany(client, 1, id);
        await client.ask("DELETE", rulesets(client) + id);
      },
    },
  ],
  getGuard: [getting("as it is", guard)],
  updateGuard: [
    sendingNew("other classes", "PATCH", guard, (turn) => ({
      guard_classes: turn % 2 === 0 ? null : ["serving", "rented", "anonymiser", "scanner", "access"],
    })),
    ...wrongBodies("PATCH", guard, "guard_classes"),
  ],
  listDeployments: [getting("the largest page", (client) => `${deployments(client)}?page_size=1000`)],
  createDeployment: [
    {
      name: "of the full ruleset and the largest node",
      make: (client) => async () => {
        const id = await createDeployment(client);
        await client.ask("DELETE", deployments(client) + id);
      },
    },
    ...wrongBodies("POST", deployments, "include"),
  ],
  getDeployment: [ofDeployment("as it is", "GET", "")],
  updateDeployment: [
    ofDeployment("other sources", "PATCH", "", (turn) => ({ include: turn % 2 === 0 ? LARGE : SMALL })),
  ],
  deleteDeployment: [
    {
      name: "of the full ruleset",
      make: (client) => async () => {
        await client.ask("DELETE", deployments(client) + (await createDeployment(client)));
      },
    },
  ],
  getDeploymentUrls: [ofDeployment("as they are", "GET", "/urls/")],
  listBlocked: [ofDeployment("as it is", "GET", "/blocked/")],
  listPulls: [ofDeployment("as it is", "GET", "/pulls/")],
  previewDeployment: [ofDeployment("of the largest node", "POST", ":preview", () => ({ include: LARGE }))],
  previewNewDeployment: [
    sending("of the largest node", "POST", ({ base }) => `${base}/edl/deployments:preview`, {
      body: JSON.stringify({ include: LARGE }),
    }),
    ofSets("of a full ruleset, shortened to 10,000 entries", "/edl/deployments:preview", ([source]) => ({
      include: [source],
      guard: "off",
      options: { max_entries: 10_000, overflow: "fit" },
    })),
  ],
  publishDeployment: [ofDeployment("while none is refused", "POST", ":publish", () => ({ generation: 1 }))],
  searchRules: [
    {
      name: "a name that many rules have, another each time",
      make: (client) => {
        let turn = 0;
        return () =>
          client.ask("POST", `${rulesets(client).slice(0, -1)}:search`, {
            body: JSON.stringify({ name: String(turn++ % 1000), limit: 1000 }),
          });
      },
    },
    ...wrongBodies("POST", (client) => `${rulesets(client).slice(0, -1)}:search`, "name"),
  ],
  undoChange: [{ name: "of 50,000 rules", make: (client) => undoOfAnyTurn(client) }],
  relateSets: [
    ofSets("as many as are permitted, large", "/edl/ip-rulesets:relate", (sources) => ({ sets: repeated(sources) })),
    ...wrongBodies("POST", ({ base }) => `${base}/edl/ip-rulesets:relate`, "sets", true),
  ],
  computeSet: [
    ofSets("as many as are permitted, large", "/sets:compute", (sources) => ({
      operation: "union",
      sets: repeated(sources),
    })),
    ofSets("voting, as many as are permitted, large", "/sets:compute", (sources) => ({
      operation: "atleast",
      at_least: 2,
      sets: repeated(sources),
    })),
    ...wrongBodies("POST", ({ base }) => `${base}/sets:compute`, "sets", true),
  ],
  fitSets: [
    ofSets("of as many as are permitted, large, with a loss", "/edl/ip-rulesets:fit", (sources) => ({
      sets: repeated(sources),
      entries: 10_000,
      loss: "add",
    })),
    ofSets("the largest number of entries that tables choose from", "/edl/ip-rulesets:fit", ([source]) => ({
      sets: [source],
      entries: 4,
      loss: "add",
      min_prefix_v4: 0,
      min_prefix_v6: 0,
    })),
    ...wrongBodies("POST", ({ base }) => `${base}/edl/ip-rulesets:fit`, "sets", true),
  ],
  replayLog: [
    {
      name: "the full ruleset against the largest node, with as many results as are permitted",
      make: (client) => {
        const asked = { rules: { ruleset: client.own.fullId }, against: LARGE[0], top: 1000 };
        return afterUploads(client, 1, (identification) =>
          client.ask("POST", `${client.base}/replays`, { body: JSON.stringify({ identification, ...asked }) }),
        );
      },
    },
    ...wrongBodies("POST", ({ base }) => `${base}/replays`, "rules"),
  ],
  getReplay: [
    {
      name: "with as many results as are permitted",
      make: (client) =>
        afterUploads(client, 1, async (identification) => {
          const asked = { identification, rules: LARGE[0], top: 1000 };
          const made = await client.ask("POST", `${client.base}/replays`, { body: JSON.stringify(asked) });
          await client.ask("GET", `${client.base}/replays/${idOf(made)}`);
        }),
    },
  ],
  rotateDeployment: [ofDeployment("the URLs", "POST", ":rotate", () => ({ credential: "url" }))],
  listExternalLists: [getting("the largest page", (client) => `${externalLists(client)}?page_size=1000`)],
  createExternalList: [
    {
      name: "that is not fetched",
      make: (client) => async () => {
        await client.ask("DELETE", externalLists(client) + (await createList(client)));
      },
    },
    ...wrongBodies("POST", externalLists),
  ],
  getExternalList: [ofList("of a million entries", "GET", "")],
  updateExternalList: [ofList("the schedule", "PATCH", "", () => ({ schedule: "6h" }))],
  deleteExternalList: [
    {
      name: "of a million entries",
      make: (client) => async () => {
        const own = externalLists(client) + (await createList(client));
        await client.ask("POST", `${own}:refresh`, { body: "{}" });
        await client.ask("DELETE", own);
      },
    },
  ],
  refreshExternalList: [ofList("a million entries, all of them new", "POST", ":refresh", () => ({}))],
  writeExternalList: [
    ofList("a million entries into the full ruleset", "POST", ":write", ({ own }) => ({
      ruleset_id: own.fullId,
      expires_in_days: 1,
    })),
  ],
  setListCredentials: [
    ofList("a header", "POST", ":credentials", () => ({
      credentials: { type: "header", header: "X-Key", value: "v".repeat(4000) },
    })),
  ],
  listWebhooks: [getting("as many as there are", webhooks)],
  createWebhook: [
    ofWebhook("the longest description", "PATCH", "", () => ({ description: MAX_DESCRIPTION })),
    ...wrongBodies("POST", webhooks, "kinds"),
  ],
  getWebhook: [ofWebhook("as it is", "GET", "")],
  updateWebhook: [ofWebhook("other events", "PATCH", "", () => ({ kinds: ["rule.created", "rule.deleted"] }))],
  deleteWebhook: [ofWebhook("one after the other", "GET", "")],
  rotateWebhook: [ofWebhook("again and again", "POST", ":rotate", () => ({ grace_hours: 1 }))],
  testWebhook: [ofWebhook("to a host that cannot be reached", "POST", ":test")],
  listWebhookDeliveries: [ofWebhook("as they are", "GET", "/deliveries")],
  getWebhookDelivery: [ofDelivery("one after the other", "GET", "")],
  resendWebhookDelivery: [ofDelivery("to a host that cannot be reached", "POST", ":resend")],
  listRules: [
    getting("the largest page, deep", (client) => `${rules(client)}?page=${lastPage(client)}&page_size=1000`),
    afterAChange(
      "the largest page, deep, of active rules, after a change",
      (client) => `${rules(client)}?page=${lastPage(client)}&page_size=1000&active_only=true`,
    ),
  ],
  addRule: [
    { name: "the longest name", make: (client) => addOneByOne(client) },
    ...wrongBodies("POST", (client) => rules(client, client.own.scratchId)),
  ],
  replaceRules: [
    ...wholeLists("PUT", (client) => `${rules(client, client.own.scratchId)}?max_shrink=100`),
    ...wholeLists("PUT", (client) => `${rules(client)}?dry_run=true`, ["text/csv"]),
    ...wrongBodies("PUT", (client) => rules(client, client.own.scratchId), "rules", true),
  ],
  compactRules: [
    {
      name: "as many rules as there are",
      async make(client) {
        return () => client.ask("POST", `${rules(client)}:compact?ignore_names=true&dry_run=true`);
      },
    },
  ],
  getRule: [
    {
      name: "of as many rules as there are",
      async make(client) {
        const path = `${rules(client)}/rule?ip=${encodeURIComponent(await aRuleOf(client))}`;
        return () => client.ask("GET", path);
      },
    },
  ],
  updateRule: [
    { name: "the longest name", make: (client) => updateOneRule(client) },
    ...wrongBodies("PUT", (client) => `${rules(client)}/rule?ip=16.0.0.1`),
  ],
  deleteRule: [
    {
      name: "of as many rules as there are",
      make: (client) => async () => {
        await client.ask("POST", rules(client), { body: '{"ip":"64.0.0.1"}' });
        await client.ask("DELETE", `${rules(client)}/rule?ip=64.0.0.1`);
      },
    },
  ],
  checkRules: [
    manyAddresses("as many addresses as are permitted", (client) => `${rules(client)}:check`, "ips"),
    ...streams((client) => `${rules(client)}:check`),
    ...wrongBodies("POST", (client) => `${rules(client)}:check`, "ips", true),
  ],
  getStatus: [getting("as it is", ({ base }) => `${base}/status`)],
  explainAddresses: [
    manyAddresses("as many addresses as are permitted", ({ base }) => `${base}/edl/ip-rulesets:explain`, "ips"),
    ...wrongBodies("POST", ({ base }) => `${base}/edl/ip-rulesets:explain`, "ips", true),
  ],
  batchRules: [
    { name: "as many items as are permitted", make: (client) => batches(client, client.own.scratchId) },
    { name: "… in as many rules as there are", make: (client) => batches(client, client.own.fullId) },
    {
      name: "… that are there already, and may not be",
      async make(client) {
        const path = `${rules(client, client.own.scratchId)}:batch`;
        const count = client.access.limits.bulk_addresses;
        await client.ask("POST", path, { body: batch(count, 1) });
        return inTurns(client, "POST", path, [{ body: batch(count, 1, "fail") }]);
      },
    },
    ...wrongBodies("POST", (client) => `${rules(client)}:batch`, "items", true),
  ],
  exportRules: [
    ...RULE_EXPORT_FORMATS.filter((format) => !PARTIAL_FORMATS.has(format)).map((format) =>
      afterAChange(`${format}, after a change`, (client) => `${rules(client)}:export?format=${format}`),
    ),
    afterAChange("an earlier version, another each time", earlierVersion),
  ],
  listRulesetVersions: [
    afterAChange("all versions", (client) => `${rulesets(client)}${client.own.fullId}/versions?page_size=1000`),
  ],
  readSnapshot: [getting("all rules", ({ base }) => `${base}/snapshot`)],
  listChanges: [
    getting("as many changes as are permitted", ({ base }) => `${base}/changes?limit=10000`),
    getting("all changes in lines", ({ base }) => `${base}/changes`, { accept: "application/x-ndjson" }),
  ],
  pullCatalogue: [getting("all of it", ({ base }) => `${base}/cbs/snapshot`)],
  pullThreats: [getting("all of it", ({ base }) => `${base}/cti/snapshot`)],
  pullRuleset: [afterAChange("after a change", (client) => `${rulesets(client)}${client.own.fullId}/snapshot`)],
  lookupCbs: [
    getting("a prefix that many cover", ({ base }) => `${base}/cbs/lookup?ip=52.94.76.1`),
    asOfAnotherDay("GET", "lookup?ip=52.94.76.1&"),
  ],
  bulkLookupCbs: [
    asOfAnotherDay("POST", "lookup?", { body: JSON.stringify({ ips: ["52.94.76.1"] }) }),
    manyAddresses("as many addresses as are permitted", ({ base }) => `${base}/cbs/lookup`, "ips"),
    ...streams(({ base }) => `${base}/cbs/lookup`),
    ...wrongBodies("POST", ({ base }) => `${base}/cbs/lookup`, "ips", true),
  ],
  getCbsNode: [
    getting("the root", ({ base }) => `${base}/cbs/node`),
    getting("a node of many", ({ base }) => `${base}/cbs/node?id=/cloud`),
  ],
  listCbsRanges: [
    asOfAnotherDay("GET", "ranges?aggregate=true&", { headers: { Accept: "text/csv" } }),
    getting("all as CSV", ({ base }) => `${base}/cbs/ranges`, { Accept: "text/csv" }),
    getting("all as CSV, aggregated", ({ base }) => `${base}/cbs/ranges?aggregate=true`, { Accept: "text/csv" }),
    getting("all as text, aggregated", ({ base }) => `${base}/cbs/ranges?aggregate=true`, { Accept: "text/plain" }),
    getting(
      "the largest page, deep, aggregated",
      ({ base }) => `${base}/cbs/ranges?aggregate=true&page=20&page_size=1000`,
    ),
    getting("the largest page, deep", ({ base }) => `${base}/cbs/ranges?page=200&page_size=1000`),
  ],
  exportCbsRanges: RULE_EXPORT_FORMATS.filter((format) => !PARTIAL_FORMATS.has(format)).map((format) =>
    getting(
      `all as ${format}`,
      ({ base }) =>
        `${base}/cbs/ranges:export?format=${format}&purpose=${format === "traefik" ? "allowlist" : "blocklist"}`,
    ),
  ),
  searchCbs: [
    getting("many words with typos", ({ base }) => `${base}/cbs/search?page_size=1000&q=${encodeURIComponent(TYPOS)}`),
    getting(
      "one long word",
      ({ base }) => `${base}/cbs/search?page_size=1000&q=${"amazonwebservices".repeat(12).slice(0, 200)}`,
    ),
    getting("a short prefix", ({ base }) => `${base}/cbs/search?page_size=1000&q=a`),
  ],
  diffCbs: [
    getting("from the oldest to the current one", ({ base }) => `${base}/cbs/diff?page_size=1000&from=${dayOf(0)}`),
  ],
  listCbsRegions: [getting("the largest page", ({ base }) => `${base}/cbs/regions?page_size=1000`)],
  listCbsServices: [getting("the largest page", ({ base }) => `${base}/cbs/services?page_size=1000`)],
  listCbsProviders: [getting("the largest page", ({ base }) => `${base}/cbs/providers?page_size=1000`)],
  lookupIp: [getting("an address that is known", ({ base }) => `${base}/cti/lookup/198.51.100.130`)],
  extendedLookupIp: [getting("an address that is known", ({ base }) => `${base}/cti/extended_lookup/198.51.100.130`)],
  importRules: [
    ...wholeLists("POST", (client) => `${rules(client, client.own.scratchId)}:import?conflict_resolution=override`),
    ...wrongBodies("POST", (client) => `${rules(client, client.own.scratchId)}:import`, "rules", true),
  ],
  searchThreats: [
    getting("every value of a field, as often as permitted", ({ base }) => searched(base, SCANNED)),
    getting("as many comparisons as are permitted", ({ base }) => searched(base, COMPARED)),
    getting(
      "the largest page of everything",
      ({ base }) => `${searched(base, "seen:true")}&extended=true&page_size=1000`,
    ),
  ],
  countThreatValues: [
    sending("as many fields as are permitted", "POST", ({ base }) => `${base}/cti/search:facets`, {
      body: JSON.stringify({ q: COMPARED, limit: 100, fields: Array.from({ length: 20 }, () => "http.user_agent") }),
    }),
    ...wrongBodies("POST", ({ base }) => `${base}/cti/search:facets`, "fields", true),
  ],
  listSearchFields: [getting("as they are", ({ base }) => `${base}/cti/search:fields`)],
  bulkLookup: bulkThreats(({ base }) => `${base}/cti/bulk_lookup`),
  bulkLookupAlias: bulkThreats(() => "/bulk_lookup"),

  getSetup: [getting("as it is", ({ base }) => `${base}/setup`)],
  setUp: guessing("/setup", (turn) => ({
    token: `${turn}`.padEnd(43, "x"),
    organisation: MAX_NAME_LENGTH,
    name: "n".repeat(100),
    password: MAX_PASSWORD_LENGTH,
  })),
  getSession: [getting("as it is", ({ base }) => `${base}/session`)],
  signOut: [
    {
      name: "of one session after the other",
      make: (client) => {
        let turn = 0;
        const { spareSessions } = client.own;
        return () =>
          client.ask("DELETE", `${client.base}/session`, {
            headers: client.asSession(spareSessions[turn++ % spareSessions.length]!),
          });
      },
    },
  ],
  signIn: guessing("/session", (turn) => ({ name: `user ${turn}`, password: MAX_PASSWORD_LENGTH })),
  join: guessing("/join", (turn) => ({ token: `${turn}`.padEnd(43, "x"), password: MAX_PASSWORD_LENGTH })),
  changePassword: [
    sendingNew(
      "a wrong password",
      "PUT",
      ({ base }) => `${base}/session/password`,
      (turn) => ({ password: `${turn}${MAX_PASSWORD_LENGTH}`.slice(0, 500), new_password: MAX_PASSWORD_LENGTH }),
    ),
    ...wrongBodies("PUT", ({ base }) => `${base}/session/password`),
  ],
  listUsers: [getting("as many as there are", ({ base }) => `${base}/users`)],
  createUser: [
    {
      name: "the longest name",
      make: (client) =>
        createAndDelete(client, "/users", (turn) => ({
          name: `${client.own.userId} ${turn} ${"n".repeat(100)}`.slice(0, 100),
          role: "viewer",
        })),
    },
    ...wrongBodies("POST", ({ base }) => `${base}/users`),
  ],
  updateUser: [
    sendingNew(
      "roles by turns",
      "PATCH",
      ({ base, own }) => `${base}/users/${own.userId}`,
      (turn) => ({ role: turn % 2 === 0 ? "viewer" : "editor" }),
    ),
    ...wrongBodies("PATCH", ({ base, own }) => `${base}/users/${own.userId}`, "role"),
  ],
  deleteUser: [
    {
      name: "one after the other",
      make: (client) =>
        createAndDelete(client, "/users", (turn) => ({ name: `${client.own.userId} deleted ${turn}`, role: "viewer" })),
    },
  ],
  inviteUser: [sending("again and again", "POST", ({ base, own }) => `${base}/users/${own.userId}/invitation`, {})],
  listKeys: [getting("as many as there are", ({ base }) => `${base}/keys`)],
  createKey: [
    {
      name: "the longest label",
      make: (client) => createAndDelete(client, "/keys", () => ({ label: MAX_NAME_LENGTH, access: "read" })),
    },
    ...wrongBodies("POST", ({ base }) => `${base}/keys`, "label"),
  ],
  revokeKey: [
    {
      name: "one after the other",
      make: (client) => createAndDelete(client, "/keys", () => ({ label: "revoked", access: "read" })),
    },
  ],
  listBouncers: [getting("as many as there are", ({ base }) => `${base}/bouncers`)],
  createBouncer: [
    {
      name: "the longest label",
      async make(client) {
        const id = await createDeployment(client);
        return createAndDelete(client, "/bouncers", () => ({ deployment_id: id, label: MAX_NAME_LENGTH }));
      },
    },
    ...wrongBodies("POST", ({ base }) => `${base}/bouncers`, "label"),
  ],
  listTaxiiCollections: [getting("as many as there are", ({ base }) => `${base}/taxii/collections`)],
  listTaxiiCredentials: [getting("as many as there are", ({ base }) => `${base}/taxii/credentials`)],
  createTaxiiCredential: wrongBodies("POST", ({ base }) => `${base}/taxii/credentials`, "label"),
  revokeTaxiiCredential: [
    {
      name: "one after the other",
      async make(client) {
        const collection = idOf(await client.ask("GET", `${client.base}/taxii/collections`));
        return createAndDelete(client, "/taxii/credentials", () => ({ label: "revoked", collections: [collection] }));
      },
    },
  ],
  listEdgeComponents: [getting("as many as there are", ({ base }) => `${base}/edge-components`)],
  createEdgeComponent: wrongBodies("POST", ({ base }) => `${base}/edge-components`, "label"),
  revokeEdgeComponent: [
    {
      name: "one after the other",
      async make(client) {
        const id = await createDeployment(client);
        return createAndDelete(client, "/edge-components", () => ({
          deployment_id: id,
          label: "revoked",
          component_type: "web",
        }));
      },
    },
  ],
  revokeBouncer: [
    {
      name: "one after the other",
      async make(client) {
        const id = await createDeployment(client);
        return createAndDelete(client, "/bouncers", () => ({ deployment_id: id, label: "revoked" }));
      },
    },
  ],
  listAudit: [
    getting("as many as are permitted", ({ base }) => `${base}/audit?limit=100`),
    getting(
      "… by a filter that lets nothing through",
      ({ base }) => `${base}/audit?limit=100&kind=set-plan&until=1971-01-01T00:00:00Z`,
    ),
    getting(
      "… of a ruleset that many changes touched",
      ({ base, own }) => `${base}/audit?limit=100&ruleset_id=${own.scratchId}`,
    ),
  ],
  getAuditFilters: [getting("as it is", ({ base }) => `${base}/audit/filters`)],
  exportAudit: [
    getting("all of it as NDJSON", ({ base }) => `${base}/audit:export?format=ndjson`),
    getting("all of it as CSV", ({ base }) => `${base}/audit:export`),
    getting(
      "a filter that lets nothing through",
      ({ base }) => `${base}/audit:export?kind=set-plan&until=1971-01-01T00:00:00Z`,
    ),
  ],
  changeMatchingRules: [
    { name: "the expiry of a full ruleset", make: (client) => changeAll(client) },
    { name: "the expiry of as many as there are", make: (client) => changeMatching(client, "set_expiry") },
    { name: "deletes as many as there are", make: (client) => changeMatching(client, "delete") },
    ...wrongBodies("POST", (client) => `${rows(client)}:change`),
  ],
  listRows: [
    getting("a name that no rule has", (client) => `${rows(client)}?limit=1000&name=${"x".repeat(255)}`),
    { name: "a name that many rules have, another each time, deep", make: (client) => searchedRows(client) },
    getting(
      "rules that expire soon",
      (client) => `${rows(client)}?limit=1000&state=expiring&expiring_within_days=36500`,
    ),
    getting("all within a short prefix, deep", (client) => `${rows(client)}?limit=1000&offset=500000&ip=0.0.0.0/0`),
    afterAChange("a name, after a change", (client) => `${rows(client)}?limit=1000&name=feed`),
  ],
  getUndo: [{ name: "of 50,000 rules", make: (client) => importedTurn(client, (path) => client.ask("GET", path)) }],
  undo: [{ name: "of 50,000 rules", make: (client) => undoTurn(client) }],
  listIdentifications: [
    {
      name: "as many as are kept",
      make: (client) => afterUploads(client, 5, () => client.ask("GET", `${client.base}/identifications`)),
    },
  ],
  identifyLog: uploads(),
  getIdentification: [
    {
      name: "of a log",
      make: (client) => afterUploads(client, 1, (id) => client.ask("GET", `${client.base}/identifications/${id}`)),
    },
  ],
  deleteIdentification: [
    {
      name: "of a log",
      make: (client) => async () =>
        void (await client.ask("DELETE", `${client.base}/identifications/${await uploaded(client, 1 << 20)}`)),
    },
  ],
  getIdentificationResult: [
    {
      name: "of a log",
      make: (client) =>
        afterUploads(client, 1, (id) => client.ask("GET", `${client.base}/identifications/${id}/result`)),
    },
  ],
  lookup: [getting("an address that is known", ({ base }) => `${base}/lookup?ip=1.1.1.1`)],
  getUsage: [getting("as it is", ({ base }) => `${base}/usage`)],
  getCatalogueUpdate: [getting("as it is", ({ base }) => `${base}/catalogue/update`)],
  // The work is a process of its own, one at a time.
  updateCatalogue: [sending("one after the other", "POST", ({ base }) => `${base}/catalogue/update`, {})],
  getThreatDataset: [getting("as it is", ({ base }) => `${base}/threats`)],
  getFeedImport: [getting("as it is", ({ base }) => `${base}/threats/import`)],
  // Compiled by a process of its own, one at a time.
  importFeed: [
    {
      name: "of 32 MB",
      make: (client) => {
        const sent = { type: "text/plain", body: Buffer.alloc(LOG_BYTES, `${addresses(1_000_000, 6).join("\n")}\n`) };
        return () => client.ask("POST", `${client.base}/threats/import?max_shrink=100`, sent);
      },
    },
  ],
  cancelFeedImport: [sending("while none runs", "DELETE", ({ base }) => `${base}/threats/import`, {})],
  getCatalogue: [getting("as it is", ({ base }) => `${base}/catalogue`)],
  previewRules: [...wholeLists("POST", previews), ...wrongBodies("POST", previews, "rules", true)],
};

/** Paths of the server that are in no document. */
export const OTHER_PATHS: Readonly<Record<string, readonly CostlyRequest[]>> = Object.fromEntries(
  ["/metrics", "/openapi.json", "/dashboard/api/openapi.json", "/docs", "/", "/nothing-here"].map((path) => [
    path,
    [getting("as it is", () => path)],
  ]),
);

const rows = ({ base, own }: Client): string => `${base}/edl/ip-rulesets/${own.fullId}/rows`;

/** Of a ruleset that is filled before each request. */
/** The rules keep an expiry, another one each time. */
function changeAll(client: Client): Turn {
  let turn = 0;
  const path = rulesets(client) + client.own.fullId;
  return async () => {
    const { total_rules: count } = JSON.parse((await client.ask("GET", path)).text) as { total_rules: number };
    const body = { action: "set_expiry", count, expires_at: new Date(Date.UTC(2040, 0, ++turn)).toISOString() };
    await client.ask("POST", `${path}/rows:change`, { body: JSON.stringify(body) });
  };
}

function changeMatching(client: Client, action: "delete" | "set_expiry"): Turn {
  let turn = 0;
  return async () => {
    const { scratchId } = client.own;
    await importMany(client, ++turn % 2, scratchId);
    const path = `${client.base}/edl/ip-rulesets/${scratchId}`;
    const { total_rules: count } = JSON.parse((await client.ask("GET", path)).text) as { total_rules: number };
    const body = {
      action,
      count,
      ...(action === "delete" ? {} : { expires_at: new Date(Date.UTC(2040, 0, 1 + (turn % 1000))).toISOString() }),
    };
    await client.ask("POST", `${path}/rows:change`, { body: JSON.stringify(body) });
  };
}

function addOneByOne(client: Client): Turn {
  const ips = addresses(100_000, 7);
  let turn = 0;
  return () =>
    client.ask("POST", rules(client, client.own.scratchId), {
      body: JSON.stringify({ ip: ips[turn++ % ips.length], name: MAX_NAME_LENGTH, conflict_resolution: "override" }),
    });
}

async function updateOneRule(client: Client): Promise<Turn> {
  await client.ask("POST", rules(client), { body: '{"ip":"64.0.0.2","conflict_resolution":"skip"}' });
  let turn = 0;
  return () =>
    client.ask("PUT", `${rules(client)}/rule?ip=64.0.0.2`, {
      body: JSON.stringify({ name: `${turn++} ${"n".repeat(240)}` }),
    });
}

function batches(client: Client, id: string): Turn {
  return inTurns(
    client,
    "POST",
    `${rules(client, id)}:batch`,
    [1, 2].map((seed) => ({ body: batch(client.access.limits.bulk_addresses, seed) })),
  );
}

function createAndDelete(client: Client, path: string, bodyOf: (turn: number) => object): Turn {
  let turn = 0;
  return async () => {
    const id = idOf(await client.ask("POST", client.base + path, { body: JSON.stringify(bodyOf(turn++)) }));
    await client.ask("DELETE", `${client.base}${path}/${id}`);
  };
}

function searchedRows(client: Client): Turn {
  let turn = 0;
  return () =>
    client.ask(
      "GET",
      `${rows(client)}?limit=1000&offset=${1000 * (turn++ % 100)}&name=${["e", "f", "o", "a"][turn % 4]}`,
    );
}

function importedTurn(client: Client, then: (path: string) => Promise<unknown>): Turn {
  let seed = 0;
  return async () => {
    await importMany(client, ++seed % 2, client.own.scratchId);
    await then(`${client.base}/undo`);
  };
}

function undoTurn(client: Client): Turn {
  return importedTurn(client, (path) => client.ask("POST", path));
}

/** A change of 50,000 rules, found in the audit log and undone. */
function undoOfAnyTurn(client: Client): Turn {
  let seed = 0;
  return async () => {
    await importMany(client, ++seed, client.own.scratchId);
    const { text } = await client.ask("GET", `${client.base}/audit?limit=1&ruleset_id=${client.own.scratchId}`);
    await client.ask("POST", `${client.base}/audit/${JSON.parse(text).items[0].sequence}:undo`);
  };
}

async function afterUploads(client: Client, count: number, then: (id: string) => Promise<unknown>): Promise<Turn> {
  let id = "";
  for (let index = 0; index < count; index++) id = await uploaded(client, LOG_BYTES / 8);
  return () => then(id);
}

function uploads(): CostlyRequest[] {
  const sent: Readonly<Record<string, () => Sending>> = {
    "a log": () => ({ type: "text/plain", body: log(LOG_BYTES) }),
    "a log that was compressed": () => ({ type: "application/gzip", body: gzipSync(log(LOG_BYTES)) }),
    "a log of more addresses than are kept": () => ({
      type: "text/plain",
      body: Buffer.from(`${addresses(1_000_000, 5).join("\n")}\n`),
    }),
    "a log of one line, compressed": () => ({ type: "application/gzip", body: gzipSync(Buffer.alloc(LOG_BYTES, "x")) }),
    "a log of empty lines, compressed": () => ({
      type: "application/gzip",
      body: gzipSync(Buffer.alloc(LOG_BYTES / 4, "\n")),
    }),
  };
  return Object.entries(sent).map(([name, sentOf]) => ({
    name,
    make: (client) => {
      const sending = sentOf();
      return () => client.ask("POST", `${client.base}/identifications?format=jsonl&id=${randomUUID()}`, sending);
    },
  }));
}
