import { SHORTEST_LENGTHS } from "../../deployments/compile.ts";
import { IMPORT_FORMATS } from "../../rulesets/importers/import-rules.ts";
import { UPDATE_FREQUENCIES } from "../../store/records/deployment.ts";
import type { ExternalListDefinition } from "../../store/records/external-list.ts";
import { descriptionField, type Fields, YES_OR_NO } from "../fields.ts";

/** Maximum characters of a URL. */
export const MAX_URL = 2000;

const FREQUENCIES = Object.keys(UPDATE_FREQUENCIES);

/** What users decide about an external list, besides its name. */
export const LIST_FIELDS: Fields<ExternalListDefinition, "url"> = {
  url: {
    schema: {
      type: "string",
      minLength: 1,
      maxLength: MAX_URL,
      description: "https, without a user name or password",
      examples: ["https://feeds.example.net/drop.txt"],
    },
    option: { value: "URL", help: "a new URL; on another host, the list loses its credentials" },
  },
  active: {
    schema: { type: "boolean", description: "whether it is fetched on its schedule; true by default" },
    initial: true,
    option: { value: YES_OR_NO, help: "whether it is fetched on its schedule" },
  },
  description: descriptionField("what it is"),
  format: {
    schema: {
      enum: IMPORT_FORMATS,
      description:
        "text: addresses, prefixes and ranges, comments begin with #, ; or //; csv: the first line names the columns; text by default",
    },
    named: "ExternalListFormat",
    initial: "text",
    option: { value: "FORMAT", help: `${IMPORT_FORMATS.join(", ")}; default: text` },
  },
  schedule: {
    schema: { enum: FREQUENCIES, description: "how often it is fetched; 60m by default" },
    named: "ExternalListSchedule",
    initial: "60m",
    option: { value: "TIME", help: `how often it is fetched: ${FREQUENCIES.join(", ")}; default: 60m` },
  },
  max_change: {
    schema: {
      type: "integer",
      minimum: 0,
      maximum: 1_000_000,
      description:
        "refuse a list if more percent of its entries are gone, or new; 50 by default. Fewer than 20 entries may change in any way, and 1,000 may always be added",
    },
    initial: 50,
    option: {
      value: "PERCENT",
      help: "refuse a fetch that adds or removes a larger share of the entries; default: 50",
    },
  },
  min_prefix_v4: shortest(4, 32),
  min_prefix_v6: shortest(6, 128),
  allow_empty: {
    schema: { type: "boolean", description: "accept a list without entries; false by default" },
    initial: false,
  },
  never_block: {
    schema: {
      type: "boolean",
      description:
        "whether its addresses are the organisation's own networks, which blocklists should not block; false by default. Such a list is refused if one of its lines cannot be read",
    },
    initial: false,
    option: {
      value: YES_OR_NO,
      help: "whether it lists your own networks, which the guards of blocklists protect; default: no",
    },
  },
};

function shortest(family: 4 | 6, bits: number) {
  const initial = SHORTEST_LENGTHS[family];
  const description = `refuse a list with a wider prefix; ${initial} by default`;
  return { schema: { type: "integer", minimum: 0, maximum: bits, description }, initial } as const;
}
