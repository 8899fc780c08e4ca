import { makeApiKey } from "../../../store/records/api-key.ts";
import type { App } from "../../app-type.ts";
import { signature } from "../../http/signed-request.ts";
import { BY_ADMINS, BY_USERS } from "../../operation.ts";
import { notFound } from "../../problem.ts";
import { invalid } from "../../../service/service-error.ts";
import { readLine } from "../../../service/access/read-user.ts";
import {
  CreatedKey,
  CreateKeyBody,
  keyDocument,
  KeyList,
  KeyParameters,
  KeySchema,
  type KeyUse,
} from "../../schemas/key.ts";
import type { Services } from "../../../service/services.ts";

const tags = ["API keys"];
const NEVER: KeyUse = { requests: 0, lastUsedAt: null, opened: [] };

/** The organisation's API keys. */
export function addKeyRoutes(app: App, services: Services): void {
  const { store, memory } = services;
  const list = {
    operationId: "listKeys",
    summary: "The API keys of the organisation",
    tags,
    response: { 200: KeyList },
  };
  app.get("/keys", { config: BY_USERS, schema: list }, async ({ caller, now }) => {
    const uses = await usesOf(services, caller.organisationId, now);
    const items = memory
      .keys(caller.organisationId)
      .reverse()
      .map((key) => keyDocument(key, uses(key.id), now));
    return { items, count: items.length };
  });

  const create = {
    operationId: "createKey",
    summary: "Creates an API key; the response is the only one that contains it",
    tags,
    problems: [400, 409, 413, 415],
    body: CreateKeyBody,
    response: { 201: CreatedKey },
    bodyExample: { label: "firewall", access: "read", expires_on: "2030-01-01" },
  };
  app.post("/keys", { config: { ...BY_ADMINS, hasSecret: true }, schema: create }, async (request, reply) => {
    const { access, expires_on: date } = request.body;
    const label = readLine("label", request.body.label);
    const expiresAt = date === undefined ? null : readMidnight(date, request.now);
    const { text, digest, start } = makeApiKey();
    const { key } = await store.write({
      kind: "create-key",
      ...signature(request),
      label,
      access,
      digest,
      start,
      expiresAt,
    });
    return reply.code(201).send({ key: keyDocument(key, NEVER, request.now) as never, text });
  });

  const revoke = {
    operationId: "revokeKey",
    summary: "Revokes an API key permanently; repeating it has no effect",
    description:
      "URLs of deployments that the key has read still work until they are replaced: see opened_deployments.",
    tags,
    problems: [404],
    params: KeyParameters,
    response: { 200: KeySchema },
  };
  app.delete("/keys/:key_id", { config: BY_ADMINS, schema: revoke }, async (request) => {
    const { caller, now, params } = request;
    const known = memory.key(caller.organisationId, params.key_id.toLowerCase());
    if (known === undefined) throw notFound("unknown key; listKeys lists yours");
    const { key } = await store.write({ kind: "revoke-key", ...signature(request), keyId: known.id });
    return keyDocument(key, (await usesOf(services, caller.organisationId, now))(key.id), now);
  });
}

/** What the store has recorded for all servers, and what this one has yet to record. */
async function usesOf(
  { store, keyLimits, urlReaders }: Services,
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
