import { Type } from "typebox";
import { MAX_NAME_LENGTH } from "../../rulesets/validate-rule.ts";
import type { Collection } from "../../service/taxii/collections.ts";
import type { TaxiiCredential } from "../../store/records/taxii-credential.ts";
import { formatTimestamp } from "../../time/format-timestamp.ts";
import { Count, CredentialState, LineText, named, NullableTimestamp, strict, Timestamp } from "./common.ts";

export const TaxiiCredentialSchema = named(
  "TaxiiCredential",
  Type.Object({
    id: Type.String({ format: "uuid" }),
    label: Type.String(),
    username: Type.String({ description: "the first characters of its password", examples: ["ipt_Ab3d"] }),
    collections: Type.Array(Type.String({ format: "uuid" }), { description: "the ids of those it can read" }),
    created_at: Timestamp,
    revoked_at: NullableTimestamp,
    state: CredentialState,
  }),
);
export const TaxiiCredentialList = named(
  "TaxiiCredentialList",
  Type.Object({
    items: Type.Array(TaxiiCredentialSchema, { description: "newest first, including revoked ones" }),
    count: Count,
  }),
);
export const TaxiiCollectionList = named(
  "TaxiiCollectionList",
  Type.Object({
    items: Type.Array(
      Type.Object({
        id: Type.String({ format: "uuid", description: "that of the ruleset or deployment" }),
        title: Type.String(),
        source: named("TaxiiSource", Type.Enum(["ruleset", "deployment", "dataset"])),
      }),
    ),
    count: Count,
    discovery_url: Type.String({ description: "the URL to enter in a TAXII client" }),
  }),
);
export const TaxiiCredentialParameters = Type.Object({ credential_id: Type.String({ format: "uuid" }) });

/** More than the number of collections that an organisation can have. */
const MAX_COLLECTIONS = 1000;

export const CreateTaxiiCredentialBody = named(
  "CreateTaxiiCredentialRequest",
  Type.Object(
    {
      label: LineText({ minLength: 1, maxLength: MAX_NAME_LENGTH, description: "without control characters" }),
      collections: Type.Array(Type.String({ format: "uuid" }), {
        minItems: 1,
        maxItems: MAX_COLLECTIONS,
        description: "the ids of what it can read: of rulesets, deployments and the dataset",
      }),
    },
    strict,
  ),
);
export const CreatedTaxiiCredential = named(
  "CreatedTaxiiCredential",
  Type.Object({
    credential: TaxiiCredentialSchema,
    password: Type.String({ description: "it is not shown again" }),
  }),
);

export function taxiiCredentialDocument({
  id,
  label,
  start,
  collections,
  createdAt,
  revokedAt,
}: TaxiiCredential): Record<string, unknown> {
  return {
    id,
    label,
    username: start,
    collections,
    created_at: formatTimestamp(createdAt),
    revoked_at: revokedAt === null ? null : formatTimestamp(revokedAt),
    state: revokedAt === null ? "active" : "revoked",
  };
}

export function taxiiCollectionDocument({ id, title, source }: Collection): Record<string, unknown> {
  return { id, title, source };
}
