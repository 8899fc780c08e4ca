import type { CreateTaxiiCredentialCommand, RevokeTaxiiCredentialCommand } from "../command.ts";
import { CREDENTIALS_SETTING } from "../records/limit-settings.ts";
import { StoreError } from "../store-error.ts";
import type { TaxiiCredential } from "../records/taxii-credential.ts";
import type { Decision, NewId } from "./_decision.ts";
import { checkRoom, type Room } from "./_room.ts";
import { checkTexts } from "./_texts.ts";

/** `count`: those of the organisation that are not revoked, which may be at most `max`; `known`: the ids of its collections. */
export function createTaxiiCredential(
  { organisationId, label, digest, start, collections, at }: CreateTaxiiCredentialCommand,
  { known, ...room }: Room & { readonly known: ReadonlySet<string> },
  newId: NewId,
): Decision {
  checkTexts(label);
  checkRoom(
    "too-many-credentials",
    room,
    `TAXII credentials that are not revoked (${CREDENTIALS_SETTING}); revoke some first`,
  );
  const unknown = collections.find((id) => !known.has(id));
  if (unknown !== undefined) throw new StoreError("collection-not-found", `unknown collection ${unknown}`);
  const credential: TaxiiCredential = {
    id: newId(),
    organisationId,
    label,
    digest,
    start,
    collections: [...new Set(collections)].sort(),
    createdAt: at,
    revokedAt: null,
  };
  return {
    outcome: { credential },
    changes: [{ change: { kind: "taxii-credential", credential } }],
    writes: [{ insert: "taxii-credential", credential }],
  };
}

/** Repeating it changes nothing. */
export function revokeTaxiiCredential(
  { credentialId, at }: RevokeTaxiiCredentialCommand,
  before: TaxiiCredential | undefined,
): Decision {
  if (before === undefined) throw new StoreError("credential-not-found", `unknown credential ${credentialId}`);
  if (before.revokedAt !== null) return { outcome: { credential: before }, changes: [] };
  const credential: TaxiiCredential = { ...before, revokedAt: at };
  return {
    outcome: { credential },
    changes: [{ change: { kind: "taxii-credential", credential }, old: before }],
    writes: [{ save: "taxii-credential", credential }],
  };
}
