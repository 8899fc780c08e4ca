import { formatPrefix } from "../../address/prefix.ts";
import type { Client, Deployment, PreviewDeployment } from "../../client/client.ts";
import { ProblemError, type ValidationErrors } from "../../client/errors.ts";
import { DEPLOYMENT_FIELDS, OPTION_FIELDS } from "../../service/deployments/deployment-fields.ts";
import { literalIn, NODE } from "../address-sets/address-operand.ts";
import { queryOperand, THREATS } from "../address-sets/threat-operand.ts";
import { networkOperand } from "../address-sets/network-operand.ts";
import { fieldOptions, fieldValues, optionNamed } from "../options/field-options.ts";
import type { Arguments, Option } from "../runner/command.ts";
import { guardClassesOf, guardClassesOption } from "../rulesets/guard-classes.ts";
import { LIST, RULESET, serverSource, type Source, voteText } from "../address-sets/server-source.ts";
import { parametersText } from "../server/service-connection.ts";
import { UsageError } from "../runner/usage-error.ts";

/** The note of commands that take such sources. */
export const SOURCE_NOTE =
  'A SOURCE is ruleset:NAME (or its id), list:NAME for an external list, cbs:NODE for a node of the catalogue with all its descendants, cti:SELECTION or cti:QUERY for addresses of threat intelligence, asn:NUMBER for what an AS number announces, country:CODE for what is registered in a country, a prefix, address or range itself, or atleast:K;SOURCE;SOURCE... for what at least K of several list (with weights, atleast:K;WEIGHT*SOURCE;...). A selection is a comma-separated list of a classification, tag=TAG (of several tags, one is enough) and days=N; a query is as in "cti search". Excludes always win. To deploy a file, import it into a ruleset first.';

const SOURCE_SYNTAX =
  "write ruleset:NAME, list:NAME, cbs:NODE, cti:SELECTION, cti:QUERY, asn:NUMBER, country:CODE, atleast:K;SOURCE;..., or a prefix, address or range";

export const GUARD_CLASSES_OPTION: Option = guardClassesOption("as the organisation's (default)");

/** Options of the commands that create or change a deployment. */
export const DEFINITION_OPTIONS: readonly Option[] = [
  { name: "include", value: "SOURCE", repeats: true, help: "addresses to list; may be given several times" },
  {
    name: "exclude",
    value: "SOURCE",
    repeats: true,
    help: "addresses not to list, whatever includes them; may be given several times",
  },
  ...fieldOptions(DEPLOYMENT_FIELDS, ["active"]),
  GUARD_CLASSES_OPTION,
  { name: "family", value: "4|6|both", choices: ["4", "6", "both"], help: "which addresses to list; default: both" },
  ...fieldOptions(OPTION_FIELDS),
];

/**
 * What the options say of a deployment; what is absent has its default, or stays as it is. Throws UsageError, also for a
 * ruleset that does not exist.
 */
export async function definitionOf(args: Arguments, client: Client): Promise<PreviewDeployment> {
  const options = optionsOf(args);
  const classes = guardClassesOf(args);
  return {
    ...(fieldValues(DEPLOYMENT_FIELDS, args) as PreviewDeployment),
    ...(classes !== undefined && { guard_classes: classes }),
    ...(args.has("include") && { include: await sourcesOf(args.values("include"), "include", client) }),
    ...(args.has("exclude") && { exclude: await sourcesOf(args.values("exclude"), "exclude", client) }),
    ...(Object.keys(options).length > 0 && { options }),
  };
}

function optionsOf(args: Arguments): Deployment["options"] {
  const family = args.value("family");
  return {
    ...fieldValues(OPTION_FIELDS, args),
    ...(family !== undefined && { families: family === "both" ? [4, 6] : [Number(family) as 4 | 6] }),
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
  if (source.atleast !== undefined) return [voteText(source, (each) => sourceTexts(each, names).join(","))];
  if (source.prefixes !== undefined) return source.prefixes;
  if (source.ruleset !== undefined) return [`${RULESET}${names.get(source.ruleset) ?? source.ruleset}`];
  if (source.list !== undefined) return [`${LIST}${names.get(source.list) ?? source.list}`];
  if (source.cbs !== undefined) return [`${NODE}${source.cbs}`];
  if (source.asn !== undefined) return [networkOperand({ asn: source.asn })];
  if (source.country !== undefined) return [networkOperand({ country: source.country })];
  if (source.cti_query !== undefined) return [queryOperand(source.cti_query)];
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
  const nameOf = (field: string): string => {
    const [first = ""] = field.replace(/^options\./, "").split(/[[.]/);
    return first in DEPLOYMENT_FIELDS ? optionNamed(first, DEPLOYMENT_FIELDS) : first;
  };
  const grouped: Record<string, string[]> = {};
  for (const [field, messages] of Object.entries(errors)) (grouped[nameOf(field)] ??= []).push(...messages);
  return grouped;
}
