import { Type } from "typebox";
import { MAX_NAME_LENGTH } from "../../rulesets/validate-rule.ts";
import type { DeploymentCredential } from "../../store/records/deployment-credential.ts";
import { formatTimestamp } from "../../time/format-timestamp.ts";
import { Count, CredentialState, LineText, named, NullableTimestamp, strict, Timestamp } from "./common.ts";

export const EdgeComponentSchema = named(
  "EdgeComponent",
  Type.Object({
    id: Type.String({ format: "uuid" }),
    deployment_id: Type.String({ format: "uuid" }),
    label: Type.String(),
    component_type: Type.String(),
    created_at: Timestamp,
    revoked_at: NullableTimestamp,
    state: CredentialState,
  }),
);
export const EdgeComponentList = named(
  "EdgeComponentList",
  Type.Object({
    items: Type.Array(EdgeComponentSchema, { description: "newest first, including revoked ones" }),
    count: Count,
  }),
);
export const EdgeComponentParameters = Type.Object({ component_id: Type.String({ format: "uuid" }) });

export const CreateEdgeComponentBody = named(
  "CreateEdgeComponentRequest",
  Type.Object(
    {
      deployment_id: Type.String({ format: "uuid", description: "what it enforces" }),
      label: LineText({ minLength: 1, maxLength: MAX_NAME_LENGTH, description: "without control characters" }),
      component_type: LineText({
        minLength: 1,
        maxLength: 32,
        description: "the component's own name for its type; components accept only tokens of their type",
        examples: ["ellio_traefik_middleware_plugin"],
      }),
    },
    strict,
  ),
);
export const CreatedEdgeComponent = named(
  "CreatedEdgeComponent",
  Type.Object({
    component: EdgeComponentSchema,
    bootstrap_token: Type.String({ description: "what the component starts with; it is not shown again" }),
  }),
);

export function edgeComponentDocument({
  id,
  deploymentId,
  label,
  start,
  createdAt,
  revokedAt,
}: DeploymentCredential): Record<string, unknown> {
  return {
    id,
    deployment_id: deploymentId,
    label,
    component_type: start,
    created_at: formatTimestamp(createdAt),
    revoked_at: revokedAt === null ? null : formatTimestamp(revokedAt),
    state: revokedAt === null ? "active" : "revoked",
  };
}
