import { Type } from "typebox";
import { FORMATS } from "../../formats/formats.ts";
import { MAX_SET_NAME } from "../../formats/set-name.ts";
import { NAMED_FORMATS, RULE_EXPORT_FORMATS } from "../../rulesets/export-rules.ts";

/** Of all files in which lists are exported. */
export const MEDIA_TYPES = [...new Set(RULE_EXPORT_FORMATS.map((format) => FORMATS[format].mediaType))];

export const ExportFormat = Type.Optional(Type.Enum([...RULE_EXPORT_FORMATS], { default: "text" }));

/** `from`: what the name is derived from by default. */
export const SetName = (from: string) =>
  Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: MAX_SET_NAME,
      description: `for ${[...NAMED_FORMATS].join(", ")}: the name of the set, chain, list or resource (ipset, nftables and bird append _4 and _6): a letter, then letters, digits and underscores. By default derived from ${from}`,
      examples: ["blocklist"],
    }),
  );
