import { sql } from "kysely";
import { makeCredentialText } from "../../../src/service/access/credential-text.ts";
import { digestOfToken, makeToken } from "../../../src/service/access/secret-token.ts";
import type { StoreLocation } from "../../../src/store/open-store.ts";
import type { CredentialKind } from "../../../src/store/records/credential.ts";
import { definitionOf } from "../../deployments/definition-of.ts";
import { migrateAsEarlier } from "./earlier-migrator.ts";
import { openEngine } from "./open-engine.ts";

/** The release before there was one table of credentials. */
export const BEFORE_CREDENTIALS = 27;

export const ORGANISATION: string = crypto.randomUUID();
export const DEPLOYMENT: string = crypto.randomUUID();
const MADE = 1000;

/** What is known of one: the text with which its holder comes, for an edge component the `jti` of its token. */
export interface EarlierCredential {
  readonly kind: CredentialKind;
  readonly id: string;
  readonly text: string;
  readonly digest: string;
  readonly start: string;
  readonly state: "valid" | "revoked" | "expired";
}

/** Makes the tables of that release, with a deployment and credentials of all kinds and states, `count` of each, used ones and bouncers that have received lists. */
export async function fillEarlierCredentials(location: StoreLocation, count = 2): Promise<EarlierCredential[]> {
  const engine = openEngine(location);
  await using _ = engine;
  await migrateAsEarlier(engine, BEFORE_CREDENTIALS);
  return await engine.db.transaction().execute(async (within) => {
    const run = (text: ReturnType<typeof sql>) => text.execute(within);
    await run(sql`insert into organisations (id, name, created_at) values (${ORGANISATION}, 'Example', ${MADE})`);
    for (const area of ["edl", "cti"])
      await run(sql`insert into plans (organisation_id, area, active) values (${ORGANISATION}, ${area}, 1)`);
    await run(sql`insert into deployments (id, organisation_id, name, definition, created_at, updated_at, rotation)
      values (${DEPLOYMENT}, ${ORGANISATION}, 'Edge',
        ${JSON.stringify(definitionOf({ include: [{ prefixes: ["192.0.2.0/24"] }] }))}, ${MADE}, ${MADE}, 0)`);
    const made: EarlierCredential[] = [];
    for (const kind of ["api", "bouncer", "edge", "taxii"] as const)
      for (const state of ["valid", "revoked", "expired"] as const)
        // Only API keys expired.
        for (let i = 0; i < (state === "expired" && kind !== "api" ? 0 : count); i++) {
          const each = { kind, id: crypto.randomUUID(), state, ...textOf(kind) };
          const revokedAt = state === "revoked" ? MADE + 1 : null;
          const common = sql`${each.id}, ${ORGANISATION}, ${`${state} ${kind} '"{`}, ${each.digest}, ${each.start}, ${MADE}, ${revokedAt}`;
          const columns = sql`id, organisation_id, label, digest, start, created_at, revoked_at`;
          if (kind === "api") {
            const [scopes, networks] = i === 0 ? ["[]", "[]"] : ['["edl","rulesets"]', '["127.0.0.0/8"]'];
            await run(sql`insert into api_keys (${columns}, access, expires_at, scopes, networks)
              values (${common}, 'read', ${state === "expired" ? MADE + 1 : null}, ${scopes}, ${networks})`);
            await run(sql`insert into key_usage (key_id, area, month, requests, last_used_at)
              values (${each.id}, 'edl', '2026-11', ${i + 7}, ${MADE + i})`);
          } else if (kind === "taxii")
            await run(sql`insert into taxii_credentials (${columns}, collections)
              values (${common}, ${JSON.stringify([DEPLOYMENT])})`);
          else
            await run(sql`insert into deployment_credentials (${columns}, kind, deployment_id, hosts_only)
              values (${common}, ${kind}, ${DEPLOYMENT}, ${kind === "bouncer" ? i % 2 : 0})`);
          if (kind === "bouncer" && state === "valid")
            await run(sql`insert into bouncer_states (credential_id, version, digest, issued_at, pulled_at, agent, doubt)
              values (${each.id}, ${i + 1}, '', ${MADE}, ${MADE + i}, 'cs', null)`);
          made.push(each);
        }
    const key = made.find(({ kind, state }) => kind === "api" && state === "revoked")!;
    const old = { id: key.id, organisationId: ORGANISATION, label: "monitor", access: "read", start: "ips_Ab3d" };
    const body = JSON.stringify({ kind: "key", key: { ...old, revokedAt: MADE + 1 } });
    await run(sql`insert into changes (sequence, "transaction", at, actor, organisation_id, kind, body, command, old)
      values (1, 't', ${MADE + 1}, 'user:root', ${ORGANISATION}, 'key', ${body}, 'revoke-key', ${JSON.stringify(old)})`);
    const credential = { id: "t", organisationId: ORGANISATION, label: "MISP", start: "ipt_Ab3d", collections: [] };
    await run(sql`insert into changes (sequence, "transaction", at, actor, organisation_id, kind, body, command)
      values (2, 't', ${MADE + 1}, 'user:root', ${ORGANISATION}, 'taxii-credential', ${JSON.stringify({ kind: "taxii-credential", credential })}, 'create-taxii-credential')`);
    await run(sql`update store set sequence = 2`);
    return made;
  });
}

function textOf(kind: CredentialKind): { text: string; digest: string; start: string } {
  if (kind !== "edge") return makeCredentialText(kind);
  const { text } = makeToken();
  return { text, digest: digestOfToken(text), start: "traefik" };
}
