import { Type } from "typebox";
import { LONGEST_NAME } from "../../rulesets/validate-rule.ts";
import { formatTimestamp } from "../../time/format-timestamp.ts";
import type { Identification, Identifications } from "../../service/logs/identifications.ts";
import { Count, LineText, named, Nullable, NullableText, NullableTimestamp, Timestamp, WorkState } from "./common.ts";

const ROW_FORMATS = ["tsv", "csv", "jsonl", "append"] as const;
const FIELD_SYNTAXES = ["csv", "tsv", "jsonl", "space"] as const;
const NullableCount = Type.Unsafe<number | null>({ type: ["integer", "null"] });

export const IdentificationParameters = Type.Object({ id: Type.String({ format: "uuid" }) });

export const IdentifyQuery = Type.Object({
  id: Type.String({
    format: "uuid",
    minLength: 36,
    maxLength: 36,
    description: "of your choice, a UUID: by it, progress is asked for while the upload runs",
    examples: ["7d0c5a2e-3b1f-4c6d-9a8e-2f4b6c8d0e1a"],
  }),
  name: Type.Optional(
    LineText({ minLength: 1, maxLength: LONGEST_NAME, description: "of the file, without control characters" }),
  ),
  field: Type.Optional(
    LineText({
      minLength: 1,
      maxLength: LONGEST_NAME,
      description:
        "where the address stands: a column from 1, or the name of a column or JSON member; else the first address of a line counts",
      examples: ["client_ip"],
    }),
  ),
  input: Type.Optional(
    Type.Enum([...FIELD_SYNTAXES], {
      description: "how lines are cut into fields; else the first line decides. Used with field only",
    }),
  ),
  format: Type.Optional(
    Type.Enum([...ROW_FORMATS], {
      default: "tsv",
      description:
        "of the result: address, most specific prefix and services as tsv or csv, a document per line (jsonl), or each line with its services behind it (append)",
    }),
  ),
});

const lines = { lines: Count };
const service = { type: Type.String(), provider: Type.String() };

const TopAddressList = Type.Array(
  named(
    "TopAddress",
    Type.Object({
      ip: Type.String(),
      lines: Count,
      cbs_ids: Type.Array(Type.String()),
      labels: Type.Array(Type.String()),
    }),
  ),
  { description: "the first 50, most lines first" },
);

const TopAddressesSchema = named(
  "TopAddresses",
  Type.Object({
    matched: TopAddressList,
    unmatched: TopAddressList,
    matched_count: NullableCount,
    unmatched_count: NullableCount,
    lines_missing: Type.Integer({
      minimum: 0,
      description:
        "0: all of this is exact. Else there are too many different addresses to count each, and the counts of them are null: an address may have up to so many lines more than it has here, or, where it is missing here, has no more",
    }),
  }),
);

export const IdentificationSchema = named(
  "Identification",
  Type.Object({
    id: Type.String({ format: "uuid" }),
    name: Type.String(),
    format: Type.Enum([...ROW_FORMATS]),
    state: WorkState,
    started_at: Timestamp,
    ended_at: NullableTimestamp,
    expires_at: NullableText({ format: "date-time", description: "when it and its result are forgotten" }),
    bytes: Type.Integer({ minimum: 0, description: "read so far, as they were uploaded" }),
    size: Type.Unsafe<number | null>({
      type: ["integer", "null"],
      description: "of the upload, where the client has told it",
    }),
    lines: Count,
    matched: Type.Integer({ minimum: 0, description: "lines whose address belongs to a service" }),
    unmatched: Type.Integer({ minimum: 0, description: "lines with another address" }),
    no_address: Type.Integer({ minimum: 0, description: "lines without an address" }),
    types: Type.Array(Type.Object({ type: Type.String(), name: Type.String(), ...lines }), {
      description: "most lines first; a line counts once for each that it belongs to",
    }),
    providers: Type.Array(Type.Object({ ...service, name: Type.String(), ...lines }), { description: "the first 50" }),
    services: Type.Array(Type.Object({ ...service, service: Type.String(), name: Type.String(), ...lines }), {
      description: "the first 50",
    }),
    unmatched_sample: Type.Array(Type.Object({ text: Type.String(), has_address: Type.Boolean() }), {
      description: "up to 100 lines that belong to no service, cut at 500 characters",
    }),
    top_addresses: Nullable(TopAddressesSchema, { description: "null until it is done" }),
    error: NullableText({ description: "why it failed" }),
    result_bytes: NullableCount,
  }),
);

export const IdentificationList = named(
  "IdentificationList",
  Type.Object({ items: Type.Array(IdentificationSchema, { description: "the newest first" }), count: Count }),
);

export function identificationDocument(
  identification: Identification,
  identifications: Identifications,
): Record<string, unknown> {
  const { id, name, format, size, startedAt, endedAt, log } = identification;
  const expiresAt = identifications.expiryOf(identification);
  const { error, resultBytes } = log;
  return {
    id,
    name,
    format,
    state: endedAt === null ? "running" : log.state,
    started_at: formatTimestamp(startedAt),
    ended_at: endedAt === null ? null : formatTimestamp(endedAt),
    expires_at: expiresAt === null ? null : formatTimestamp(expiresAt),
    size,
    ...log.summary(),
    error,
    result_bytes: resultBytes,
  };
}
