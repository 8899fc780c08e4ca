import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { CreateCredentialCommand } from "../../src/store/command.ts";
import { CREDENTIALS, type CredentialKind } from "../../src/store/records/credential.ts";
import { makeCredentialText } from "../../src/service/access/credential-text.ts";
import { digestOfToken, makeToken } from "../../src/service/access/secret-token.ts";
import { definitionOf } from "../deployments/definition-of.ts";
import { until } from "../until.ts";
import { addUser, visit } from "./dashboard/browser.ts";
import { DOORS, KINDS, sentBy } from "./harness/credential-doors.ts";
import { addOrganisation, ask, startServer, type TestServer } from "./start-server.ts";

// What holds for the credentials of all kinds.

const LIMIT = 3;

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

  test("a text that stands in the wrong place is in no response and no log, nor the id of a request", async () => {
    await begin("misplaced");
    for (const kind of KINDS.filter((each) => CREDENTIALS[each].prefix !== null)) {
      const { text } = makeCredentialText(kind as Exclude<CredentialKind, "edge">);
      const headers = { "x-request-id": text };
      const answer = await ask(t, "GET", `/v1/${text}?${text}=${text}`, { headers });
      const whole = JSON.stringify([answer.body, Object.fromEntries(Object.entries(answer.headers))]);
      assert.ok(!whole.includes(text.slice(0, 12)), `${kind}: ${whole}`);
      assert.ok(!t.logged().includes(text.slice(0, 12)), kind);
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
