import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { CreateCredentialCommand } from "../../src/store/command.ts";
import { CREDENTIALS, type CredentialKind } from "../../src/store/records/credential.ts";
import { makeCredentialText } from "../../src/service/access/credential-text.ts";
import { digestOfToken, makeToken } from "../../src/service/access/secret-token.ts";
import { definitionOf } from "../deployments/definition-of.ts";
import {
  DEPLOYMENT,
  type EarlierCredential,
  fillEarlierCredentials,
  ORGANISATION,
} from "../store/harness/earlier-credentials.ts";
import { until } from "../until.ts";
import { addUser, visit } from "./dashboard/browser.ts";
import { type Answer, addOrganisation, ask, startServer, type TestServer, useStores } from "./start-server.ts";

// What holds for the credentials of all kinds, and that those of earlier releases stay valid.

const KINDS = Object.keys(CREDENTIALS) as CredentialKind[];
const LIMIT = 3;

/** Where each kind is valid, and what others get there. */
const DOORS: Readonly<Record<CredentialKind, { open(t: TestServer, text: string): Promise<Answer>; refusal: number }>> =
  {
    api: {
      open: (t, text) => ask(t, "GET", "/v1/edl/ip-rulesets/", { headers: { "X-API-Key": text } }),
      refusal: 401,
    },
    bouncer: {
      open: (t, text) => ask(t, "GET", "/v1/decisions/stream?startup=true", { headers: { "X-Api-Key": text } }),
      refusal: 403,
    },
    edge: {
      open: (t, text) => ask(t, "POST", "/api/v1/edl/bootstrap", { body: { bootstrap_token: text } }),
      refusal: 401,
    },
    taxii: {
      open(t, text) {
        const authorization = `Basic ${btoa(`${text.slice(0, 8)}:${text}`)}`;
        return ask(t, "GET", "/taxii2/", { headers: { authorization, accept: "application/taxii+json;version=2.1" } });
      },
      refusal: 401,
    },
  };

/** The token of an edge component with this `jti`; texts of other kinds are what their holders send. */
function sentBy(t: TestServer, kind: CredentialKind, text: string, organisation: string, deployment: string): string {
  if (kind !== "edge") return text;
  const about = { iss: "http://lists.example", use: "bootstrap", component_type: "traefik", iat: 1 } as const;
  return t.server.services.publishing.edgeTokens.sign({
    ...about,
    jti: text,
    deployment_id: deployment,
    workspace_id: organisation,
  });
}

async function published(t: TestServer, deploymentId: string): Promise<void> {
  await until("the list is published", () => t.server.services.publishing.lists.served(deploymentId) !== undefined);
}

describe("credentials of every kind", () => {
  let t: TestServer;
  let organisationId = "";
  let token = "";
  let deploymentId = "";
  const by = () => ({ actor: "command:test", at: t.clock.now, organisationId });
  before(async () => {
    const limits = { failuresPerMinute: 1000, signInsPerMinute: 1000, credentialsPerOrganisation: LIMIT };
    t = await startServer({ ...limits, baseUrl: "http://lists.example" });
  });
  after(() => t.close());

  /** An organisation of its own with a deployment, and an admin. */
  async function begin(name: string): Promise<void> {
    organisationId = await addOrganisation(t, name);
    token = (await addUser(t, organisationId, "admin", `ada-${name}`)).token;
    const definition = definitionOf({ include: [{ prefixes: ["192.0.2.0/24"] }] });
    const { deployment } = await t.server.store.write({ kind: "create-deployment", ...by(), name: "Edge", definition });
    deploymentId = deployment.id;
    await published(t, deploymentId);
  }

  /** On the dashboard: the path, what creates one, the member with its document, and that with its text. */
  const PAGES: Readonly<Record<CredentialKind, readonly [path: string, body: () => object, of: string, text: string]>> =
    {
      api: ["/keys", () => ({ access: "read" }), "key", "text"],
      bouncer: ["/bouncers", () => ({ deployment_id: deploymentId }), "bouncer", "text"],
      edge: [
        "/edge-components",
        () => ({ deployment_id: deploymentId, component_type: "traefik" }),
        "component",
        "bootstrap_token",
      ],
      taxii: ["/taxii/credentials", () => ({ collections: [deploymentId] }), "credential", "password"],
    };

  async function create(kind: CredentialKind, label = "same label"): Promise<{ id: string; text: string }> {
    const [path, body, of, text] = PAGES[kind];
    const created = await visit(t, "POST", path, { token, body: { label, ...body() } });
    assert.equal(created.status, 201, created.text);
    return { id: created.body[of].id, text: created.body[text] };
  }

  test("each opens its own door and no other, until it is revoked; the audit log says so", async () => {
    await begin("doors");
    const made = new Map<CredentialKind, { id: string; text: string }>();
    for (const kind of KINDS) made.set(kind, await create(kind));
    for (const [door, { open, refusal }] of Object.entries(DOORS))
      for (const [kind, { text }] of made)
        assert.equal((await open(t, text)).status, kind === door ? 200 : refusal, `${kind} at the door of ${door}`);
    for (const [kind, { id, text }] of made) {
      const [path] = PAGES[kind];
      const other = await create(kind);
      const listed = async (): Promise<[string, string][]> =>
        (await visit(t, "GET", path, { token })).body.items.map((each: { id: string; state: string }) => [
          each.id,
          each.state,
        ]);
      assert.deepEqual(await listed(), [
        [other.id, "active"],
        [id, "active"],
      ]);
      for (let again = 0; again < 2; again++)
        assert.equal((await visit(t, "DELETE", `${path}/${id}`, { token })).body.state, "revoked");
      assert.deepEqual(await listed(), [
        [other.id, "active"],
        [id, "revoked"],
      ]);
      for (const of of KINDS.filter((one) => one !== kind))
        assert.equal((await visit(t, "DELETE", `${PAGES[of][0]}/${other.id}`, { token })).status, 404, `as ${of}`);
      const { open, refusal } = DOORS[kind];
      assert.deepEqual([(await open(t, text)).status, (await open(t, other.text)).status], [refusal, 200], kind);
      const { items } = (await visit(t, "GET", "/audit?limit=3", { token })).body;
      const start = kind === "edge" ? "traefik" : `${text.slice(0, 8)}...`;
      const name = `the ${CREDENTIALS[kind].called} "same label" (${start})`;
      assert.deepEqual([items[0].kind, items[0].summary], [`revoke-${CREDENTIALS[kind].auditedAs}`, `revoked ${name}`]);
      assert.equal(items[1].kind, `create-${CREDENTIALS[kind].auditedAs}`);
      assert.ok(!JSON.stringify(items).includes("digest"));
    }
  });

  test("an expired one opens nothing", async () => {
    await begin("expiry");
    for (const kind of KINDS) {
      const { text } = kind === "edge" ? makeToken() : makeCredentialText(kind);
      const digest = digestOfToken(text);
      const opens = { access: "read", deploymentId, hostsOnly: false, collections: [deploymentId] };
      const expiresAt = t.clock.now + 1000;
      const about = {
        kind: "create-credential",
        credential: kind,
        label: "x",
        digest,
        start: text.slice(0, 8),
        expiresAt,
      };
      await t.server.store.write({ ...about, ...opens, ...by() } as unknown as CreateCredentialCommand);
      const sent = sentBy(t, kind, text, organisationId, deploymentId);
      assert.equal((await DOORS[kind].open(t, sent)).status, 200, kind);
      t.clock.now = expiresAt;
      assert.equal((await DOORS[kind].open(t, sent)).status, DOORS[kind].refusal, kind);
    }
  });

  test("an organisation has so many for deployments, as many for TAXII, and revoked ones leave room", async () => {
    await begin("limits");
    for (const [kinds, word] of [
      [["bouncer", "edge"], "deployment"],
      [["taxii"], "TAXII"],
    ] as const) {
      const made = [];
      for (let i = 0; i < LIMIT; i++) made.push(await create(kinds[i % kinds.length]!));
      for (const kind of kinds) {
        const [path, body] = PAGES[kind];
        const refused = await visit(t, "POST", path, { token, body: { label: "x", ...body() } });
        assert.deepEqual(
          [refused.status, refused.body.detail.includes(`at most ${LIMIT} ${word} credentials`)],
          [409, true],
        );
      }
      await visit(t, "DELETE", `${PAGES[kinds[0]][0]}/${made[0]!.id}`, { token });
      await create(kinds[0]);
    }
    await create("api");
  });

  test("of a deleted deployment, an edge component is told so, and no new one can be made", async () => {
    await begin("deleted");
    const { text } = await create("edge");
    await t.server.store.write({ kind: "delete-deployment", ...by(), deploymentId });
    assert.equal((await DOORS.edge.open(t, text)).status, 410);
    for (const kind of ["bouncer", "edge", "taxii"] as const) {
      const [path, body] = PAGES[kind];
      assert.equal((await visit(t, "POST", path, { token, body: { label: "x", ...body() } })).status, 400, kind);
    }
  });
});

test("those of an earlier release keep their state: valid ones open their doors, others do not", async () => {
  let earlier: EarlierCredential[] = [];
  useStores(async (folder) => {
    const location = { file: join(folder, "store.db") };
    earlier = await fillEarlierCredentials(location);
    return location;
  });
  const t = await startServer({ failuresPerMinute: 1000, baseUrl: "http://lists.example" });
  await using _ = { [Symbol.asyncDispose]: () => t.close() };
  await published(t, DEPLOYMENT);
  assert.equal(earlier.length, 18);
  for (const { kind, text, state } of earlier) {
    const sent = sentBy(t, kind, text, ORGANISATION, DEPLOYMENT);
    for (const [door, { open, refusal }] of Object.entries(DOORS)) {
      const { status } = await open(t, sent);
      assert.equal(
        status,
        door === kind && state === "valid" ? 200 : refusal,
        `${state} ${kind} at the door of ${door}`,
      );
    }
  }
  const { token } = await addUser(t, ORGANISATION, "admin", "ada");
  const { items } = (await visit(t, "GET", "/audit", { token })).body;
  assert.deepEqual(
    items.slice(-2).map(({ summary }: { summary: string }) => summary),
    ['created the TAXII credential "MISP" (ipt_Ab3d...)', 'revoked the key "monitor" (ips_Ab3d...)'],
  );
});
