import assert from "node:assert/strict";
import { copyFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { makeCredentialText } from "../../src/service/access/credential-text.ts";
import { digestOfToken, makeToken } from "../../src/service/access/secret-token.ts";
import type { CreateCredentialCommand } from "../../src/store/command.ts";
import { definitionOf } from "../deployments/definition-of.ts";
import { onlyLong } from "../rounds.ts";
import { DEPLOYMENT, fillEarlierCredentials, ORGANISATION } from "../store/harness/earlier-credentials.ts";
import { databases } from "../store/harness/stores.ts";
import { until } from "../until.ts";
import { addUser, visit } from "./dashboard/browser.ts";
import { DOORS, KINDS, sentBy } from "./harness/credential-doors.ts";
import { addOrganisation, startServer, type TestServer, useStores } from "./start-server.ts";

// Credentials of all kinds in one database: of an earlier release, and of several servers.

const SETTINGS = { failuresPerMinute: 1000, baseUrl: "http://lists.example" };

for (const { name, skip, make, stop } of await databases())
  describe(`credentials on ${name}`, { skip: skip || (name === "PostgreSQL" && onlyLong()) }, () => {
    after(stop);

    test("those of an earlier release keep their state: valid ones open their doors, others do not", async () => {
      const location = await make();
      const earlier = await fillEarlierCredentials(location);
      useStores(async () => location);
      const t = await startServer({ failuresPerMinute: 1000, baseUrl: "http://lists.example" });
      await using _ = { [Symbol.asyncDispose]: () => t.close() };
      await until("the list is published", () => t.server.services.publishing.lists.served(DEPLOYMENT) !== undefined);
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

    test("one that is in use is refused by every server once another has revoked it", async (context) => {
      const location = await make();
      const servers: TestServer[] = [];
      useStores(async (folder) => {
        const key = servers[0] && join(servers[0].folder, "store.db.key");
        if (key !== undefined && existsSync(key)) copyFileSync(key, join(folder, "store.db.key"));
        return location;
      });
      const start = async (): Promise<TestServer> => {
        const server = await startServer(SETTINGS);
        context.after(() => server.close());
        servers.push(server);
        return server;
      };
      const one = await start();
      const organisationId = await addOrganisation(one, "shared");
      const by = { actor: "command:test", at: one.clock.now, organisationId };
      const definition = definitionOf({ include: [{ prefixes: ["192.0.2.0/24"] }] });
      const { store } = one.server;
      const { deployment } = await store.write({ kind: "create-deployment", ...by, name: "Edge", definition });
      const deploymentId = deployment.id;
      const made = [];
      for (const kind of KINDS) {
        const { text } = kind === "edge" ? makeToken() : makeCredentialText(kind);
        const opens = { access: "read", deploymentId, hostsOnly: false, collections: [deploymentId] };
        const about = { kind: "create-credential", credential: kind, label: "x", digest: digestOfToken(text) };
        const command = { ...about, start: text.slice(0, 8), ...opens, ...by } as unknown as CreateCredentialCommand;
        const { id } = (await store.write(command)).credential;
        made.push({ kind, id, text: sentBy(one, kind, text, organisationId, deploymentId) });
      }
      const two = await start();
      for (const server of servers)
        await until(
          "the list is published",
          () => server.server.services.publishing.lists.served(deploymentId) !== undefined,
        );
      for (const { kind, id, text } of made) {
        const { open, refusal } = DOORS[kind];
        const seen: number[] = [];
        const user = async (): Promise<void> => {
          for (let last = 0; last !== refusal; seen.push(last)) last = (await open(two, text)).status;
        };
        const users = [user(), user(), user()];
        await until(`${kind} is in use`, () => seen.length >= 6);
        await store.write({ kind: "revoke-credential", credential: kind, credentialId: id, ...by });
        assert.equal((await open(one, text)).status, refusal, `${kind}: at once where it is revoked`);
        await Promise.all(users);
        // 503: the database has the revocation already, and records nothing for the bouncer.
        const known = [200, refusal, ...(kind === "bouncer" ? [503] : [])];
        assert.deepEqual(
          seen.filter((status) => !known.includes(status)),
          [],
          kind,
        );
        assert.deepEqual(new Set(seen.slice(0, 3)), new Set([200]), kind);
        for (const server of servers)
          for (let i = 0; i < 5; i++) assert.equal((await open(server, text)).status, refusal, kind);
      }
    });
  });
