import { Type } from "typebox";
import { type PreviousSecret, stillWorking } from "../../store/records/previous-secret.ts";
import { formatTimestamp } from "../../time/format-timestamp.ts";
import { named, NullableTimestamp, Timestamp } from "./common.ts";

const Previous = named(
  "PreviousSecret",
  Type.Object({
    replaced_at: NullableTimestamp,
    valid_until: Timestamp,
  }),
);

export function PreviousSecrets(description: string) {
  return Type.Array(Previous, { description });
}

export function previousDocuments(previous: readonly PreviousSecret[], now: number) {
  return stillWorking(previous, now).map(({ replacedAt, until }) => ({
    replaced_at: replacedAt === null ? null : formatTimestamp(replacedAt),
    valid_until: formatTimestamp(until),
  }));
}
