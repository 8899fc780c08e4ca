import { Type } from "typebox";
import { CLASSIFICATIONS } from "../../cti/fields.ts";
import { FEED_FORMATS } from "../../cti/import-feed.ts";
import { MAX_NAME_LENGTH } from "../../rulesets/validate-rule.ts";
import { DEFAULT_MAX_SHRINK } from "../../service/datasets/feed-imports.ts";
import type { DatasetShrinkage } from "../../service/service-error.ts";
import { Count, LineText, named, Nullable, NullableText, NullableTimestamp, Timestamp, WorkState } from "./common.ts";
import { problemOf } from "./problem.ts";

export const ThreatsSchema = named(
  "ThreatDataset",
  Type.Object({
    dataset: Nullable(
      named(
        "ThreatDatasetFacts",
        Type.Object({
          title: Type.String(),
          created_at: Timestamp,
          age_days: Count,
          is_old: Type.Boolean({ description: "older than 7 days" }),
          ipv4_prefixes: Count,
          ipv6_prefixes: Count,
          documents: Type.Integer({ minimum: 0, format: "int64", description: "different ones" }),
          sources: Type.Array(
            Type.Object({
              name: Type.String(),
              entries: Type.Integer({ minimum: 0, format: "int64", description: "entries that were read from it" }),
            }),
          ),
        }),
      ),
      { description: "null if the server has no threat intelligence" },
    ),
  }),
);

const shrinkage = {
  total_prefixes: Type.Integer({ minimum: 0, description: "prefixes currently in the dataset" }),
  added: Count,
  removed: Count,
  kept: Count,
  removed_percent: Type.Integer({
    minimum: 0,
    maximum: 100,
    description: "the percentage that would be removed, rounded up: the lowest max_shrink that permits the feed",
  }),
  max_shrink: Type.Integer({ minimum: 0, maximum: 100, description: "the percentage that may be removed" }),
};

/** A feed whose dataset would lose too much of the previous one, with its numbers. */
export const DatasetShrinkProblem = problemOf("dataset-shrinks", shrinkage);

/** The properties of the problem. */
export function shrinkageDocument(counts: DatasetShrinkage) {
  const { totalPrefixes, added, removed, kept, removedPercent, maxShrink } = counts;
  return {
    total_prefixes: totalPrefixes,
    added,
    removed,
    kept,
    removed_percent: removedPercent,
    max_shrink: maxShrink,
  };
}

/** Characters of all tags together. */
const MAX_TAGS = 500;

export const ImportFeedQuery = Type.Object({
  name: Type.Optional(
    LineText({
      minLength: 1,
      maxLength: MAX_NAME_LENGTH,
      default: "feed",
      description: "the name of the feed in the dataset, such as its file name",
      examples: ["tor-exits.txt"],
    }),
  ),
  format: Type.Optional(Type.Enum([...FEED_FORMATS], { description: "default: detected from the first line" })),
  classification: Type.Optional(
    Type.Enum([...CLASSIFICATIONS], { description: "for entries without one in the feed" }),
  ),
  tags: Type.Optional(
    LineText({ maxLength: MAX_TAGS, description: "for every entry, separated by commas", examples: ["tor,exit"] }),
  ),
  max_shrink: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 100,
      default: DEFAULT_MAX_SHRINK,
      description: "the largest percentage of the dataset's prefixes that may be removed",
    }),
  ),
  skip_invalid: Type.Optional(
    Type.Boolean({
      default: false,
      description: "leave lines that cannot be read out; otherwise the feed is rejected if it has any",
    }),
  ),
});

const SkippedLine = named(
  "SkippedLine",
  Type.Object({ line: Count, column: Count, message: Type.String({ description: "what is wrong and how to fix it" }) }),
);

const ImportResult = named(
  "FeedImportResult",
  Type.Object({
    lines: Count,
    entries: Count,
    skipped: Type.Integer({
      minimum: 0,
      format: "int64",
      description: "lines that cannot be read; with skip_invalid, they were left out",
    }),
    skipped_lines: Type.Array(SkippedLine, { description: "the first of them" }),
    warnings: Type.Array(Type.Object({ message: Type.String(), count: Count, first_line: Count })),
  }),
);

const LastImport = named(
  "LastFeedImport",
  Type.Object({
    name: Type.String(),
    state: WorkState,
    phase: Type.Enum(["uploading", "compiling"], { description: "the current or last phase" }),
    started_by: NullableText({ description: "the user's name; null for one who was removed" }),
    started_at: Timestamp,
    ended_at: NullableTimestamp,
    size: Type.Unsafe<number | null>({
      type: ["integer", "null"],
      minimum: 0,
      format: "int64",
      description: "bytes of the upload; null if the client did not send it",
    }),
    received: Type.Integer({ minimum: 0, format: "int64", description: "bytes that have arrived" }),
    compiled: Type.Integer({ minimum: 0, format: "int64", description: "bytes of these that have been compiled" }),
    lines: Count,
    sha256: NullableText({ description: "of the feed as sent; null until all of it has arrived" }),
    error: NullableText({ description: "why the previous dataset is still in use, with the line of the feed" }),
    result: Nullable(ImportResult, { description: "what was read; null until all of it is" }),
    dataset: Nullable(
      Type.Object({ created_at: Timestamp, ipv4_prefixes: Count, ipv6_prefixes: Count, documents: Count }),
      { description: "the new dataset; null if there is none" },
    ),
    changes: Nullable(Type.Object({ total_prefixes: Count, added: Count, removed: Count, kept: Count }), {
      description: "compared with the previous dataset; null if there was none",
    }),
    refused_percent: Type.Unsafe<number | null>({
      type: ["integer", "null"],
      minimum: 0,
      maximum: 100,
      description: "if it failed because too many prefixes would be removed: the percentage, as for max_shrink",
    }),
  }),
);

export const FeedImportSchema = named(
  "FeedImport",
  Type.Object({
    can_import: Type.Boolean(),
    reason: NullableText({ description: "why feeds cannot be imported here, and how to enable it" }),
    max_bytes: Type.Integer({ minimum: 0, format: "int64", description: "of a feed, as sent and decompressed" }),
    last: Nullable(LastImport, { description: "the running one, or else the last one since this server started" }),
  }),
);
