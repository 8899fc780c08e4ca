import { type Collateral, findingCollateral, type Hit } from "../../collateral/find-collateral.ts";
import type { CompiledList } from "../../deployments/compile.ts";
import { type Gathered, gatheringPrefixes } from "../../deployments/gathered.ts";
import type { AcceptedHit, DeploymentDefinition } from "../../store/records/deployment.ts";
import type { GuardPolicy } from "../../store/records/guard-policy.ts";
import { inSlices } from "../../turns/in-slices.ts";
import { type CollateralDocument, collateralDocuments, hitText } from "../guards/collateral-documents.ts";
import { isFitted } from "./fit-deployment.ts";
import type { GatheredProtection } from "../guards/gather-protection.ts";

/** Hits that a reason names; further ones are only counted. */
const MAX_NAMED = 5;

/** The guard of a list; allowlists block nothing and have none. */
export function guardOf({ purpose, guard = "warn" }: Pick<DeploymentDefinition, "purpose" | "guard">): GuardPolicy {
  return purpose === "blocklist" ? guard : "off";
}

/** Whether what is published depends on what the guard protects. */
export function isGuarded(definition: DeploymentDefinition): boolean {
  const guard = guardOf(definition);
  return guard === "refuse" || guard === "carve" || (guard === "warn" && isFitted(definition));
}

/** What the list would block but should not. O(entries x things protected) at worst, in slices. */
export function collateralOf(list: CompiledList, { protection }: GatheredProtection, now: number): Promise<Collateral> {
  const prefixes = { length: list.tally.count(4) + list.tally.count(6), [Symbol.iterator]: () => list.prefixes() };
  return inSlices(findingCollateral(prefixes, protection, now));
}

/** What the guard takes out of a list: addresses of services, which the catalogue decides, and the others. */
export interface Carved {
  readonly services: Gathered;
  readonly others: Gathered;
}

export async function carvedFrom({ hits }: Collateral, until: number): Promise<Carved> {
  const gather = async (which: readonly Hit[]): Promise<Gathered> => {
    const prefixes = which.values().flatMap(({ addresses }) => addresses.prefixes());
    return { ...(await inSlices(gatheringPrefixes("what the guard takes out", prefixes))), until };
  };
  return {
    services: await gather(hits.filter(({ kind }) => kind === "service")),
    others: await gather(hits.filter(({ kind }) => kind !== "service")),
  };
}

/** What publishing a list with these hits approves. */
export function acceptedHits({ hits }: Collateral): AcceptedHit[] {
  return hits.map((hit) => ({
    id: idOf(hit),
    ...(hit.class !== undefined && { class: hit.class }),
    ipv4_addresses: String(hit.addresses.size(4)),
    ipv6_addresses: String(hit.addresses.size(6)),
  }));
}

/** Hits that no one has approved: those that were not accepted, or that have more addresses now. */
export function newHits({ hits }: Pick<Collateral, "hits">, accepted: readonly AcceptedHit[]): Hit[] {
  const known = Map.groupBy(accepted, ({ id }) => id);
  return hits.filter((hit) => !(known.get(idOf(hit)) ?? []).some((each) => accepts(each, hit)));
}

function accepts({ class: accepted, ...most }: AcceptedHit, hit: Hit): boolean {
  if (accepted !== undefined && accepted !== hit.class) return false;
  const { addresses } = hit;
  return addresses.size(4) <= BigInt(most.ipv4_addresses) && addresses.size(6) <= BigInt(most.ipv6_addresses);
}

/** The id of a node, a ruleset or a list, which does not change with its name. */
function idOf({ id, name }: Hit): string {
  return id ?? name;
}

/** Why a list with these hits is refused, in one sentence. */
export function collateralMessage(hits: readonly Hit[]): string {
  const named = hits.slice(0, MAX_NAMED).map(hitText);
  const more = hits.length - named.length;
  return `it would block ${named.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** What a preview says about the collateral of a list. */
export function guardWarnings(definition: DeploymentDefinition, collateral: Collateral): CollateralDocument[] {
  return collateralDocuments(collateral, guardOf(definition) === "carve" ? "leaves out" : "would block");
}
