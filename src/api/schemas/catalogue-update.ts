import { Type } from "typebox";
import { Count, named, Nullable, NullableText, NullableTimestamp, Timestamp, WorkState } from "./common.ts";

const NullableCount = Type.Unsafe<number | null>({ type: ["integer", "null"], minimum: 0, format: "int64" });

const UpdatedList = named(
  "UpdatedList",
  Type.Object({
    source: Type.String({ examples: ["aws"] }),
    path: Type.String({ examples: ["aws/ip-ranges.json"] }),
    outcome: Type.Enum(["new", "changed", "unchanged", "refused", "failed", "absent"], {
      description: "for rejected and failed lists the last good version is used",
    }),
    problem: NullableText({ description: "why it was rejected or could not be fetched, and how to fix it" }),
    prefixes: NullableCount,
    added: NullableCount,
    removed: NullableCount,
  }),
);

const UpdatedCatalogue = named(
  "UpdatedCatalogue",
  Type.Object({
    created_at: Timestamp,
    sources: Type.Integer({ minimum: 0, format: "int64", description: "official sources in it" }),
    nodes: Count,
    ipv4_prefixes: Count,
    ipv6_prefixes: Count,
    is_changed: Type.Boolean({ description: "whether it differs from the previous one" }),
    missing: Type.Array(Type.Object({ source: Type.String(), problem: Type.String() }), {
      description: "sources whose lists are not in it",
    }),
  }),
);

const LastUpdate = named(
  "LastCatalogueUpdate",
  Type.Object({
    state: WorkState,
    started_by: NullableText({ description: "the user's name; null for one who was removed" }),
    started_at: Timestamp,
    ended_at: NullableTimestamp,
    done: Type.Integer({ minimum: 0, format: "int64", description: "lists that are finished" }),
    total: Type.Integer({ minimum: 0, format: "int64", description: "all lists; 0 until the first is done" }),
    counts: Type.Object({ new: Count, changed: Count, unchanged: Count, refused: Count, failed: Count, absent: Count }),
    lists: Type.Array(UpdatedList, { description: "those that are new, changed, refused or failed" }),
    catalogue: Nullable(UpdatedCatalogue, { description: "what was built; null until then" }),
    error: NullableText({ description: "why no new catalogue is in use" }),
  }),
);

export const CatalogueUpdateSchema = named(
  "CatalogueUpdate",
  Type.Object({
    can_update: Type.Boolean(),
    reason: NullableText({ description: "why it cannot be updated here, and how to enable it" }),
    last: Nullable(LastUpdate, { description: "the running one, or else the last one since this server started" }),
  }),
);
