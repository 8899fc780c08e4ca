import { formatPrefix } from "../../address/prefix.ts";
import type { Client, Deployment, PreviewDeployment } from "../../client/client.ts";
import { ProblemError, type ValidationErrors } from "../../client/errors.ts";
import { SHORTEST_LENGTHS } from "../../deployments/compile.ts";
import { DEVICES } from "../../deployments/devices.ts";
import { TIMED_FORMATS } from "../../rulesets/export-rules.ts";
import { DEPLOYMENT_FORMATS } from "../../service/deployments/deployment-formats.ts";
import { DEPLOYMENT_PURPOSES, DIRECTIONS, UPDATE_FREQUENCIES } from "../../store/records/deployment.ts";
import { GUARD_POLICIES } from "../../store/records/guard-policy.ts";
import { literalIn, NODE, THREATS } from "../address-sets/address-operand.ts";
import { networkOperand } from "../address-sets/network-operand.ts";
import type { Arguments, Option } from "../runner/command.ts";
import { guardClassesOf, guardClassesOption } from "../rulesets/guard-classes.ts";
import { wholeNumber } from "../runner/parse-arguments.ts";
import { LIST, RULESET, serverSource, type Source } from "../server/server-source.ts";
import { parametersText } from "../server/service-connection.ts";
import { UsageError } from "../runner/usage-error.ts";

type Options = Deployment["options"];

/** The note of commands that take such sources. */
export const SOURCE_NOTE =
  "A SOURCE is ruleset:NAME (or its id), list:NAME for an external list, cbs:NODE for a node of the catalogue with all its descendants, cti:SELECTION for addresses of threat intelligence, asn:NUMBER for what an AS number announces, country:CODE for what is registered in a country, or a prefix, address or range itself. A selection is a comma-separated list of a classification, tag=TAG (of several tags, one is enough) and days=N. Excludes always win. To deploy a file, import it into a ruleset first.";

/** In place of a device. */
const NO_DEVICE = "none";
const SOURCE_SYNTAX =
  "write ruleset:NAME, list:NAME, cbs:NODE, cti:SELECTION, asn:NUMBER, country:CODE, or a prefix, address or range";

export const GUARD_OPTION: Option = {
  name: "guard",
  value: "POLICY",
  choices: GUARD_POLICIES,
  help: "if a blocklist would block services, allowed addresses or own networks: off, warn (previews name them), refuse (keep the previous list), carve (leave them out); default: warn",
};

export const GUARD_CLASSES_OPTION: Option = guardClassesOption("as the organisation's (default)");

export const TIMEOUTS_OPTION: Option = {
  name: "timeouts",
  help: `give each entry that expires the seconds until then as a timeout; only for ${[...TIMED_FORMATS].join(", ")}`,
};

export const UNPROCESSABLE_OPTION: Option = {
  name: "unprocessable",
  value: "WHAT",
  choices: ["refuse", "omit"],
  help: "refuse a list with prefixes that its format cannot express, or omit them, and say so; default: refuse",
};

/** Options of the commands that create or change a deployment. */
export const DEFINITION_OPTIONS: readonly Option[] = [
  { name: "include", value: "SOURCE", repeats: true, help: "addresses to list; may be given several times" },
  {
    name: "exclude",
    value: "SOURCE",
    repeats: true,
    help: "addresses not to list, whatever includes them; may be given several times",
  },
  {
    name: "device",
    value: "DEVICE",
    choices: [...Object.keys(DEVICES), NO_DEVICE],
    help: `the format and the limits of a device: ${Object.keys(DEVICES).join(", ")}; default: ${NO_DEVICE}`,
  },
  {
    name: "format",
    value: "FORMAT",
    choices: DEPLOYMENT_FORMATS,
    help: `${DEPLOYMENT_FORMATS.join(", ")}; default: that of the device, otherwise text`,
  },
  { name: "description", value: "TEXT", help: "what it is for" },
  {
    name: "frequency",
    value: "TIME",
    choices: Object.keys(UPDATE_FREQUENCIES),
    help: `how often devices should fetch the list: ${Object.keys(UPDATE_FREQUENCIES).join(", ")}; default: 15m`,
  },
  { name: "purpose", value: "PURPOSE", choices: DEPLOYMENT_PURPOSES, help: "what it is for; default: blocklist" },
  GUARD_OPTION,
  GUARD_CLASSES_OPTION,
  { name: "direction", value: "DIRECTION", choices: DIRECTIONS, help: "a note for people; default: both" },
  { name: "family", value: "4|6|both", choices: ["4", "6", "both"], help: "which addresses to list; default: both" },
  {
    name: "min-prefix-v4",
    value: "N",
    help: `refuse the list if an include has an IPv4 prefix wider than /N; default: ${SHORTEST_LENGTHS[4]}`,
  },
  {
    name: "min-prefix-v6",
    value: "N",
    help: `refuse the list if an include has an IPv6 prefix wider than /N; default: ${SHORTEST_LENGTHS[6]}`,
  },
  { name: "max-entries", value: "N", help: "refuse a file with more entries; default: the device's limit" },
  {
    name: "overflow",
    value: "WHAT",
    choices: ["refuse", "fit"],
    help: "refuse a list with more entries, or fit: shorten a blocklist by adding addresses; default: refuse",
  },
  UNPROCESSABLE_OPTION,
  { name: "max-bytes", value: "N", help: "refuse a file with more bytes; default: the device's limit" },
  {
    name: "max-shrink",
    value: "PERCENT",
    help: "refuse a list that shrinks by more because a dataset changed; default: 50",
  },
  {
    name: "max-growth",
    value: "PERCENT",
    help: "refuse a list that grows by more because a dataset changed; default: 50",
  },
  { name: "chunk-entries", value: "N", help: "split the list into files of at most N entries" },
  { name: "comments", help: "name the deployment in a comment of its files; formats without comments are refused" },
  TIMEOUTS_OPTION,
  { name: "allow-empty", help: "publish a list from which the excludes have removed everything" },
];

/** Numbers among the options of a list, with the least and the largest one. */
const NUMBERS = {
  min_prefix_v4: [0, 32],
  min_prefix_v6: [0, 128],
  max_entries: [1, 10_000_000],
  max_bytes: [1, 999_999_999],
  max_shrink: [0, 1_000_000],
  max_growth: [0, 1_000_000],
  chunk_entries: [100, 10_000_000],
} as const;

/** Texts, by their options, with the properties of the deployment. */
const TEXTS = {
  device: "device",
  format: "firewall_format",
  description: "description",
  frequency: "update_frequency",
  purpose: "purpose",
  guard: "guard",
  direction: "direction",
} as const;

/**
 * What the options say of a deployment; what is absent has its default, or stays as it is. Throws UsageError, also for a
 * ruleset that does not exist.
 */
export async function definitionOf(args: Arguments, client: Client): Promise<PreviewDeployment> {
  const texts = Object.entries(TEXTS).flatMap(([option, property]) => {
    const value = args.value(option);
    return value === undefined ? [] : [[property, value]];
  });
  const options = optionsOf(args);
  const classes = guardClassesOf(args);
  return {
    ...Object.fromEntries(texts),
    ...(classes !== undefined && { guard_classes: classes }),
    ...(args.has("include") && { include: await sourcesOf(args.values("include"), "include", client) }),
    ...(args.has("exclude") && { exclude: await sourcesOf(args.values("exclude"), "exclude", client) }),
    ...(Object.keys(options).length > 0 && { options }),
  };
}

function optionsOf(args: Arguments): Options {
  const numbers = Object.entries(NUMBERS).flatMap(([property, [least, most]]) => {
    const option = property.replaceAll("_", "-");
    const text = args.value(option);
    return text === undefined ? [] : [[property, wholeNumber(option, text, most, least)]];
  });
  const family = args.value("family");
  const overflow = args.value("overflow") as Options["overflow"];
  const unprocessable = args.value("unprocessable") as Options["unprocessable"];
  return {
    ...Object.fromEntries(numbers),
    ...(overflow !== undefined && { overflow }),
    ...(unprocessable !== undefined && { unprocessable }),
    ...(family !== undefined && { families: family === "both" ? [4, 6] : [Number(family) as 4 | 6] }),
    ...(args.has("comments") && { comments: true }),
    ...(args.has("timeouts") && { timeouts: true }),
    ...(args.has("allow-empty") && { allow_empty: true }),
  };
}

/** The sources that texts stand for; prefixes are one source. Throws UsageError. */
export async function sourcesOf(texts: readonly string[], option: string, client: Client): Promise<Source[]> {
  const sources: Source[] = [];
  const prefixes: string[] = [];
  for (const text of texts) {
    const literal = literalIn(text);
    if (literal === undefined) sources.push(await sourceOf(text, option, client));
    else prefixes.push(...literal.map(formatPrefix));
  }
  return prefixes.length === 0 ? sources : [...sources, { prefixes }];
}

async function sourceOf(text: string, option: string, client: Client): Promise<Source> {
  const source = await serverSource(text, client);
  if (source === undefined) throw new UsageError(`--${option} ${JSON.stringify(text)}: ${SOURCE_SYNTAX}`);
  return source;
}

/** How a source is written, with the names of rulesets and lists; prefixes in the order of the list. */
export function sourceTexts(source: Source, names: ReadonlyMap<string, string>): string[] {
  if (source.prefixes !== undefined) return source.prefixes;
  if (source.ruleset !== undefined) return [`${RULESET}${names.get(source.ruleset) ?? source.ruleset}`];
  if (source.list !== undefined) return [`${LIST}${names.get(source.list) ?? source.list}`];
  if (source.cbs !== undefined) return [`${NODE}${source.cbs}`];
  if (source.asn !== undefined) return [networkOperand({ asn: source.asn })];
  if (source.country !== undefined) return [networkOperand({ country: source.country })];
  const { classification, tags = [], seen_within_days: days } = source.cti ?? {};
  const parts = [
    ...(classification === undefined ? [] : [classification]),
    ...tags.map((tag) => `tag=${tag}`),
    ...(days === undefined ? [] : [`days=${days}`]),
  ];
  return [`${THREATS}${parts.join(",")}`];
}

/** Errors about a deployment in terms of the options that caused them; other errors unchanged. `name`: who gave it. */
export function rejectedDefinition(error: unknown, name: string): unknown {
  if (!(error instanceof ProblemError)) return error;
  const { validationErrors } = error;
  const { name: ofName = [], ...others } = validationErrors;
  const parts = [
    ...(ofName.length === 0 ? [] : [`${name}: ${ofName.join("; ")}`]),
    ...(Object.keys(others).length === 0 ? [] : [parametersText(byOption(others))]),
  ];
  return parts.length === 0 ? error : new UsageError(parts.join("; "));
}

function byOption(errors: ValidationErrors): ValidationErrors {
  const options = Object.entries(TEXTS).map(([option, property]) => [property, option]);
  const nameOf = (field: string): string => {
    const [first = ""] = field.replace(/^options\./, "").split(/[[.]/);
    return options.find(([property]) => property === first)?.[1] ?? first;
  };
  const grouped: Record<string, string[]> = {};
  for (const [field, messages] of Object.entries(errors)) (grouped[nameOf(field)] ??= []).push(...messages);
  return grouped;
}
