import { Type } from "typebox";
import { MAX_NAME_LENGTH } from "../../rulesets/validate-rule.ts";
import { formatTimestamp } from "../../time/format-timestamp.ts";
import type { Deployment } from "../../store/records/deployment.ts";
import { ACCESS_LEVELS, type ApiKey } from "../../store/state.ts";
import { Count, LineText, named, NullableTimestamp, shownAs, strict, Timestamp } from "./common.ts";

const Access = named("AccessLevel", Type.Enum([...ACCESS_LEVELS]));

export const KeySchema = named(
  "Key",
  Type.Object({
    id: Type.String({ format: "uuid" }),
    label: Type.String(),
    access: Access,
    start: Type.String({ description: "the first characters of its text", examples: ["ips_Ab3d"] }),
    created_at: Timestamp,
    expires_at: NullableTimestamp,
    revoked_at: NullableTimestamp,
    last_used_at: NullableTimestamp,
    requests_this_month: Count,
    opened_deployments: Type.Array(Type.Object({ id: Type.String({ format: "uuid" }), name: Type.String() }), {
      description:
        "deployments whose URLs the key has read: whoever has these URLs can fetch the lists, also after the key is revoked, until the URLs are replaced",
    }),
    state: Type.Enum(["active", "expired", "revoked"]),
  }),
);

/** What a key was used for. */
export interface KeyUse {
  /** This month. */
  readonly requests: number;
  /** null: never. */
  readonly lastUsedAt: number | null;
  /** Deployments whose URLs it has read, as far as these still work. */
  readonly opened: readonly Pick<Deployment, "id" | "name">[];
}

export function keyDocument(
  { id, label, access, start, createdAt, expiresAt, revokedAt }: ApiKey,
  { requests, lastUsedAt, opened }: KeyUse,
  now: number,
): Record<string, unknown> {
  const time = (at: number | null): string | null => (at === null ? null : formatTimestamp(at));
  const state = revokedAt !== null ? "revoked" : expiresAt !== null && now >= expiresAt ? "expired" : "active";
  return {
    id,
    label,
    access,
    start,
    created_at: formatTimestamp(createdAt),
    expires_at: time(expiresAt),
    revoked_at: time(revokedAt),
    last_used_at: time(lastUsedAt),
    requests_this_month: requests,
    opened_deployments: opened.map(({ id: deploymentId, name }) => ({ id: deploymentId, name })),
    state,
  };
}

export const KeyList = named(
  "KeyList",
  Type.Object({ items: Type.Array(KeySchema, { description: "newest first, including revoked ones" }), count: Count }),
);
export const KeyParameters = Type.Object({ key_id: Type.String({ format: "uuid" }) });

export const CreateKeyBody = named(
  "CreateKeyRequest",
  Type.Object(
    {
      label: LineText({ minLength: 1, maxLength: MAX_NAME_LENGTH, description: "without control characters" }),
      access: Access,
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
export const CreatedKey = named(
  "CreatedKey",
  Type.Object({ key: KeySchema, text: Type.String({ description: "the key itself; it is not shown again" }) }),
);
