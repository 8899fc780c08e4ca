import { SHORTEST_LENGTHS } from "../../deployments/compile.ts";
import { DEVICES } from "../../deployments/devices.ts";
import { TIMED_FORMATS } from "../../rulesets/export-rules.ts";
import {
  DEPLOYMENT_PURPOSES,
  type DeploymentDefinition,
  type DeploymentOptions,
  DIRECTIONS,
  UPDATE_FREQUENCIES,
} from "../../store/records/deployment.ts";
import { GUARD_POLICIES } from "../../store/records/guard-policy.ts";
import { descriptionField, type Fields, YES_OR_NO } from "../fields.ts";
import { DEPLOYMENT_FORMATS } from "./deployment-formats.ts";

/** In place of a device. */
const NO_DEVICE = "none";
const MAX_ENTRIES = 10_000_000;
const MAX_BYTES = 999_999_999;
const FREQUENCIES = Object.keys(UPDATE_FREQUENCIES);

/** What users decide about a deployment besides its name, its sources, the classes of its guard, and its options. */
export const DEPLOYMENT_FIELDS: Fields<
  Omit<DeploymentDefinition, "guard_classes" | "include" | "exclude" | "options">
> = {
  active: {
    schema: {
      type: "boolean",
      description: "feeds of a deployment that is not active are forbidden; true by default",
    },
    initial: true,
    isForPeople: true,
    option: { value: YES_OR_NO, help: "whether devices get the list; if not, 403" },
  },
  device: {
    schema: {
      enum: [...Object.keys(DEVICES), NO_DEVICE],
      description: `whose format and limits apply by default; ${NO_DEVICE} by default`,
    },
    named: "DeploymentDevice",
    initial: NO_DEVICE,
    option: {
      value: "DEVICE",
      help: `the format and the limits of a device: ${Object.keys(DEVICES).join(", ")}; default: ${NO_DEVICE}`,
    },
  },
  firewall_format: {
    schema: { enum: DEPLOYMENT_FORMATS, description: "the form of the files; text by default" },
    named: "FirewallFormat",
    initial: "text",
    option: {
      name: "format",
      value: "FORMAT",
      help: `${DEPLOYMENT_FORMATS.join(", ")}; default: that of the device, otherwise text`,
    },
  },
  description: { ...descriptionField("what it is for"), isForPeople: true },
  update_frequency: {
    schema: { enum: FREQUENCIES, description: "how often devices should ask; 15m by default" },
    named: "UpdateFrequency",
    initial: "15m",
    isForPeople: true,
    option: {
      name: "frequency",
      value: "TIME",
      help: `how often devices should fetch the list: ${FREQUENCIES.join(", ")}; default: 15m`,
    },
  },
  purpose: {
    schema: { enum: DEPLOYMENT_PURPOSES, description: "blocklist by default" },
    named: "DeploymentPurpose",
    initial: "blocklist",
    option: { value: "PURPOSE", help: "what it is for; default: blocklist" },
  },
  direction: {
    schema: { enum: DIRECTIONS, description: "for people; both by default" },
    named: "Direction",
    initial: "both",
    isForPeople: true,
    option: { value: "DIRECTION", help: "a note for people; default: both" },
  },
  guard: {
    schema: {
      enum: GUARD_POLICIES,
      description:
        "what happens to a list with the purpose blocklist that would block services, addresses that allowlists allow, own networks or private addresses: off: nothing; warn: previews name them; refuse: the previous list stays until someone publishes the new one anyway; carve: it is published without them. warn by default",
    },
    named: "DeploymentGuard",
    initial: "warn",
    option: {
      value: "POLICY",
      help: "if a blocklist would block services, allowed addresses or own networks: off, warn (previews name them), refuse (keep the previous list), carve (leave them out); default: warn",
    },
  },
};

type Options = Omit<DeploymentOptions, "families">;

/** The limits beyond which a list is not published, and how its files are written, besides the families of addresses. */
export const OPTION_FIELDS: Fields<Options, keyof Options> = {
  min_prefix_v4: shortest(4, 32),
  min_prefix_v6: shortest(6, 128),
  max_entries: {
    schema: {
      type: "integer",
      minimum: 1,
      maximum: MAX_ENTRIES,
      description: "of one file; the device's limit by default",
    },
    option: { value: "N", help: "refuse a file with more entries; default: the device's limit" },
  },
  overflow: {
    schema: {
      enum: ["refuse", "fit"],
      description:
        "what happens to a list with too many entries. refuse: it is not published, the previous one stays; fit (blocklists only): it is shortened by adding as few addresses as possible, none of them in an exclude or protected by the guard",
    },
    option: {
      value: "WHAT",
      help: "refuse a list with more entries, or fit: shorten a blocklist by adding addresses; default: refuse",
    },
  },
  unprocessable: {
    schema: {
      enum: ["refuse", "omit"],
      description:
        "what happens to a list with prefixes that its format cannot express. refuse: it is not published, the previous one stays; omit: it is published without them, and `unprocessable_count` and the file `unprocessable.txt` say so. refuse by default",
    },
    option: {
      value: "WHAT",
      help: "refuse a list with prefixes that its format cannot express, or omit them, and say so; default: refuse",
    },
  },
  max_bytes: {
    schema: {
      type: "integer",
      minimum: 1,
      maximum: MAX_BYTES,
      description: "of one file; the device's limit by default",
    },
    option: { value: "N", help: "refuse a file with more bytes; default: the device's limit" },
  },
  max_shrink: largestChange("shrinks"),
  max_growth: largestChange("grows"),
  chunk_entries: {
    schema: {
      type: "integer",
      minimum: 100,
      maximum: MAX_ENTRIES,
      description: "split the list into files of at most this many entries; a changed entry changes one file",
    },
    option: { value: "N", help: "split the list into files of at most N entries" },
  },
  comments: {
    schema: {
      type: "boolean",
      description:
        "name the deployment in its files: in a comment of the first line, or with each entry; only for formats that have comments",
    },
    option: { help: "name the deployment in a comment of its files; formats without comments are refused" },
  },
  timeouts: {
    schema: {
      type: "boolean",
      description: `give each entry that expires the seconds until then as a timeout, counted from the request, so that devices drop it by themselves; entries are split where addresses expire at different times. Only for ${[...TIMED_FORMATS].join(", ")}. Such files have weak entity tags, which change with the list and not from second to second, and no checksums`,
    },
    option: {
      help: `give each entry that expires the seconds until then as a timeout; only for ${[...TIMED_FORMATS].join(", ")}`,
    },
  },
  allow_empty: {
    schema: { type: "boolean", description: "publish a list from which the excludes have removed everything" },
    option: { help: "publish a list from which the excludes have removed everything" },
  },
};

function shortest(family: 4 | 6, maximum: number) {
  const initial = SHORTEST_LENGTHS[family];
  const description = `refuse the list if an include has a wider prefix; ${initial} by default`;
  const help = `refuse the list if an include has an IPv${family} prefix wider than /N; default: ${initial}`;
  return { schema: { type: "integer", minimum: 0, maximum, description }, option: { value: "N", help } } as const;
}

function largestChange(what: "shrinks" | "grows") {
  const description = `refuse a list that ${what} by more percent of its entries because the catalogue or threat intelligence has changed; 50 by default`;
  const help = `refuse a list that ${what} by more because a dataset changed; default: 50`;
  return {
    schema: { type: "integer", minimum: 0, maximum: 1_000_000, description },
    option: { value: "PERCENT", help },
  } as const;
}
