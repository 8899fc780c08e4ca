import { Type } from "typebox";
import { formatTimestamp } from "../../time/format-timestamp.ts";
import { named, NullableTimestamp, timeOrNull, Timestamp } from "../schemas/common.ts";

/** What the documents of credentials that other programs hold say of their time. */
export const lifetime = {
  created_at: Timestamp,
  revoked_at: NullableTimestamp,
  state: named("CredentialState", Type.Enum(["active", "revoked"])),
};

export function lifetimeOf({
  createdAt,
  revokedAt,
}: {
  readonly createdAt: number;
  readonly revokedAt: number | null;
}) {
  return {
    created_at: formatTimestamp(createdAt),
    revoked_at: timeOrNull(revokedAt),
    state: revokedAt === null ? ("active" as const) : ("revoked" as const),
  };
}

/** The order of their lists. */
export const NEWEST_FIRST = "newest first, including revoked ones";
