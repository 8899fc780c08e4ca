import { SECURE_NAME } from "../../../src/api/access/session-cookie.ts";
import type { Answer, TestServer } from "../start-server.ts";
import { WebhookReceiver } from "../harness/webhook-receiver.ts";
import type { Interview } from "./interview.ts";
import type { StandIns } from "./stand-ins.ts";
import { until } from "../../until.ts";

const API = "/dashboard/api";
const RULES = `${API}/edl/ip-rulesets`;
const CSV = "text/csv";
const TEXT = "text/plain";
const LINES = "application/x-ndjson";
const BYTES = "application/octet-stream";
/** Shown in place of every created key; its checksum is wrong, so that it cannot be mistaken for a key. */
const KEY = "ips_Ab3dExampleExampleExampleExampl0Example";
const BOUNCER_KEY = "ipb_Ab3dExampleExampleExampleExampleExampleExam";
const TAXII_PASSWORD = "ipt_Ab3dExampleExampleExampleExampleExampleExam";
const BOOTSTRAP_TOKEN = "eyJhbGciOiJFUzI1NiJ9.eyJ1c2UiOiJib290c3RyYXAifQ.Example";
/** The number of characters of a key by which people recognise it. */
const KEY_START = 8;

/** Sends requests to the operations that only the dashboard has, as its first user. */
export async function askDashboard(server: TestServer, interview: Interview, standIns: StandIns): Promise<void> {
  await askAboutUsers(server, interview, standIns);
  await askAboutKeys(interview, standIns);
  await askAboutDeployments(interview, standIns);
  await askAboutTaxii(interview, standIns);
  await askAboutLists(interview);
  await askAboutWebhooks(interview, standIns);
  await askAboutRules(interview);
  await askAboutLogs(interview, standIns);
  await askAboutChanges(interview);
  await askAboutDatasets(interview);
}

async function askAboutDeployments(interview: Interview, standIns: StandIns): Promise<void> {
  const path = `${API}/edl/deployments`;
  const { body } = await interview.ask(null, "POST", `${path}/`, {
    body: { name: "x", include: [{ prefixes: ["203.0.113.0/24"] }] },
  });
  const own = `${path}/${body.id}`;
  // Each list has a number among the changes, which later responses show.
  await interview.until("the list is published", ({ memory }) => memory.deploymentById(body.id)!.published !== null);
  const asked = interview.body(`${path}/{deployment_id}:rotate`, "post");
  await interview.ask("rotateDeployment", "POST", `${own}:rotate`, { body: asked });
  await askAboutBouncers(interview, standIns, body.id);
  await interview.ask(null, "DELETE", own);
}

async function askAboutBouncers(interview: Interview, standIns: StandIns, deploymentId: string): Promise<void> {
  const path = `${API}/bouncers`;
  const body = { ...(interview.body(path, "post") as object), deployment_id: deploymentId };
  const created = await interview.ask("createBouncer", "POST", path, { body });
  const { text, bouncer } = created.body;
  standIns.add(text, BOUNCER_KEY);
  standIns.add(bouncer.start, BOUNCER_KEY.slice(0, KEY_START));
  await interview.ask("listBouncers", "GET", path);
  await interview.ask("revokeBouncer", "DELETE", `${path}/${bouncer.id}`);
  await askAboutEdgeComponents(interview, standIns, deploymentId);
}

async function askAboutTaxii(interview: Interview, standIns: StandIns): Promise<void> {
  const path = `${API}/taxii/credentials`;
  const { body: found } = await interview.ask("listTaxiiCollections", "GET", `${API}/taxii/collections`);
  const body = { ...(interview.body(path, "post") as object), collections: [found.items[0].id] };
  const { password, credential } = (await interview.ask("createTaxiiCredential", "POST", path, { body })).body;
  standIns.add(password, TAXII_PASSWORD);
  standIns.add(credential.username, TAXII_PASSWORD.slice(0, KEY_START));
  await interview.ask("listTaxiiCredentials", "GET", path);
  await interview.ask("revokeTaxiiCredential", "DELETE", `${path}/${credential.id}`);
}

async function askAboutEdgeComponents(interview: Interview, standIns: StandIns, deploymentId: string): Promise<void> {
  const path = `${API}/edge-components`;
  const body = { ...(interview.body(path, "post") as object), deployment_id: deploymentId };
  const created = await interview.ask("createEdgeComponent", "POST", path, { body });
  standIns.add(created.body.bootstrap_token, BOOTSTRAP_TOKEN);
  await interview.ask("listEdgeComponents", "GET", path);
  await interview.ask("revokeEdgeComponent", "DELETE", `${path}/${created.body.component.id}`);
}

async function askAboutLists(interview: Interview): Promise<void> {
  const path = `${API}/edl/lists`;
  const { body } = await interview.ask(null, "POST", `${path}/`, {
    body: { name: "Example blocklist", url: "https://feeds.example.net/drop.txt", active: false },
  });
  const asked = interview.body(`${path}/{list_id}:credentials`, "post");
  await interview.ask("setListCredentials", "POST", `${path}/${body.id}:credentials`, { body: asked });
  await interview.ask(null, "DELETE", `${path}/${body.id}`);
}

/** Messages go to a receiver on this machine, which is not shown. */
async function askAboutWebhooks(interview: Interview, standIns: StandIns): Promise<void> {
  const path = `${API}/webhooks`;
  const bodyOf = (verb: string, method: string): any => interview.body(path + verb, method);
  const receiver = await WebhookReceiver.start();
  try {
    const body = bodyOf("", "post");
    const created = await interview.ask("createWebhook", "POST", path, { body });
    standIns.add(created.body.secret, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=");
    await interview.ask("listWebhooks", "GET", path);
    const own = `${path}/${created.body.webhook.id}`;
    await interview.ask("getWebhook", "GET", own);
    await interview.ask("updateWebhook", "PATCH", own, { body: bodyOf("/{webhook_id}", "patch") });
    const rotated = await interview.ask("rotateWebhook", "POST", `${own}:rotate`, {
      body: bodyOf("/{webhook_id}:rotate", "post"),
    });
    standIns.add(rotated.body.secret, "whsec_xSLKUaaWOx7PzlaKGdUbRXt6vxWXWDTPxSLKUaaWOx4=");
    await interview.ask(null, "DELETE", own);
    const { webhook } = (await interview.ask(null, "POST", path, { body: { ...body, url: receiver.url } })).body;
    await askAboutDeliveries(interview, standIns, `${path}/${webhook.id}`);
    await interview.ask(null, "DELETE", `${path}/${webhook.id}`);
  } finally {
    await receiver.close();
  }
}

async function askAboutDeliveries(interview: Interview, standIns: StandIns, own: string): Promise<void> {
  const shown = (delivery: any) => ({ ...delivery, milliseconds: 42 });
  const tested = await interview.ask("testWebhook", "POST", `${own}:test`, { shown });
  standIns.add(tested.body.message_id, "msg_2cgqwVbQ9q0K8yWcFfQp3lXb1Zr");
  const list = ({ items, count }: any) => ({ items: items.map(shown), count });
  await interview.ask("listWebhookDeliveries", "GET", `${own}/deliveries`, { shown: list });
  const delivery = `${own}/deliveries/${tested.body.id}`;
  await interview.ask("getWebhookDelivery", "GET", delivery, { shown });
  await interview.ask("resendWebhookDelivery", "POST", `${delivery}:resend`, { shown });
}

/** The first user is set up and stays; another one is invited. */
async function askAboutUsers({ server }: TestServer, interview: Interview, standIns: StandIns): Promise<void> {
  const body = (path: string, method: string): any => interview.body(API + path, method);
  const asUser = (answer: Answer) => {
    const session = answer.headers.getSetCookie().find((each) => each.startsWith(`${SECURE_NAME}=`));
    interview.headers = { ...interview.headers, Cookie: session!.split(";")[0]! };
  };
  const invited = (answer: Answer): string => {
    const { token } = answer.body.invitation;
    standIns.add(token, body("/join", "post").token);
    return token;
  };
  await interview.ask("getSetup", "GET", `${API}/setup`);
  asUser(
    await interview.ask("setUp", "POST", `${API}/setup`, {
      body: { ...body("/setup", "post"), token: server.setupToken },
    }),
  );
  await interview.ask("getSession", "GET", `${API}/session`);
  const bob = await interview.ask("createUser", "POST", `${API}/users`, { body: body("/users", "post") });
  await interview.ask("join", "POST", `${API}/join`, { body: { ...body("/join", "post"), token: invited(bob) } });
  const { id } = bob.body.user;
  await interview.ask("updateUser", "PATCH", `${API}/users/${id}`, { body: body("/users/{user_id}", "patch") });
  await interview.ask("listUsers", "GET", `${API}/users`);
  invited(await interview.ask("inviteUser", "POST", `${API}/users/${id}/invitation`));
  asUser(await interview.ask("signIn", "POST", `${API}/session`, { body: body("/session", "post") }));
}

async function askAboutKeys(interview: Interview, standIns: StandIns): Promise<void> {
  const created = await interview.ask("createKey", "POST", `${API}/keys`, {
    body: interview.body(`${API}/keys`, "post"),
  });
  const { text, key } = created.body;
  standIns.add(text, KEY);
  standIns.add(key.start, KEY.slice(0, KEY_START));
  await interview.ask("listKeys", "GET", `${API}/keys`);
  await interview.ask("getUsage", "GET", `${API}/usage`, { shown: steadyUsage });
  await interview.ask("revokeKey", "DELETE", `${API}/keys/${key.id}`);
}

/** The last two steps, from the start of a minute, and with response times that do not depend on the machine. */
function steadyUsage({ keys, steps, ...usage }: any): object {
  return {
    ...usage,
    keys: keys.map((key: any) => ({ ...key, minute: { ...key.minute, reset: 60 } })),
    steps: steps.slice(-2).map((step: object) => ({ ...step, p50_ms: 0.25, p99_ms: 1.5 })),
  };
}

async function askAboutRules(interview: Interview): Promise<void> {
  const body = (path: string, method: string): any => interview.body(`${RULES}${path}`, method);
  // Those of the set-up were created in the same millisecond, which leaves rulesets without an order.
  for (const first of (await interview.ask(null, "GET", `${RULES}/`)).body.items)
    await interview.ask(null, "DELETE", `${RULES}/${first.id}`);
  const { id } = (await interview.ask(null, "POST", `${RULES}/`, { body: body("/", "post") })).body;
  const own = `${RULES}/${id}`;
  await interview.ask(null, "POST", `${own}/rules`, {
    body: { ip: "3.5.140.0/22", name: "backup", expires_in_days: 5 },
  });
  await interview.ask(null, "POST", `${own}/rules`, { body: body("/{ruleset_id}/rules", "post") });
  for (const [type, list] of Object.entries(LISTS))
    await interview.ask("previewRules", "POST", `${own}/rules:preview`, { body: list, type });
  await interview.ask("previewRules", "POST", `${own}/rules:preview`, {
    body: body("/{ruleset_id}/rules:preview", "post"),
  });
  await interview.ask("listRows", "GET", `${own}/rows`);
  await interview.ask("lookup", "GET", `${API}/lookup?ip=3.5.140.7`);
  await interview.ask("changeMatchingRules", "POST", `${own}/rows:change`, {
    body: body("/{ruleset_id}/rows:change", "post"),
  });
}

const LISTS: Readonly<Record<string, string>> = {
  [TEXT]: "203.0.113.0/24\n198.51.100.7\n",
  [CSV]: "ip,name,expires_at\n203.0.113.0/24,office,2026-12-31T00:00:00Z\n198.51.100.7,,\n",
  [LINES]: '{"ip":"203.0.113.0/24","name":"office"}\n{"ip":"198.51.100.7"}\n',
};

const LOG = [
  '3.5.140.7 - - [21/Nov/2026:11:58:02 +0000] "GET / HTTP/2.0" 200 18432',
  '1.1.1.9 - - [21/Nov/2026:11:58:03 +0000] "GET /favicon.ico HTTP/2.0" 200 4286',
  '203.0.113.7 - - [21/Nov/2026:11:59:40 +0000] "GET /cart HTTP/1.1" 200 9120',
  "",
].join("\n");
/** The ids of two uploads, which the client chooses; the first is the document's example. */
const LOG_IDS = ["7d0c5a2e-3b1f-4c6d-9a8e-2f4b6c8d0e1a", "7d0c5a2e-3b1f-4c6d-9a8e-2f4b6c8d0e1b"] as const;

/** The rules of the document's example. */
const REPLAYED = {
  rules: { prefixes: ["203.0.113.0/24", "198.51.100.7"] },
  against: { prefixes: ["203.0.113.0/25"] },
};

async function askAboutLogs(interview: Interview, standIns: StandIns): Promise<void> {
  const logs = `${API}/identifications`;
  const upload = (id: string, type: string) =>
    interview.ask("identifyLog", "POST", `${logs}?id=${id}&name=access.log`, { body: LOG, type });
  const [id, other] = LOG_IDS;
  for (const each of LOG_IDS) standIns.add(each, each);
  await upload(other, TEXT);
  await interview.ask(null, "DELETE", `${logs}/${other}`);
  await upload(id, BYTES);
  await interview.ask("listIdentifications", "GET", logs);
  await interview.ask("getIdentification", "GET", `${logs}/${id}`);
  const body = { identification: id, ...REPLAYED };
  const replayed = await interview.ask("replayLog", "POST", `${API}/replays`, { body });
  await interview.ask("getReplay", "GET", `${API}/replays/${replayed.body.id}`);
}

/** The changes of earlier operations. */
async function askAboutChanges(interview: Interview): Promise<void> {
  await interview.ask("getUndo", "GET", `${API}/undo`);
  await interview.ask("undo", "POST", `${API}/undo`);
  await interview.ask("listAudit", "GET", `${API}/audit?limit=2`);
  await interview.ask("getAuditFilters", "GET", `${API}/audit/filters`);
  for (const format of ["csv", "ndjson"])
    await interview.ask("exportAudit", "GET", `${API}/audit:export?format=${format}&kind=create-key`);
}

/** Updates the catalogue and replaces the threat intelligence, with the commands that people use for it. */
async function askAboutDatasets(interview: Interview): Promise<void> {
  await interview.ask("updateCatalogue", "POST", `${API}/catalogue/update`);
  for (const [type, feed] of Object.entries(FEEDS))
    await interview.ask(
      "importFeed",
      "POST",
      `${API}/threats/import?name=scanners.txt&max_shrink=100&skip_invalid=true`,
      {
        body: feed,
        type,
      },
    );
  await interview.ask("getFeedImport", "GET", `${API}/threats/import`);
  await interview.ask("getThreatDataset", "GET", `${API}/threats`);
  const update = () => interview.ask(null, "GET", `${API}/catalogue/update`);
  await until("the update has ended", async () => (await update()).body.last.state !== "running", { every: 50 });
  await interview.ask("getCatalogueUpdate", "GET", `${API}/catalogue/update`);
  await interview.ask("getCatalogue", "GET", `${API}/catalogue`);
}

const FEEDS: Readonly<Record<string, string>> = {
  [CSV]: "ip,classification,tags\n198.51.100.7,malicious,scanner\n203.0.113.0/24,suspicious,\n",
  [LINES]: '{"ip":"198.51.100.7","classification":"malicious","tags":["scanner"]}\n{"ip":"203.0.113.0/24"}\n',
  [TEXT]: "198.51.100.7\n203.0.113.0/24\nno address\n",
  [BYTES]: "198.51.100.7\n203.0.113.0/24\nno address\n",
};
