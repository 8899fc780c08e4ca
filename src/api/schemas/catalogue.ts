import { Type } from "typebox";
import { CbsLayer } from "./cbs.ts";
import { Count, named, NullableText, NullableTimestamp, Timestamp } from "./common.ts";

export const CatalogueSchema = named(
  "Catalogue",
  Type.Object({
    title: Type.String(),
    created_at: Timestamp,
    layers: Type.Array(
      named(
        "CatalogueLayer",
        Type.Object({
          layer: CbsLayer,
          sources: Count,
          oldest_at: NullableTimestamp,
          newest_at: NullableTimestamp,
          age_days: Type.Unsafe<number | null>({
            type: ["integer", "null"],
            minimum: 0,
            format: "int64",
            description: "whole days since newest_at",
          }),
          is_old: Type.Boolean({ description: "older than 30 days" }),
          advice: NullableText({ description: "how to update an old layer" }),
        }),
      ),
      { description: "the parts of the catalogue, official lists first, and their age" },
    ),
    sources: Type.Array(
      named(
        "CatalogueSource",
        Type.Object({
          node: NullableText({
            description: "the id of the node whose prefixes it provides; null if there is none",
            examples: ["/cloud/aws"],
          }),
          source: Type.String({ description: "as in the matches of a lookup", examples: ["aws"] }),
          layer: CbsLayer,
          name: Type.String(),
          version: NullableText(),
          url: NullableText(),
          license: NullableText(),
          attribution: NullableText(),
          published_at: NullableTimestamp,
          fetched_at: NullableTimestamp,
          changed_at: NullableTimestamp,
        }),
      ),
    ),
  }),
);
