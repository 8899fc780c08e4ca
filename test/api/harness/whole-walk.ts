import { randomUUID } from "node:crypto";
import { parsePrefix } from "../../../src/address/prefix.ts";
import { PLAIN_NAME } from "../../../src/api/access/session-cookie.ts";
import { makeCredentialText } from "../../../src/service/access/credential-text.ts";
import { readNewList } from "../../../src/service/lists/read-list-definition.ts";
import { until } from "../../until.ts";
import { addUser } from "../dashboard/browser.ts";
import type { Parameter } from "../fuzz/api-document.ts";
import { inlined } from "../inlined-document.ts";
import { addKey, addOrganisation, type TestServer } from "../start-server.ts";
import { askAlone, type SentRequest } from "./interruptions.ts";
import { definitionOf } from "../../deployments/definition-of.ts";

/** One form of request to one operation. */
export interface Walked {
  readonly name: string;
  /** Whether its response continues for as long as its client reads. */
  readonly isEndless?: boolean;
  /** Creates a request, with the resources that it names. */
  make(): Promise<SentRequest>;
}

type HeaderValues = Readonly<Record<string, string>>;

/** By media type, except JSON. */
const BODIES: Readonly<Record<string, string>> = {
  "text/plain": "192.0.2.1\n198.51.100.0/24\n2001:db8::/32\n",
  "text/csv": "ip,name\n192.0.2.1,office\n198.51.100.0/24,branch\n",
  "application/x-ndjson": '{"ip":"192.0.2.1"}\n{"ip":"198.51.100.7"}\n',
  "application/octet-stream": "192.0.2.1 GET /\n198.51.100.7 GET /\n",
};
const RULES = ["192.0.2.0/24", "198.51.100.0/24", "2001:db8::/32"];
/** A member whose value is an id. */
const NAMED_ID = /"(\w+)":"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"/g;

type Scope = "public" | "dashboard";
/** The request as the document describes it. */
interface AskedOperation {
  readonly id: string;
  readonly scope: Scope;
  /** In upper case. */
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly Parameter[];
  /** Media types; empty: it has no body. */
  readonly types: readonly string[];
  readonly example: unknown;
}

/** Uses no persistent connection, unlike `fetch`. */
async function operationsOf({ server }: TestServer, scope: Scope): Promise<AskedOperation[]> {
  const path = `${scope === "public" ? "" : "/dashboard/api"}/openapi.json`;
  const { answer } = await askAlone(Number(new URL(server.url).port), { method: "GET", path, headers: {} });
  const { paths } = inlined(JSON.parse(answer!.body.toString())) as { paths: Record<string, Record<string, any>> };
  return Object.entries(paths).flatMap(([place, methods]) =>
    Object.entries(methods).map(([method, { operationId, parameters, requestBody }]) => ({
      id: operationId,
      scope,
      method: method.toUpperCase(),
      path: place,
      parameters,
      types: Object.keys(requestBody?.content ?? {}),
      example: requestBody?.content?.["application/json"]?.example,
    })),
  );
}

/** Every operation of both documents in every form of its body, and the requests of devices that are in neither. */
export class WholeWalk {
  readonly #test: TestServer;
  readonly #organisationId: string;
  readonly #key: string;
  readonly #session: string;
  readonly all: readonly Walked[];

  private constructor(
    test: TestServer,
    { organisationId, key, session }: { organisationId: string; key: string; session: string },
    operations: readonly AskedOperation[],
  ) {
    this.#test = test;
    this.#organisationId = organisationId;
    this.#key = key;
    this.#session = session;
    this.all = [...operations.flatMap((each) => this.#ofOperation(each)), ...this.#ofDevices()];
  }

  static async over(test: TestServer): Promise<WholeWalk> {
    const organisationId = await addOrganisation(test, `walk ${randomUUID()}`);
    const { text: key } = await addKey(test, organisationId);
    const { token: session } = await addUser(test, organisationId, "admin");
    const operations = [...(await operationsOf(test, "public")), ...(await operationsOf(test, "dashboard"))];
    return new WholeWalk(test, { organisationId, key, session }, operations);
  }

  #ofOperation(operation: AskedOperation): Walked[] {
    const { id, scope } = operation;
    const types = operation.types.length === 0 ? [undefined] : operation.types;
    return types.map((type) => ({
      name: `${scope} ${id}${type === undefined ? "" : `, ${type}`}`,
      make: async () => {
        const things = new Map<string, string>();
        const path = await this.#pathOf(operation, things);
        const body = type === undefined ? undefined : Buffer.from(await this.#bodyOf(operation, type, things));
        const content: HeaderValues = type === undefined ? {} : { "Content-Type": type };
        const headers = { ...(await this.#credentialsFor(operation)), ...content };
        return { method: operation.method, path, headers, body };
      },
    }));
  }

  async #credentialsFor({ id, scope }: AskedOperation): Promise<HeaderValues> {
    if (scope === "public") return { "X-API-Key": this.#key };
    // It ends the session.
    const isLast = id === "signOut";
    const token = isLast
      ? (await addUser(this.#test, this.#organisationId, "viewer", `user ${randomUUID()}`)).token
      : this.#session;
    return { Cookie: `${PLAIN_NAME}=${token}`, Origin: "http://localhost" };
  }

  async #pathOf({ id, path, parameters }: AskedOperation, things: Map<string, string>): Promise<string> {
    let filled = path;
    for (const [whole, name] of path.matchAll(/\{(\w+)\}/g))
      filled = filled.replace(whole, await this.#thing(name!, things));
    const query = new URLSearchParams();
    for (const { name, in: place, required } of parameters)
      if (place === "query" && required === true) query.set(name, await this.#thing(name, things));
    if (id === "identifyLog") query.set("id", randomUUID());
    return query.size === 0 ? filled : `${filled}?${query.toString()}`;
  }

  /** The example of the document, with ids of existing resources. */
  async #bodyOf({ example }: AskedOperation, type: string, things: Map<string, string>): Promise<string> {
    if (type !== "application/json") return BODIES[type] ?? BODIES["text/plain"]!;
    const text = JSON.stringify(example ?? {});
    for (const [, name] of text.matchAll(NAMED_ID)) await this.#thing(name!, things);
    return text.replaceAll(NAMED_ID, (_, name: string) => `"${name}":"${things.get(name)!}"`);
  }

  /** The resource that a parameter of this name names; the same one within one request. */
  async #thing(name: string, things: Map<string, string>): Promise<string> {
    const known = things.get(name);
    if (known !== undefined) return known;
    const made = await this.#newThing(name, things);
    things.set(name, made);
    return made;
  }

  async #newThing(name: string, things: Map<string, string>): Promise<string> {
    switch (name) {
      case "ruleset":
      case "ruleset_id":
        return this.#newRuleset();
      case "deployment_id":
        return this.#newDeployment();
      case "list_id":
        return this.#newList();
      case "webhook_id":
        return this.#newWebhook();
      case "delivery_id":
        return this.#newDelivery(await this.#thing("webhook_id", things));
      case "user_id":
        return (await addUser(this.#test, this.#organisationId, "viewer", `user ${randomUUID()}`)).id;
      case "key_id":
        return (await addKey(this.#test, this.#organisationId)).id;
      case "ip":
        return "192.0.2.0/24";
      case "ip_address":
      case "address":
        return "198.51.100.130";
      case "q":
        return "cloud";
      case "format":
        return "ndjson";
      default:
        return randomUUID();
    }
  }

  get #by() {
    return { actor: "command:test", at: this.#test.clock.now, organisationId: this.#organisationId } as const;
  }

  get #store() {
    return this.#test.server.store;
  }

  async #newRuleset(): Promise<string> {
    const about = { name: randomUUID(), purpose: "blocklist", description: "" } as const;
    const { ruleset } = await this.#store.write({ kind: "create-ruleset", ...this.#by, ...about });
    for (const text of RULES) {
      const request = { prefix: parsePrefix(text), name: null, expiresAt: null, mode: "extend" } as const;
      await this.#store.write({ kind: "add-rule", ...this.#by, rulesetId: ruleset.id, request });
    }
    return ruleset.id;
  }

  async #newDeployment(): Promise<string> {
    await this.#makeRoom();
    const definition = definitionOf({ include: [{ prefixes: RULES }] });
    const { deployment } = await this.#store.write({
      kind: "create-deployment",
      ...this.#by,
      name: randomUUID(),
      definition,
    });
    const { lists } = this.#test.server.services.publishing;
    await until("the list is published", () => lists.served(deployment.id) !== undefined);
    return deployment.id;
  }

  /** An organisation may have a hundred deployments. */
  async #makeRoom(): Promise<void> {
    const all = this.#test.server.services.memory.deployments(this.#organisationId);
    if (all.length < 50) return;
    for (const { id } of all) await this.#store.write({ kind: "delete-deployment", ...this.#by, deploymentId: id });
  }

  async #newList(): Promise<string> {
    // URLs of this machine are not fetched but refused at once.
    const definition = readNewList({ url: "http://127.0.0.1/", active: false });
    const { list } = await this.#store.write({ kind: "create-list", ...this.#by, name: randomUUID(), definition });
    return list.id;
  }

  /** The previous one is deleted: an organisation may only have a few. */
  async #newWebhook(): Promise<string> {
    const { memory } = this.#test.server.services;
    const { secretKey } = this.#test.server.services.access;
    for (const { id } of memory.webhooks(this.#organisationId))
      await this.#store.write({ kind: "delete-webhook", ...this.#by, webhookId: id });
    const { webhook } = await this.#store.write({
      kind: "create-webhook",
      ...this.#by,
      definition: { url: "https://localhost:9/", description: "", kinds: ["ruleset.deleted"], active: true },
      secret: secretKey.seal(`webhooks ${this.#organisationId}`, "webhooks", "c2VjcmV0"),
    });
    return webhook.id;
  }

  async #newDelivery(webhookId: string): Promise<string> {
    const { memory } = this.#test.server.services;
    const { webhookMessages } = this.#test.server.services.events;
    return (await webhookMessages.test(memory.webhookById(webhookId)!)).id;
  }

  #ofDevices(): Walked[] {
    const get = (path: string, headers: HeaderValues): SentRequest => ({ method: "GET", path, headers });
    const readers: readonly Walked[] = [
      ...["combined.txt", "ipv4.txt", "combined.txt.sha256"].map((file) => ({
        name: `feed ${file}`,
        make: async () => {
          const { memory } = this.#test.server.services;
          const { feedTokens } = this.#test.server.services.publishing;
          const deployment = memory.deploymentById(await this.#newDeployment())!;
          return get(`/feeds/${feedTokens.tokenOf(deployment)}/${file}`, {});
        },
      })),
      ...["/taxii2/", "/taxii2/api/collections/", "objects", "manifest"].map((path) => ({
        name: `TAXII ${path}`,
        make: async () => {
          const { id, authorization } = await this.#newTaxiiClient();
          const own = path.startsWith("/") ? path : `/taxii2/api/collections/${id}/${path}/`;
          return get(own, { Authorization: authorization, Accept: "application/taxii+json;version=2.1" });
        },
      })),
      {
        name: "a bouncer's stream",
        make: async () => get("/v1/decisions/stream?startup=true", { "X-API-Key": await this.#newBouncer() }),
      },
      {
        name: "a stream of changes",
        isEndless: true,
        make: async () => get("/v1/edl/changes", { "X-API-Key": this.#key, Accept: "text/event-stream" }),
      },
      ...["/livez", "/readyz", "/metrics", "/openapi.json", "/docs", "/docs/console", "/", "/nothing"].map((path) => ({
        name: path,
        make: async () => get(path, {}),
      })),
    ];
    return [...readers, ...this.#reports()];
  }

  #reports(): Walked[] {
    const post = (path: string, headers: HeaderValues, value: unknown): SentRequest => ({
      method: "POST",
      path,
      headers: { "Content-Type": "application/json", ...headers },
      body: Buffer.from(JSON.stringify(value)),
    });
    const metrics = { type: "x", version: "1", metrics: [{ meta: { window_size_seconds: 60 }, items: [] }] };
    return [
      {
        name: "a bouncer's metrics",
        make: async () =>
          post("/v1/usage-metrics", { "X-API-Key": await this.#newBouncer() }, { remediation_components: [metrics] }),
      },
      {
        name: "an edge component's bootstrap",
        make: async () => post("/api/v1/edl/bootstrap", {}, { bootstrap_token: "x.y.z", component_type: "x" }),
      },
      {
        name: "an edge component's report",
        make: async () => post("/api/v1/edl/logs", { Authorization: "Bearer x.y.z" }, { events: [] }),
      },
    ];
  }

  async #newBouncer(): Promise<string> {
    const { text, digest, start } = makeCredentialText("bouncer");
    const deploymentId = await this.#newDeployment();
    const about = { credential: "bouncer", label: "test", digest, start, hostsOnly: false } as const;
    await this.#store.write({ kind: "create-credential", ...this.#by, deploymentId, ...about });
    return text;
  }

  async #newTaxiiClient(): Promise<{ id: string; authorization: string }> {
    const id = await this.#newRuleset();
    const { text, digest, start } = makeCredentialText("taxii");
    const about = { label: "test", digest, start, collections: [id] };
    await this.#store.write({ kind: "create-credential", credential: "taxii", ...this.#by, ...about });
    return { id, authorization: `Basic ${btoa(`${start}:${text}`)}` };
  }
}
