import { carvingRules, makingCarver } from "../../collateral/carve-rules.ts";
import {
  type Collateral,
  findingCollateral,
  hasCollateral,
  type Hit,
  type Protection,
} from "../../collateral/find-collateral.ts";
import type { PrefixList } from "../../collateral/protected.ts";
import { specialPurposeGroup } from "../../collateral/special-purpose.ts";
import { formatPrefix } from "../../address/prefix.ts";
import { type CarvedColumns, prefixesIn, type RuleColumns } from "../../rulesets/rule-columns.ts";
import { inSlices } from "../../turns/in-slices.ts";
import { gatherOwnLists } from "./gather-protection.ts";
import { ServiceError } from "../service-error.ts";
import type { Sources, SourceServices } from "../sources/gather-source.ts";
import type { Ruleset } from "../../store/state.ts";
import { type CollateralDocument, collateralDocuments, summaryOf } from "./collateral-documents.ts";
import { guardedServices } from "./guarded-services.ts";
import { withoutLines } from "../rules/desired-rules.ts";

/** Prefixes that are proposed in place of a refused one. */
const MAX_CARVED = 1000;
/**
 * Steps done without a pause, each at most some hundred microseconds. A single rule takes one step, whatever is
 * protected.
 */
const STEPS_AT_ONCE = 8;

/** `lists`: has the sources of the published lists, which are gathered once for all that ask. */
interface Dependencies extends Pick<SourceServices, "memory" | "catalogue"> {
  readonly lists: { readonly sources: Sources };
  readonly now: () => number;
}

/** A list of rules, and what it blocks that it should not. */
export interface GuardedRules {
  readonly rules: readonly CarvedColumns[];
  readonly warnings: readonly CollateralDocument[];
}

/**
 * What rules for these prefixes would block, unless the ruleset is an allowlist, which blocks nothing, or its guard is
 * off. @throws ServiceError "collateral" that names it, with the guard `refuse`, and with `carve`, since parts of a
 * rule are not what the request specifies
 */
export async function guardPrefixes(
  about: Ruleset,
  prefixes: PrefixList,
  services: Dependencies,
): Promise<readonly CollateralDocument[]> {
  const found = await collateralOf(about, prefixes, services);
  if (found === undefined) return [];
  if (about.guard === "warn") return collateralDocuments(found, "blocks");
  const carved = about.guard === "carve" ? await carvedPrefixes(prefixes, found.hits) : undefined;
  throw refusalOf(found, carved);
}

/**
 * The same for a list of rules; with the guard `carve`, the rules without the addresses that should not be blocked.
 * A rule that is cut keeps its name and expiry in each of its parts. Rules that are only too wide stay.
 */
export async function guardList(
  about: Ruleset,
  rules: readonly RuleColumns[],
  services: Dependencies,
): Promise<GuardedRules> {
  if (!isGuarded(about)) return { rules, warnings: [] };
  const found = await collateralOf(about, prefixesIn(rules), services);
  if (found === undefined) return { rules, warnings: [] };
  if (about.guard === "refuse") throw refusalOf(found);
  if (about.guard === "warn") return { rules, warnings: collateralDocuments(found, "blocks") };
  const carved = await inSlices(carvingRules(rules, found.hits));
  return { rules: carved.map(withoutLines), warnings: collateralDocuments(found, "leaves out") };
}

/** What a list of these prefixes, which are not written as rules, would block. O(prefixes), in slices. */
export async function listCollateral(
  organisationId: string,
  prefixes: PrefixList,
  services: Dependencies,
): Promise<readonly CollateralDocument[]> {
  const found = await collateralIn({ organisationId, guardClasses: null }, prefixes, services);
  return found === undefined ? [] : collateralDocuments(found, "would block");
}

function isGuarded({ purpose, guard }: Ruleset): boolean {
  return purpose === "blocklist" && guard !== "off";
}

/** Undefined if there is nothing to say. */
async function collateralOf(
  about: Ruleset,
  prefixes: PrefixList,
  services: Dependencies,
): Promise<Collateral | undefined> {
  return isGuarded(about) ? collateralIn(about, prefixes, services) : undefined;
}

/** The guard that asks. */
type Guard = Pick<Ruleset, "organisationId" | "guardClasses">;

async function collateralIn(
  guard: Guard,
  prefixes: PrefixList,
  services: Dependencies,
): Promise<Collateral | undefined> {
  if (prefixes.length === 0) return undefined;
  const now = services.now();
  const protection = await protectionFor(guard, services, now);
  const found = await soon(findingCollateral(prefixes, protection, now));
  return hasCollateral(found) ? found : undefined;
}

async function protectionFor(
  { organisationId, guardClasses }: Guard,
  { memory, catalogue, lists }: Dependencies,
  now: number,
): Promise<Protection> {
  const services = (await guardedServices(organisationId, guardClasses, { memory, catalogue })) ?? [];
  const rulesets = memory.rulesets(organisationId, "allowlist").map(({ about: { id, name, neverBlock }, rules }) => {
    return { kind: neverBlock ? ("own-network" as const) : ("allowed" as const), id, name, rules };
  });
  const own = await gatherOwnLists(organisationId, now, { sources: lists.sources, memory });
  return { groups: [...services, specialPurposeGroup(), ...own], rulesets };
}

/** Short work is done without a pause: each turn continues only one of many waiting requests. */
async function soon<Result>(work: Generator<undefined, Result, undefined>): Promise<Result> {
  for (let step = 0; step < STEPS_AT_ONCE; step++) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
  return inSlices(work);
}

function refusalOf(found: Collateral, carved?: readonly string[]): ServiceError {
  const collateral = collateralDocuments(found, "would block");
  return new ServiceError("collateral", `${summaryOf(collateral)}; nothing was written`, {
    collateral: { hits: collateral, carved },
  });
}

/** What is left of prefixes without what they hit, as the fewest prefixes; the first thousand of them. */
async function carvedPrefixes(prefixes: PrefixList, hits: readonly Hit[]): Promise<string[]> {
  const carve = await inSlices(makingCarver(hits));
  // The rest of a wide prefix can take millions.
  const rest = Iterator.from(prefixes).flatMap((prefix) => carve(prefix) ?? [prefix]);
  return Array.from(rest.take(MAX_CARVED), formatPrefix);
}
