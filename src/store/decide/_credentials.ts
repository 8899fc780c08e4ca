import type { CreateCredentialCommand, RevokeCredentialCommand } from "../command.ts";
import { type Credential, definitionOf } from "../records/credential.ts";
import type { Deployment } from "../records/deployment.ts";
import { StoreError } from "../store-error.ts";
import type { Decision, NewId } from "./_decision.ts";
import { checkRoom, type Room } from "./_room.ts";
import { checkTexts } from "./_texts.ts";

/** `count`: those that are not revoked, of all kinds that share the quota; `isTaken`: whether one has this digest. */
export interface RoomForCredential extends Room {
  readonly isTaken: boolean;
  readonly deployment: Deployment | undefined;
  readonly collections: ReadonlySet<string>;
}

export function createCredential(
  command: CreateCredentialCommand,
  { isTaken, deployment, collections, ...room }: RoomForCredential,
  newId: NewId,
): Decision {
  const { organisationId, credential: kind, label, digest, start, expiresAt = null, at } = command;
  const { quota, scopeOf, refusalOf } = definitionOf(kind);
  checkTexts(label);
  checkRoom(quota.code, room, quota.things);
  if (isTaken)
    throw new StoreError("credential-exists", "a credential with this digest already exists; create another");
  const scope = scopeOf(command);
  const refusal = refusalOf?.(scope, { deployment, collections });
  if (refusal !== undefined) throw new StoreError(refusal.code, refusal.message);
  const lifetime = { createdAt: at, expiresAt, revokedAt: null };
  const about = { id: newId(), organisationId, kind, label };
  const credential = { ...about, ...scope, digest, start, ...lifetime } as Credential;
  return {
    outcome: { credential },
    command: auditedAs("create", credential),
    changes: [{ change: { kind: "credential", credential } }],
    writes: [{ insert: "credential", credential }],
  };
}

/**
 * `before`: the organisation's one of the kind with that id. Repeating it changes nothing. What a bouncer has received
 * is forgotten.
 */
export function revokeCredential(
  { credentialId, at }: RevokeCredentialCommand,
  before: Credential | undefined,
): Decision {
  if (before === undefined) throw new StoreError("credential-not-found", `unknown credential ${credentialId}`);
  if (before.revokedAt !== null) return { outcome: { credential: before }, changes: [] };
  const credential: Credential = { ...before, revokedAt: at };
  return {
    outcome: { credential },
    command: auditedAs("revoke", credential),
    changes: [{ change: { kind: "credential", credential }, old: before }],
    writes: [
      { save: "credential", credential },
      { delete: "bouncer-state", credentialId },
    ],
  };
}

function auditedAs(verb: "create" | "revoke", { kind }: Credential) {
  return `${verb}-${definitionOf(kind).auditedAs}` as const;
}
