import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { readNewList } from "../../../src/service/lists/read-list-definition.ts";
import { ROLES, type Role } from "../../../src/store/state.ts";
import { addKey, addOrganisation, type Answer, startServer, type TestServer } from "../start-server.ts";
import { sampled } from "../../rounds.ts";
import { ApiDocument } from "../fuzz/api-document.ts";
import { addUser, type TestUser, visit } from "./browser.ts";
import { definitionOf } from "../../deployments/definition-of.ts";

const SAMPLE = fileURLToPath(new URL("../../../data/cti-sample.ipsieve", import.meta.url));

/** Who may use an operation, and a request that succeeds. */
interface Case {
  readonly least: Role | "anybody";
  readonly status: number;
  /** The values of the path's parameters, separated by spaces; created again for each request. */
  readonly id?: () => Promise<string>;
  readonly query?: string | (() => string);
  readonly body?: unknown;
  /** The content type of a body that is not JSON. */
  readonly type?: string;
}

let t: TestServer;
let organisation = "";
let other: TestUser;
const users = {} as Record<Role, TestUser>;
let serial = 0;

before(async () => {
  t = await startServer({ signInsPerMinute: 1_000_000, datasetOrganisation: "roles" }, undefined, SAMPLE);
  organisation = await addOrganisation(t, "roles");
  for (const role of ROLES) users[role] = await addUser(t, organisation, role);
  other = await addUser(t, await addOrganisation(t, "another"), "admin");
});
after(() => t.close());

const writing = { at: 0, actor: "command:test" };
const newRuleset = async () => {
  const { ruleset } = await t.server.store.write({
    kind: "create-ruleset",
    ...writing,
    organisationId: organisation,
    name: `r${++serial}`,
    purpose: "allowlist",
    description: "",
  });
  await t.server.store.write({
    kind: "add-rule",
    ...writing,
    organisationId: organisation,
    rulesetId: ruleset.id,
    request: {
      prefix: { family: 4, w0: 0x01020300, w1: 0, w2: 0, w3: 0, length: 24 },
      name: null,
      expiresAt: null,
      mode: "extend",
    },
  });
  return ruleset.id;
};
const newDeployment = async () => {
  const { deployment } = await t.server.store.write({
    kind: "create-deployment",
    ...writing,
    organisationId: organisation,
    name: `d${++serial}`,
    definition: definitionOf({ include: [{ prefixes: ["192.0.2.0/24"] }] }),
  });
  return deployment.id;
};
const newList = async () => {
  const { list } = await t.server.store.write({
    kind: "create-list",
    ...writing,
    organisationId: organisation,
    name: `l${++serial}`,
    definition: readNewList({ url: "https://lists.invalid/", active: false }),
  });
  return list.id;
};
const newUser = async () => (await addUser(t, organisation, "viewer", `user ${++serial}`)).id;
const newKey = async () => (await addKey(t, organisation)).id;
const newCredential = async (credential: "bouncer" | "edge") => {
  const about = { credential, label: "x", start: "ipb_", hostsOnly: false };
  const digest = `digest ${++serial}`;
  const owned = { ...writing, organisationId: organisation, deploymentId: await newDeployment() };
  return (await t.server.store.write({ kind: "create-credential", ...owned, ...about, digest })).credential.id;
};
const newTaxiiCredential = async () => {
  const about = { label: "x", start: "ipt_", digest: `digest ${++serial}`, collections: [] };
  const command = {
    kind: "create-credential",
    credential: "taxii",
    ...writing,
    organisationId: organisation,
    ...about,
  } as const;
  return (await t.server.store.write(command)).credential.id;
};
const newLog = async () => {
  const id = crypto.randomUUID();
  const { identifications } = t.server.services.logs;
  const { catalogue, networks } = t.server.services.data;
  const body = Readable.from([Buffer.from("1.1.1.1\n")]);
  await identifications.run({
    organisationId: organisation,
    id,
    name: "log",
    format: "tsv",
    size: null,
    body,
    catalogue: catalogue.view(),
    networks,
  });
  return id;
};
const newWebhook = async () => {
  const { webhook } = await t.server.store.write({
    kind: "create-webhook",
    ...writing,
    organisationId: organisation,
    definition: { url: "https://localhost:9/", description: "", kinds: ["rule.created"], active: true },
    secret: t.server.services.access.secretKey.seal(`webhooks ${organisation}`, "webhooks", "c2VjcmV0"),
  });
  return webhook.id;
};
/** An endpoint that is deleted before the next one is created: an organisation can only have a few. */
let lastWebhook: string | undefined;
const oneWebhook = async () => {
  if (lastWebhook !== undefined && t.server.services.memory.webhookById(lastWebhook) !== undefined)
    await t.server.store.write({
      kind: "delete-webhook",
      ...writing,
      organisationId: organisation,
      webhookId: lastWebhook,
    });
  return (lastWebhook = await newWebhook());
};
const newDelivery = async () => {
  const id = await oneWebhook();
  const { memory } = t.server.services;
  const { webhookMessages } = t.server.services.events;
  return `${id} ${(await webhookMessages.test(memory.webhookById(id)!)).id}`;
};
const address = async () => "198.51.100.130";

const CASES: Readonly<Record<string, Case>> = {
  getSetup: { least: "anybody", status: 200 },
  setUp: { least: "anybody", status: 409, body: { token: "x", organisation: "x", name: "x", password: "long enough" } },
  getSession: { least: "viewer", status: 200 },
  getCatalogue: { least: "viewer", status: 200 },
  getCatalogueUpdate: { least: "admin", status: 200 },
  updateCatalogue: { least: "admin", status: 409 },
  getThreatDataset: { least: "viewer", status: 200 },
  getFeedImport: { least: "admin", status: 200 },
  importFeed: { least: "admin", status: 409, body: "1.1.1.1\n", type: "text/plain" },
  cancelFeedImport: { least: "admin", status: 409 },
  signIn: { least: "anybody", status: 401, body: { name: "x", password: "x" } },
  signOut: { least: "viewer", status: 204 },
  join: { least: "anybody", status: 401, body: { token: "x", password: "long enough" } },
  changePassword: { least: "viewer", status: 400, body: {} },
  listUsers: { least: "admin", status: 200 },
  createUser: { least: "admin", status: 400, body: {} },
  updateUser: { least: "admin", status: 200, id: newUser, body: { role: "editor" } },
  deleteUser: { least: "admin", status: 204, id: newUser },
  inviteUser: { least: "admin", status: 201, id: newUser },
  listKeys: { least: "viewer", status: 200 },
  createKey: { least: "admin", status: 201, body: { label: "x", access: "read" } },
  revokeKey: { least: "admin", status: 200, id: newKey },
  listBouncers: { least: "viewer", status: 200 },
  createBouncer: { least: "admin", status: 400, body: { deployment_id: crypto.randomUUID(), label: "x" } },
  listTaxiiCollections: { least: "viewer", status: 200 },
  listTaxiiCredentials: { least: "viewer", status: 200 },
  createTaxiiCredential: { least: "admin", status: 400, body: { label: "x", collections: [crypto.randomUUID()] } },
  revokeTaxiiCredential: { least: "admin", status: 200, id: newTaxiiCredential },
  listEdgeComponents: { least: "viewer", status: 200 },
  createEdgeComponent: {
    least: "admin",
    status: 400,
    body: { deployment_id: crypto.randomUUID(), label: "x", component_type: "x" },
  },
  revokeEdgeComponent: { least: "admin", status: 200, id: () => newCredential("edge") },
  revokeBouncer: { least: "admin", status: 200, id: () => newCredential("bouncer") },
  listAudit: { least: "admin", status: 200 },
  getAuditFilters: { least: "admin", status: 200 },
  exportAudit: { least: "admin", status: 200, query: "format=ndjson&kind=create-organisation" },
  listRulesets: { least: "viewer", status: 200 },
  createRuleset: { least: "editor", status: 201, body: { name: "x", purpose: "allowlist" } },
  getRuleset: { least: "viewer", status: 200, id: newRuleset },
  getGuard: { least: "viewer", status: 200 },
  updateGuard: { least: "editor", status: 200, body: { guard_classes: null } },
  updateRuleset: { least: "editor", status: 200, id: newRuleset, body: { name: "y" } },
  deleteRuleset: { least: "editor", status: 204, id: newRuleset },
  listRules: { least: "viewer", status: 200, id: newRuleset },
  addRule: { least: "editor", status: 201, id: newRuleset, body: { ip: "4.0.0.0/8" } },
  replaceRules: { least: "editor", status: 200, id: newRuleset, query: "allow_empty=true", body: { rules: [] } },
  compactRules: { least: "editor", status: 200, id: newRuleset },
  getRule: { least: "viewer", status: 200, id: newRuleset, query: "ip=1.2.3.0/24" },
  updateRule: { least: "editor", status: 200, id: newRuleset, query: "ip=1.2.3.0/24", body: { name: "z" } },
  deleteRule: { least: "editor", status: 204, id: newRuleset, query: "ip=1.2.3.0/24" },
  checkRules: { least: "viewer", status: 200, id: newRuleset, body: { ip: "1.2.3.4" } },
  getStatus: { least: "viewer", status: 200 },
  explainAddresses: { least: "viewer", status: 200, body: { ip: "1.2.3.4" } },
  batchRules: { least: "editor", status: 200, id: newRuleset, body: { items: [] } },
  exportRules: { least: "viewer", status: 200, id: newRuleset },
  listRulesetVersions: { least: "viewer", status: 200, id: newRuleset },
  importRules: { least: "editor", status: 200, id: newRuleset, body: { rules: [] } },
  listChanges: { least: "viewer", status: 200 },
  readSnapshot: { least: "viewer", status: 200 },
  listDeployments: { least: "viewer", status: 200 },
  createDeployment: {
    least: "editor",
    status: 201,
    body: { name: "x", include: [{ prefixes: ["192.0.2.0/24"] }] },
  },
  getDeployment: { least: "viewer", status: 200, id: newDeployment },
  updateDeployment: { least: "editor", status: 200, id: newDeployment, body: { name: "y" } },
  deleteDeployment: { least: "editor", status: 204, id: newDeployment },
  getDeploymentUrls: { least: "viewer", status: 200, id: newDeployment },
  listBlocked: { least: "viewer", status: 200, id: newDeployment },
  listPulls: { least: "viewer", status: 200, id: newDeployment },
  previewDeployment: { least: "viewer", status: 200, id: newDeployment, body: {} },
  previewNewDeployment: { least: "viewer", status: 200, body: { include: [{ prefixes: ["192.0.2.0/24"] }] } },
  publishDeployment: { least: "editor", status: 409, id: newDeployment, body: { generation: 1 } },
  rotateDeployment: { least: "admin", status: 200, id: newDeployment, body: { credential: "url" } },
  searchRules: { least: "viewer", status: 200, body: { name: "a" } },
  relateSets: {
    least: "viewer",
    status: 200,
    body: { sets: [{ prefixes: ["192.0.2.0/24"] }, { cbs: "/cdn/cloudflare" }] },
  },
  fitSets: { least: "viewer", status: 200, body: { sets: [{ prefixes: ["192.0.2.0/24"] }], entries: 1 } },
  computeSet: { least: "viewer", status: 200, body: { operation: "union", sets: [{ prefixes: ["192.0.2.0/24"] }] } },
  listExternalLists: { least: "viewer", status: 200 },
  createExternalList: {
    least: "editor",
    status: 201,
    body: { name: "x", url: "https://lists.invalid/", active: false },
  },
  getExternalList: { least: "viewer", status: 200, id: newList },
  updateExternalList: { least: "editor", status: 200, id: newList, body: { name: "y" } },
  deleteExternalList: { least: "editor", status: 204, id: newList },
  refreshExternalList: { least: "editor", status: 200, id: newList, body: {} },
  writeExternalList: {
    least: "editor",
    status: 400,
    id: newList,
    body: { ruleset_id: crypto.randomUUID(), expires_in_days: 1 },
  },
  setListCredentials: { least: "admin", status: 200, id: newList, body: { credentials: null } },
  listWebhooks: { least: "admin", status: 200 },
  createWebhook: { least: "admin", status: 201, body: { url: "https://localhost:9/", kinds: ["rule.created"] } },
  getWebhook: { least: "admin", status: 200, id: oneWebhook },
  updateWebhook: { least: "admin", status: 200, id: oneWebhook, body: { active: false } },
  deleteWebhook: { least: "admin", status: 204, id: oneWebhook },
  rotateWebhook: { least: "admin", status: 200, id: oneWebhook, body: {} },
  testWebhook: { least: "admin", status: 200, id: oneWebhook },
  listWebhookDeliveries: { least: "admin", status: 200, id: oneWebhook },
  getWebhookDelivery: { least: "admin", status: 200, id: newDelivery },
  resendWebhookDelivery: { least: "admin", status: 200, id: newDelivery },
  changeMatchingRules: { least: "editor", status: 200, id: newRuleset, body: { action: "delete", count: 1 } },
  listRows: { least: "viewer", status: 200, id: newRuleset, query: "name=a" },
  previewRules: { least: "viewer", status: 200, id: newRuleset, body: { rules: [] } },
  lookup: { least: "viewer", status: 200, query: "ip=1.1.1.1" },
  getUsage: { least: "viewer", status: 200 },
  getUndo: { least: "viewer", status: 200 },
  undo: { least: "editor", status: 409 },
  identifyLog: {
    least: "viewer",
    status: 200,
    query: () => `id=${crypto.randomUUID()}`,
    body: "1.1.1.1\n",
    type: "text/plain",
  },
  replayLog: {
    least: "viewer",
    status: 404,
    body: { identification: crypto.randomUUID(), rules: { prefixes: ["192.0.2.0/24"] } },
  },
  getReplay: { least: "viewer", status: 404, id: () => Promise.resolve(crypto.randomUUID()) },
  listIdentifications: { least: "viewer", status: 200 },
  getIdentification: { least: "viewer", status: 200, id: newLog },
  getIdentificationResult: { least: "viewer", status: 200, id: newLog },
  deleteIdentification: { least: "viewer", status: 204, id: newLog },
  lookupCbs: { least: "viewer", status: 200, query: "ip=1.1.1.1" },
  bulkLookupCbs: { least: "viewer", status: 200, body: { ips: [] } },
  getCbsNode: { least: "viewer", status: 200 },
  listCbsRanges: { least: "viewer", status: 200, query: "page_size=1" },
  exportCbsRanges: { least: "viewer", status: 200, query: "id=/cdn/cloudflare" },
  searchCbs: { least: "viewer", status: 200, query: "q=cloudflare" },
  diffCbs: { least: "viewer", status: 400, query: "from=2020-01-01" },
  listCbsRegions: { least: "viewer", status: 200, query: "page_size=1" },
  listCbsServices: { least: "viewer", status: 200, query: "page_size=1" },
  listCbsProviders: { least: "viewer", status: 200, query: "page_size=1" },
  lookupIp: { least: "viewer", status: 200, id: address },
  extendedLookupIp: { least: "viewer", status: 200, id: address },
  bulkLookup: { least: "viewer", status: 200, body: { ips: [] } },
  searchThreats: { least: "viewer", status: 200, query: "q=tag:tor" },
  countThreatValues: { least: "viewer", status: 200, body: { fields: ["tag"] } },
  listSearchFields: { least: "viewer", status: 200 },
};

interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
}

async function operations(): Promise<Operation[]> {
  const { paths } = (await visit(t, "GET", "/openapi.json")).body as {
    paths: Record<string, Record<string, { operationId: string }>>;
  };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => ({
      id: operationId,
      method: method.toUpperCase(),
      path: path.replace("/dashboard/api", ""),
    })),
  );
}

async function send({ id: operationId, method, path }: Operation, token?: string): Promise<Answer> {
  const { id, body, type } = CASES[operationId]!;
  const ids = id === undefined ? [] : (await id()).split(" ");
  const place = path.replace(/\{\w+\}/g, () => ids.shift() ?? "");
  return visit(t, method, `${place}?${queryOf(operationId)}`, {
    token,
    body,
    ...(type === undefined ? {} : { headers: { "Content-Type": type } }),
  });
}

function queryOf(operationId: string): string {
  const { query = "" } = CASES[operationId]!;
  return typeof query === "string" ? query : query();
}

/** Another session of the user, for operations that end it. */
async function sessionOf(role: Role): Promise<string> {
  return (await addUser(t, organisation, role, `${role} ${++serial}`)).token;
}

/**
 * Checks a response against the operation in the dashboard's document: the status, the required headers, and the body.
 */
function checkDescribed(document: ApiDocument, operationId: string, { status, headers, body }: Answer): void {
  const described = document.operations.find(({ id }) => id === operationId)!.responses.get(status);
  assert.ok(described !== undefined, `${operationId}: the document knows no answer ${status}`);
  assert.deepEqual(
    described.requiredHeaders.filter((name) => !headers.has(name)),
    [],
    operationId,
  );
  if (body === undefined) return;
  const check = described.bodies.get(headers.get("content-type")!.split(";")[0]!)!();
  assert.ok(check(body), `${operationId} ${status}: ${JSON.stringify(check.errors)} ${JSON.stringify(body)}`);
}

const MAY: Readonly<Record<Role, readonly Case["least"][]>> = {
  viewer: ["anybody", "viewer"],
  editor: ["anybody", "viewer", "editor"],
  admin: ["anybody", "viewer", "editor", "admin"],
};

test("every operation, without a session and by each role: exactly the permitted roles succeed", async (at) => {
  const all = await operations();
  const document = new ApiDocument((await visit(t, "GET", "/openapi.json")).body);
  assert.deepEqual(
    all.map(({ id }) => id).filter((id) => !Object.hasOwn(CASES, id)),
    [],
    "operations without a case",
  );
  for (const operation of sampled(all, 3)) {
    const { least, status } = CASES[operation.id]!;
    const nobody = await send(operation);
    assert.equal(nobody.status, least === "anybody" ? status : 401, `${operation.id} by nobody: ${nobody.text}`);
    for (const role of ROLES) {
      const answer = await send(operation, await sessionOf(role));
      const expected = MAY[role].includes(least) ? status : 403;
      assert.equal(answer.status, expected, `${operation.id} by ${role}: ${answer.text}`);
      if (expected === 403) assert.equal(answer.body.type, "/problems/permission-denied");
      assert.equal(answer.headers.get("cache-control"), "no-store");
      checkDescribed(document, operation.id, answer);
    }
  }
  const usage = await visit(t, "GET", "/usage", { token: users.viewer.token });
  assert.throws(
    () => checkDescribed(document, "getUsage", { ...usage, body: { ...usage.body, more: 1 } }),
    /must NOT have additional properties/,
    "the control",
  );
  at.diagnostic(`${all.length} operations`);
});

test("ids of another organisation are treated as absent; operations without an id show only the own organisation", async () => {
  for (const operation of sampled(await operations(), 3, 1)) {
    const { id } = CASES[operation.id]!;
    if (id === undefined || id === address) continue;
    const answer = await send(operation, other.token);
    const absent = await visit(
      t,
      operation.method,
      `${operation.path.replace(/\{\w+\}/g, () => crypto.randomUUID())}?${queryOf(operation.id)}`,
      { token: other.token, body: CASES[operation.id]!.body },
    );
    const told = ({ body }: Answer) => ({ ...body, instance: "", detail: body.detail.replace(/[0-9a-f-]{36}/, "ID") });
    assert.deepEqual([answer.status, told(answer)], [404, told(absent)], operation.id);
  }
  for (const path of ["/users", "/keys", "/edl/ip-rulesets/"]) {
    const { text } = await visit(t, "GET", path, { token: other.token });
    for (const secret of [organisation, users.admin.id, "roles"]) assert.ok(!text.includes(secret), path);
  }
  assert.deepEqual(
    (await visit(t, "GET", "/users", { token: other.token })).body.items.map(({ id }: { id: string }) => id),
    [other.id],
  );
});

test("without a plan for the area: 403 for every role", async () => {
  const poor = await addUser(t, await addOrganisation(t, "poor", []), "admin");
  for (const path of ["/edl/ip-rulesets/", "/cbs/lookup?ip=1.1.1.1", "/cti/lookup/1.1.1.1"]) {
    const { status, body } = await visit(t, "GET", path, { token: poor.token });
    assert.deepEqual([status, body.type], [403, "/problems/permission-denied"], path);
  }
  assert.equal((await visit(t, "GET", "/keys", { token: poor.token })).status, 200);
});

test("a changed role applies from the next request on", async () => {
  const user = await addUser(t, organisation, "viewer", "promoted");
  const create = async () =>
    (await visit(t, "POST", "/edl/ip-rulesets/", { token: user.token, body: { name: "x", purpose: "allowlist" } }))
      .status;
  assert.equal(await create(), 403);
  assert.equal(
    (await visit(t, "PATCH", `/users/${user.id}`, { token: users.admin.token, body: { role: "editor" } })).status,
    200,
  );
  assert.equal(await create(), 201);
});
