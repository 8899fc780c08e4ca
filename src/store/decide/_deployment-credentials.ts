import type { CreateCredentialCommand, RevokeCredentialCommand } from "../command.ts";
import type { Deployment } from "../records/deployment.ts";
import type { DeploymentCredential } from "../records/deployment-credential.ts";
import { CREDENTIALS_SETTING } from "../records/limit-settings.ts";
import { StoreError } from "../store-error.ts";
import type { Decision, NewId } from "./_decision.ts";
import { checkRoom, type Room } from "./_room.ts";
import { checkTexts } from "./_texts.ts";

/** `count`: those of the organisation that are not revoked, which may be at most `max`. */
export function createCredential(
  { organisationId, credential, label, digest, start, hostsOnly, at }: CreateCredentialCommand,
  deployment: Deployment,
  room: Room,
  newId: NewId,
): Decision {
  checkTexts(label);
  checkRoom(
    "too-many-credentials",
    room,
    `deployment credentials that are not revoked (${CREDENTIALS_SETTING}); revoke some first`,
  );
  if (credential === "bouncer" && deployment.definition.purpose === "allowlist")
    throw new StoreError("not-a-blocklist", "a bouncer would block what this deployment allows; use a blocklist");
  const created: DeploymentCredential = {
    id: newId(),
    organisationId,
    deploymentId: deployment.id,
    kind: credential,
    label,
    digest,
    start,
    hostsOnly,
    createdAt: at,
    revokedAt: null,
  };
  return {
    outcome: { credential: created },
    changes: [{ change: { kind: "deployment-credential", credential: created } }],
    writes: [{ insert: "deployment-credential", credential: created }],
  };
}

/** Repeating it changes nothing. What its bouncer has received is forgotten. */
export function revokeCredential(
  { credentialId, at }: RevokeCredentialCommand,
  before: DeploymentCredential | undefined,
): Decision {
  if (before === undefined) throw new StoreError("credential-not-found", `unknown credential ${credentialId}`);
  if (before.revokedAt !== null) return { outcome: { credential: before }, changes: [] };
  const credential: DeploymentCredential = { ...before, revokedAt: at };
  return {
    outcome: { credential },
    changes: [{ change: { kind: "deployment-credential", credential }, old: before }],
    writes: [
      { save: "deployment-credential", credential },
      { delete: "bouncer-state", credentialId },
    ],
  };
}
