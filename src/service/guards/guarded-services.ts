import { GUARDED_CLASSES, type NodeClass } from "../../collateral/node-classes.ts";
import type { ProtectedGroup } from "../../collateral/protected.ts";
import type { GuardClasses } from "../../store/records/guard-policy.ts";
import { protectsServices } from "../access/plans.ts";
import type { SourceServices } from "../sources/gather-source.ts";

type Dependencies = Pick<SourceServices, "memory" | "catalogue">;

/**
 * The services that a guard of an organisation protects: those of its own classes, else of the organisation's, else of
 * the usual ones. Undefined if there are any and no catalogue is loaded.
 */
export async function guardedServices(
  organisationId: string,
  own: GuardClasses | undefined,
  { memory, catalogue }: Dependencies,
): Promise<readonly ProtectedGroup[] | undefined> {
  const classes = classesOf(organisationId, own, memory);
  if (classes.length === 0 || !protectsServices(memory.plan(organisationId, "cbs"))) return [];
  return catalogue.generation === 0 ? undefined : catalogue.view().protectedServices(classes);
}

function classesOf(
  organisationId: string,
  own: GuardClasses | undefined,
  memory: Dependencies["memory"],
): readonly NodeClass[] {
  return own ?? memory.organisation(organisationId)?.guardClasses ?? GUARDED_CLASSES;
}
