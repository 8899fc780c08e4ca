import { Type } from "typebox";
import {
  MAX_NETWORKS,
  MAX_SCOPES,
  readNetworks,
  readScopes,
  type ScopedKind,
} from "../../service/access/key-scopes.ts";
import { makeCredentialText } from "../../service/access/credential-text.ts";
import { hasExpired } from "../../service/access/known-credentials.ts";
import { invalid } from "../../service/service-error.ts";
import type { Services } from "../../service/services.ts";
import type { ServiceMemory } from "../../service/store/service-memory.ts";
import { ACCESS_LEVELS, type ApiKey } from "../../store/records/credential.ts";
import type { Deployment } from "../../store/records/deployment.ts";
import { formatTimestamp } from "../../time/format-timestamp.ts";
import type { App } from "../app-type.ts";
import {
  Count,
  type DocumentOf,
  Id,
  named,
  NameText,
  NullableTimestamp,
  shownAs,
  strict,
  timeOrNull,
  Timestamp,
} from "../schemas/common.ts";
import { addCredentialRoutes } from "./credential.ts";

const Access = named("AccessLevel", Type.Enum([...ACCESS_LEVELS]));

const KeySchema = named(
  "Key",
  Type.Object({
    id: Id,
    label: Type.String(),
    access: Access,
    start: Type.String({ description: "the first characters of its text", examples: ["ips_Ab3d"] }),
    created_at: Timestamp,
    expires_at: NullableTimestamp,
    revoked_at: NullableTimestamp,
    scopes: Type.Array(Type.String(), {
      description: "what it may be used for: areas, kinds of resources, or single ones; empty: everything",
    }),
    networks: Type.Array(Type.String(), {
      description: "prefixes of clients from which it is accepted; empty: from anywhere",
    }),
    last_used_at: NullableTimestamp,
    requests_this_month: Count,
    opened_deployments: Type.Array(Type.Object({ id: Id, name: Type.String() }), {
      description:
        "deployments whose URLs the key has read: whoever has these URLs can fetch the lists, also after the key is revoked, until the URLs are replaced",
    }),
    state: Type.Enum(["active", "expired", "revoked"]),
  }),
);

const CreateBody = named(
  "CreateKeyRequest",
  Type.Object(
    {
      label: NameText,
      access: Access,
      scopes: Type.Optional(
        Type.Array(Type.String({ maxLength: 200 }), {
          maxItems: MAX_SCOPES,
          description:
            "what it may be used for: the areas `cbs`, `cti` and `edl`; `rulesets`, `deployments` or `lists`; or one of these, such as `rulesets/ID`. Other operations get 403. Default: everything",
        }),
      ),
      networks: Type.Optional(
        Type.Array(Type.String({ maxLength: 50 }), {
          maxItems: MAX_NETWORKS,
          description: "addresses and prefixes of clients from which it is accepted. Default: from anywhere",
          examples: [["192.0.2.0/24"]],
        }),
      ),
      expires_on: Type.Optional(
        shownAs(
          Type.String({
            format: "date",
            description: "it expires at 00:00 UTC on this day",
            examples: ["2030-01-01"],
          }),
          Type.String({ maxLength: 10 }),
        ),
      ),
    },
    strict,
  ),
);

/** What a key was used for. */
interface KeyUse {
  /** This month. */
  readonly requests: number;
  /** null: never. */
  readonly lastUsedAt: number | null;
  /** Deployments whose URLs it has read, as far as these still work. */
  readonly opened: readonly Pick<Deployment, "id" | "name">[];
}

function keyDocument(
  { id, label, access, start, createdAt, expiresAt, revokedAt, scopes, networks }: ApiKey,
  { requests, lastUsedAt, opened }: KeyUse,
  now: number,
): DocumentOf<typeof KeySchema> {
  return {
    id,
    label,
    access,
    start,
    created_at: formatTimestamp(createdAt),
    expires_at: timeOrNull(expiresAt),
    revoked_at: timeOrNull(revokedAt),
    scopes,
    networks,
    last_used_at: timeOrNull(lastUsedAt),
    requests_this_month: requests,
    opened_deployments: opened,
    state: revokedAt !== null ? "revoked" : hasExpired({ expiresAt }, now) ? "expired" : "active",
  };
}

/** The organisation's API keys. */
export function addKeyRoutes(app: App, services: Services): void {
  addCredentialRoutes(app, services, {
    kind: "api",
    name: "Key",
    tags: ["API keys"],
    path: "/keys",
    one: "/keys/:key_id",
    params: Type.Object({ key_id: Id }),
    document: KeySchema,
    async documents(some, { caller, now }) {
      const uses = await usesOf(services, caller.organisationId, now);
      return some.map((key) => keyDocument(key, uses(key.id), now));
    },
    unknown: () => "unknown key; listKeys lists yours",
    list: { summary: "The API keys of the organisation" },
    create: {
      summary: "Creates an API key; the response is the only one that contains it",
      body: CreateBody,
      bodyExample: { label: "firewall", access: "read", expires_on: "2030-01-01" },
      secret: {
        name: "CreatedKey",
        of: "key",
        members: { text: Type.String({ description: "the key itself; it is not shown again" }) },
      },
    },
    make({ access, expires_on: date, ...given }, { organisationId, at }, { memory }) {
      const expiresAt = date === undefined ? null : readMidnight(date, at);
      const scopes = readScopes(given.scopes ?? [], (kind, id) => resourceOf(memory, organisationId, kind, id));
      const networks = readNetworks(given.networks ?? []);
      const { text, ...made } = makeCredentialText("api");
      return { credential: { ...made, access, expiresAt, scopes, networks }, secret: { text } };
    },
    revoke: {
      summary: "Revokes an API key permanently; repeating it has no effect",
      description:
        "URLs of deployments that the key has read still work until they are replaced: see opened_deployments.",
    },
  });
}

/** The id itself if the organisation has such a resource. */
function resourceOf(memory: ServiceMemory, organisationId: string, kind: ScopedKind, id: string): string | undefined {
  const found = {
    rulesets: () => memory.ruleset(organisationId, id),
    deployments: () => memory.deployment(organisationId, id),
    lists: () => memory.externalList(organisationId, id),
  }[kind]();
  return found === undefined ? undefined : id;
}

/** What the store has recorded for all servers, and what this one has yet to record. */
async function usesOf(
  { store, access: { keyLimits }, publishing: { urlReaders } }: Services,
  organisationId: string,
  now: number,
): Promise<(keyId: string) => KeyUse> {
  const month = new Date(now).toISOString().slice(0, 7);
  const openedBy = await urlReaders.openedBy(organisationId, now);
  const recorded = new Map((await store.read("usageOf", organisationId, month)).map((use) => [use.keyId, use]));
  return (keyId) => {
    const [known, own] = [recorded.get(keyId), keyLimits.unrecordedOf(keyId, month)];
    const lastUsedAt = Math.max(known?.lastUsedAt ?? 0, own?.lastUsedAt ?? 0);
    return {
      requests: (known?.requests ?? 0) + (own?.requests ?? 0),
      lastUsedAt: lastUsedAt === 0 ? null : lastUsedAt,
      opened: openedBy(keyId),
    };
  };
}

/** @throws Problem (400) */
function readMidnight(text: string, now: number): number {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00.000Z`) : Number.NaN;
  // Date.parse takes 31 February for 3 March.
  if (Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== text)
    throw invalid({ expires_on: ["is not a date; write YYYY-MM-DD"] });
  if (time <= now) throw invalid({ expires_on: ["is in the past (the key expires at 00:00 UTC); use a later date"] });
  return time;
}
