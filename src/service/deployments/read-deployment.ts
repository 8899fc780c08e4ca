import { AddressError } from "../../address/address-error.ts";
import { formatPrefix, parsePrefix, rejectMappedBlock } from "../../address/prefix.ts";
import { classesInOrder } from "../../collateral/node-classes.ts";
import { printQuery } from "../../cti/search/print-query.ts";
import { DEVICES } from "../../deployments/devices.ts";
import { UnexportableError } from "../../formats/format.ts";
import { canComment, exportRules, noTimeoutsText } from "../../rulesets/export-rules.ts";
import {
  changedDefinition,
  type DefinitionChanges,
  type DeploymentDefinition,
  type DeploymentSource,
  type SingleSource,
  TOGETHER,
  type VotedSource,
} from "../../store/records/deployment.ts";
import type { Area } from "../../store/state.ts";
import { isActivePlan, noPlan } from "../access/plans.ts";
import { initialOf } from "../fields.ts";
import { readQuery } from "../datasets/search-threats.ts";
import { type FieldErrors, invalid } from "../service-error.ts";
import { DEPLOYMENT_FIELDS } from "./deployment-fields.ts";
import { type DeploymentFormat, isOnlyDeployed } from "./deployment-formats.ts";
import { canBeDivided } from "./feed-files.ts";
import { hasTimes } from "./feed-times.ts";
import { isOfThreats, SourceError, type Sources, type SourceServices } from "../sources/gather-source.ts";

/** The definition of a new deployment, as far as its request does not specify it. */
const DEFAULTS: DeploymentDefinition = {
  ...initialOf(DEPLOYMENT_FIELDS),
  guard_classes: null,
  include: [],
  exclude: [],
  options: {},
};

export interface ReadingServices extends SourceServices {
  readonly lists: { readonly sources: Sources };
}

interface ReadingContext {
  readonly organisationId: string;
  readonly now: number;
  readonly services: ReadingServices;
}

/**
 * The definition of a new deployment, checked. Rejects with ServiceError "invalid", and "no-plan" for sources whose area
 * the organisation has no plan for.
 */
export async function readDefinition(
  fields: Partial<DeploymentDefinition>,
  context: ReadingContext,
): Promise<DeploymentDefinition> {
  return changedDefinition(DEFAULTS, await readDefinitionChanges(fields, DEFAULTS, context));
}

/**
 * What a request changes in a definition: its members, and the format of a device that it names. Only that is checked: a
 * source that is there already may be gone, and the deployment can still be paused. Rejects as `readDefinition`.
 */
export async function readDefinitionChanges(
  fields: DefinitionChanges,
  before: DeploymentDefinition,
  context: ReadingContext,
): Promise<DefinitionChanges> {
  const device = DEVICES[fields.device ?? "none"];
  const changes = { ...(device === undefined ? {} : { firewall_format: device.format }), ...fields };
  if ((changes.include ?? before.include).length === 0) throw invalid({ include: ["name at least one source"] });
  if (dependsOnOthers(changes)) checkFormat(changedDefinition(before, changes));
  const read = async (field: "include" | "exclude"): Promise<Partial<DeploymentDefinition>> => {
    if (changes[field] === undefined) return {};
    const known = new Set(before[field].map((source) => JSON.stringify(source)));
    const sources: DeploymentSource[] = [];
    for (const [index, source] of changes[field].entries())
      sources.push(
        known.has(JSON.stringify(source)) ? source : await readSource(source, `${field}[${index}]`, context),
      );
    return { [field]: sources };
  };
  const { guard_classes: classes } = changes;
  return {
    ...changes,
    ...(classes != null && { guard_classes: classesInOrder(classes) }),
    ...(await read("include")),
    ...(await read("exclude")),
  };
}

/** Whether changes of these members are checked together with others, of the definition as it was read. */
export function dependsOnOthers(changes: DefinitionChanges): boolean {
  return TOGETHER.some((name) => changes[name] !== undefined);
}

/**
 * @throws ServiceError "invalid" for what the format cannot express. It looks at these members alone: `TOGETHER`.
 */
function checkFormat({ firewall_format: name, purpose, options }: DeploymentDefinition): void {
  const format = name as DeploymentFormat;
  if (options.chunk_entries !== undefined && !canBeDivided(format))
    throw invalid({ "options.chunk_entries": [`a list in the format ${format} cannot be split into files`] });
  if (options.overflow === "fit" && purpose !== "blocklist")
    throw invalid({
      "options.overflow": ["fit is for blocklists: addresses added to an allowlist would let in strangers"],
    });
  if (options.overflow === "fit" && options.chunk_entries !== undefined)
    throw invalid({ "options.overflow": ["fit is for lists in one file; leave out chunk_entries"] });
  if (options.comments === true && (isOnlyDeployed(format) || !canComment(format)))
    throw invalid({ "options.comments": [`files in the format ${format} have no comments`] });
  if (options.timeouts === true && !hasTimes({ options, firewall_format: format }))
    throw invalid({ "options.timeouts": [noTimeoutsText(format)] });
  if (isOnlyDeployed(format)) return;
  const rule = { prefix: parsePrefix("192.0.2.1"), name: null, expiresAt: null, createdAt: 0, updatedAt: 0 };
  try {
    for (const _part of exportRules([rule], format, { purpose: purpose === "allowlist" ? purpose : "blocklist" }));
  } catch (error) {
    throw error instanceof UnexportableError ? invalid({ firewall_format: [error.message] }) : error;
  }
}

/**
 * One source of an organisation, checked. Rejects with ServiceError "invalid", which names the field, and "no-plan" for a
 * source whose area the organisation has no plan for.
 */
export async function readSource(
  source: DeploymentSource,
  field: string,
  { organisationId, now, services }: ReadingContext,
): Promise<DeploymentSource> {
  const { memory, lists } = services;
  checkMembers(source, field);
  if ("atleast" in source) return readVotes(source, field, { organisationId, now, services });
  if ("prefixes" in source) return { prefixes: canonical(source.prefixes, `${field}.prefixes`) };
  if ("ruleset" in source) {
    const id = source.ruleset.toLowerCase();
    if (memory.ruleset(organisationId, id) === undefined) throw invalid({ [field]: [`unknown ruleset ${id}`] });
    return { ruleset: id };
  }
  if ("list" in source) {
    const id = source.list.toLowerCase();
    if (memory.externalList(organisationId, id) === undefined) throw invalid({ [field]: [`unknown list ${id}`] });
    return { list: id };
  }
  const area: Area = isOfThreats(source) ? "cti" : "cbs";
  if (!isActivePlan(memory.plan(organisationId, area), now)) throw noPlan(area);
  if (area === "cbs")
    await lists.sources.gather(organisationId, source, now).catch((error: unknown) => rethrow(error, field));
  return "cti_query" in source ? { cti_query: printQuery(readQuery(source.cti_query, `${field}.cti_query`)) } : source;
}

/** The members beside the one that says what a source is. */
const BESIDE = ["of", "weights"] as const;

/** @throws ServiceError "invalid" for members of several sources, or of half a one */
function checkMembers(source: object, field: string): void {
  const names = Object.keys(source);
  const kinds = names.filter((name) => !(BESIDE as readonly string[]).includes(name));
  if (kinds.length !== 1) throw invalid({ [field]: [`must have exactly one kind of source, not ${kinds.length}`] });
  const isVoted = "atleast" in source;
  for (const name of BESIDE)
    if (names.includes(name) && !isVoted) throw invalid({ [`${field}.${name}`]: ["is for a source with `atleast`"] });
  if (isVoted && !names.includes("of")) throw invalid({ [`${field}.of`]: ["is missing: name the sources that vote"] });
}

async function readVotes(source: VotedSource, field: string, context: ReadingContext): Promise<VotedSource> {
  const { atleast, weights } = source;
  if (weights !== undefined && weights.length !== source.of.length)
    throw invalid({ [`${field}.weights`]: [`has ${weights.length} weights for ${source.of.length} sources`] });
  const most = weights?.reduce((sum, weight) => sum + weight, 0) ?? source.of.length;
  if (atleast > most) throw invalid({ [`${field}.atleast`]: [`no address can have more than ${most} votes`] });
  const of: SingleSource[] = [];
  for (const [index, each] of source.of.entries())
    of.push((await readSource(each, `${field}.of[${index}]`, context)) as SingleSource);
  return { atleast, of, ...(weights !== undefined && { weights }) };
}

/** @throws ServiceError "invalid" for a source that cannot be read */
export function rethrow(error: unknown, field: string): never {
  throw error instanceof SourceError ? invalid({ [field]: [error.message] }) : error;
}

/** @throws ServiceError "invalid" */
function canonical(prefixes: readonly string[], field: string): string[] {
  const errors: Record<string, string[]> = {};
  const texts = prefixes.map((text, index) => {
    try {
      const prefix = parsePrefix(text);
      rejectMappedBlock(prefix, text);
      return formatPrefix(prefix);
    } catch (error) {
      if (!(error instanceof AddressError)) throw error;
      errors[`${field}[${index}]`] = [error.message];
      return text;
    }
  });
  if (Object.keys(errors).length > 0) throw invalid(errors satisfies FieldErrors);
  return texts;
}
