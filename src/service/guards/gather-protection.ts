import type { Protection } from "../../collateral/find-collateral.ts";
import { ANY_LENGTH, makingGroup, type Protected, type ProtectedGroup } from "../../collateral/protected.ts";
import { specialPurposeGroup } from "../../collateral/special-purpose.ts";
import type { ExternalList } from "../../store/records/external-list.ts";
import { inSlices } from "../../turns/in-slices.ts";
import type { GuardClasses } from "../../store/records/guard-policy.ts";
import { guardedServices } from "./guarded-services.ts";
import { SourceError, type Sources, type SourceServices } from "../sources/gather-source.ts";

/** What the blocklists of an organisation should not block. */
export interface GatheredProtection {
  readonly protection: Protection;
  /** The first moment, in milliseconds since 1970, at which it may change without a write; Infinity: never. */
  readonly until: number;
}

/**
 * As of `now`. Allowlists are gathered like sources, so those that have not changed are not read again. Rejects with
 * SourceError where the services of the catalogue are to be protected and none is loaded.
 */
export async function gatherProtection(
  {
    organisationId,
    guardClasses,
  }: { readonly organisationId: string; readonly guardClasses: GuardClasses | undefined },
  now: number,
  { sources, memory, catalogue }: Pick<SourceServices, "memory" | "catalogue"> & { readonly sources: Sources },
): Promise<GatheredProtection> {
  const services = await guardedServices(organisationId, guardClasses, { memory, catalogue });
  if (services === undefined)
    throw new SourceError("no catalogue is loaded, whose services the guard of the deployment protects");
  const ends: number[] = [];
  const members: Protected[] = [];
  for (const { about } of memory.rulesets(organisationId, "allowlist")) {
    const { id, name, neverBlock } = about;
    const gathered = await sources.gather(organisationId, { ruleset: id }, now).catch(ignoreDeleted);
    if (gathered === undefined) continue;
    ends.push(gathered.until);
    members.push({ kind: neverBlock ? "own-network" : "allowed", id, name, addresses: gathered.addresses });
  }
  const allowed = await inSlices(makingGroup(members, ANY_LENGTH));
  const own = await gatherOwnLists(organisationId, now, { sources, memory });
  return {
    protection: { groups: [...services, specialPurposeGroup(), allowed, ...own], rulesets: [] },
    until: Math.min(...ends),
  };
}

/**
 * The external lists of an organisation that must never be blocked, each as a group of its own, so that nothing is united
 * for a single prefix; those that were never fetched are left out.
 */
export async function gatherOwnLists(
  organisationId: string,
  now: number,
  { sources, memory }: Pick<SourceServices, "memory"> & { readonly sources: Sources },
): Promise<ProtectedGroup[]> {
  const groups: ProtectedGroup[] = [];
  for (const { id, name } of ownListsOf(organisationId, memory)) {
    const gathered = await sources.gather(organisationId, { list: id }, now).catch(ignoreDeleted);
    if (gathered === undefined) continue;
    const { addresses } = gathered;
    groups.push({ members: [{ kind: "own-network", id, name, addresses }], all: addresses, longest: ANY_LENGTH });
  }
  return groups;
}

function ownListsOf(organisationId: string, memory: SourceServices["memory"]): ExternalList[] {
  return memory
    .externalLists(organisationId)
    .filter(({ definition, content }) => definition.never_block === true && content !== null);
}

/** An allowlist or a list that has been deleted meanwhile protects nothing. */
function ignoreDeleted(error: unknown): undefined {
  if (!(error instanceof SourceError)) throw error;
}
