import { Type } from "typebox";
import { type PreviousSecret, stillWorking } from "../../store/records/previous-secret.ts";
import { formatTimestamp } from "../../time/format-timestamp.ts";
import { named, NullableTimestamp, timeOrNull, Timestamp } from "./common.ts";

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
    replaced_at: timeOrNull(replacedAt),
    valid_until: formatTimestamp(until),
  }));
}

const HOUR = 3_600_000;
const GRACE_HOURS = 24;

/** Of a body: how long what it replaces still works. */
export function GraceHours(maximum: number, description: string) {
  return Type.Optional(Type.Integer({ minimum: 0, maximum, default: GRACE_HOURS, description }));
}

export function graceEnd({ grace_hours: hours = GRACE_HOURS }: { readonly grace_hours?: number }, now: number): number {
  return now + hours * HOUR;
}
