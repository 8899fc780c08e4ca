import { type DeploymentDefinition, votersOf } from "../../store/records/deployment.ts";
import type { ServiceMemory } from "../store/service-memory.ts";

type Memory = Pick<ServiceMemory, "ruleset" | "externalList">;

/** Includes whose purpose contradicts that of the deployment, one sentence each. O(includes) */
export function doubtfulSources(
  { purpose, include }: Pick<DeploymentDefinition, "purpose" | "include">,
  organisationId: string,
  memory: Memory,
): string[] {
  const texts = include.flatMap(votersOf).map((source) => {
    if ("ruleset" in source) return doubtfulRuleset(memory.ruleset(organisationId, source.ruleset)?.about, purpose);
    if ("list" in source) return doubtfulList(memory.externalList(organisationId, source.list), purpose);
    return undefined;
  });
  return texts.filter((text) => text !== undefined);
}

function doubtfulRuleset(
  ruleset: { readonly name: string; readonly purpose: string } | undefined,
  purpose: DeploymentDefinition["purpose"],
): string | undefined {
  if (ruleset === undefined || purpose === "other" || ruleset.purpose === purpose) return undefined;
  const name = JSON.stringify(ruleset.name);
  return purpose === "blocklist"
    ? `the allowlist ${name} is an include of a blocklist: devices block what it allows; make it an exclude`
    : `the blocklist ${name} is an include of an allowlist: devices allow what it blocks; make it an exclude`;
}

function doubtfulList(
  list: { readonly name: string; readonly definition: { readonly never_block?: boolean } } | undefined,
  purpose: DeploymentDefinition["purpose"],
): string | undefined {
  if (purpose !== "blocklist" || list?.definition.never_block !== true) return undefined;
  return `the external list ${JSON.stringify(list.name)} has your own networks and is an include of a blocklist: devices block them; make it an exclude`;
}
