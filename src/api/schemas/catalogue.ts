import { Type } from "typebox";
import { named, NullableText, NullableTimestamp, Timestamp } from "./common.ts";

export const CatalogueSchema = named(
  "Catalogue",
  Type.Object({
    title: Type.String(),
    created_at: Timestamp,
    sources: Type.Array(
      named(
        "CatalogueSource",
        Type.Object({
          node: NullableText({ description: "the id of the node whose prefixes it gives; null where it is tied to none", examples: ["/cloud/aws"] }),
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
