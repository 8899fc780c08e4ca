import { Type } from "typebox";
import { MAX_NAME_LENGTH } from "../../rulesets/validate-rule.ts";
import type { BouncerState, DeploymentCredential } from "../../store/records/deployment-credential.ts";
import { formatTimestamp } from "../../time/format-timestamp.ts";
import { Count, CredentialState, LineText, named, NullableTimestamp, strict, Timestamp } from "./common.ts";

export const BouncerSchema = named(
  "Bouncer",
  Type.Object({
    id: Type.String({ format: "uuid" }),
    deployment_id: Type.String({ format: "uuid" }),
    label: Type.String(),
    start: Type.String({ description: "the first characters of its key", examples: ["ipb_Ab3d"] }),
    hosts_only: Type.Boolean({ description: "whether it gets single addresses only" }),
    created_at: Timestamp,
    revoked_at: NullableTimestamp,
    last_pulled_at: NullableTimestamp,
    user_agent: Type.String({ description: "its User-Agent at the last request; empty if there was none" }),
    state: CredentialState,
  }),
);
export const BouncerList = named(
  "BouncerList",
  Type.Object({
    items: Type.Array(BouncerSchema, { description: "newest first, including revoked ones" }),
    count: Count,
  }),
);
export const BouncerParameters = Type.Object({ bouncer_id: Type.String({ format: "uuid" }) });

export const CreateBouncerBody = named(
  "CreateBouncerRequest",
  Type.Object(
    {
      deployment_id: Type.String({ format: "uuid", description: "what it enforces" }),
      label: LineText({ minLength: 1, maxLength: MAX_NAME_LENGTH, description: "without control characters" }),
      hosts_only: Type.Optional(
        Type.Boolean({
          default: false,
          description:
            "send single addresses only, for bouncers that lose the length of ranges; ranges of more than 256 addresses are left out, but not smaller ones within them",
        }),
      ),
    },
    strict,
  ),
);
export const CreatedBouncer = named(
  "CreatedBouncer",
  Type.Object({ bouncer: BouncerSchema, text: Type.String({ description: "its key; it is not shown again" }) }),
);

export function bouncerDocument(
  { id, deploymentId, label, start, hostsOnly, createdAt, revokedAt }: DeploymentCredential,
  got: Pick<BouncerState, "pulledAt" | "agent"> | undefined,
): Record<string, unknown> {
  return {
    id,
    deployment_id: deploymentId,
    label,
    start,
    hosts_only: hostsOnly,
    created_at: formatTimestamp(createdAt),
    revoked_at: revokedAt === null ? null : formatTimestamp(revokedAt),
    last_pulled_at: got === undefined ? null : formatTimestamp(got.pulledAt),
    user_agent: got?.agent ?? "",
    state: revokedAt === null ? "active" : "revoked",
  };
}
