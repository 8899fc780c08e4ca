import { compareTexts } from "./_node-id.ts";
import { type Catalogue, type CatalogueNode, sourceKey, sourceUpdatedAt } from "./catalogue.ts";
import type { LookupDocument, LookupMatch, LookupPrimary } from "./lookup-document.ts";
import { type PrimaryClaim, primaryOf } from "./primary.ts";
import type { MatchId } from "../table/match-id.ts";

/** What the documents of all addresses with one match have in common. Frozen, because they share it. */
export interface MatchSets extends Pick<
  LookupDocument,
  "labels" | "cbs_ids" | "providers" | "types" | "services" | "regions"
> {
  readonly primary: PrimaryClaim | null;
}

export function matchSetsOf(catalogue: Catalogue, match: MatchId): MatchSets {
  const nodes = catalogue.nodesOf(match);
  const primary = primaryOf(catalogue, match);
  if (nodes.length === 1) return setsOfOne(nodes[0]!, primary);
  return {
    primary,
    labels: sortedSet(nodes.map((node) => node.label)),
    cbs_ids: Object.freeze(nodes.map((node) => node.id)),
    providers: sortedSet(nodes.map((node) => node.provider)),
    types: sortedSet(nodes.map((node) => node.type)),
    services: sortedSet(nodes.map((node) => node.service)),
    regions: sortedSet(nodes.map((node) => node.region)),
  };
}

/** The lookup document of a match; `cidrOf` writes the covering prefix of a length. */
export function describe(
  catalogue: Catalogue,
  match: MatchId,
  ip: string,
  cidrOf: (length: number) => string,
  sets: MatchSets = matchSetsOf(catalogue, match),
): LookupDocument {
  const { table } = catalogue;
  const { labels, cbs_ids, providers, types, services, regions } = sets;
  const matches: LookupMatch[] = [];
  for (let covering = match; covering !== 0; covering = table.parent(covering)) {
    const cidr = cidrOf(table.prefixLength(covering));
    for (const { node, source } of catalogue.claimsOf(covering)) {
      const { id, label, provider, type, service, region } = node;
      const [key, updatedAt] = source === null ? [null, null] : [sourceKey(source), sourceUpdatedAt(source)];
      matches.push({
        provider,
        type,
        service,
        region,
        cidr,
        cbs_id: id,
        label,
        source: key,
        source_updated_at: updatedAt,
      });
    }
  }
  const found = match !== 0;
  return {
    ip,
    found,
    cidr: found ? cidrOf(table.prefixLength(match)) : null,
    primary: primaryAt(sets.primary, cidrOf),
    labels,
    cbs_ids,
    providers,
    types,
    services,
    regions,
    matches,
  };
}

function primaryAt(primary: PrimaryClaim | null, cidrOf: (length: number) => string): LookupPrimary | null {
  if (primary === null) return null;
  const { name, cbs_id, provider, type, service, region, length, source } = primary;
  return { name, cbs_id, provider, type, service, region, cidr: cidrOf(length), source };
}

/** As for several nodes, in half of the time. */
function setsOfOne(
  { id, label, provider, type, service, region }: CatalogueNode,
  primary: PrimaryClaim | null,
): MatchSets {
  return {
    primary,
    labels: setOfOne(label),
    cbs_ids: Object.freeze([id]),
    providers: setOfOne(provider),
    types: setOfOne(type),
    services: setOfOne(service),
    regions: setOfOne(region),
  };
}

function setOfOne(text: string | null): readonly string[] {
  return Object.freeze(text === null || text === "" ? [] : [text]);
}

function sortedSet(texts: readonly (string | null)[]): readonly string[] {
  const present = texts.filter((text): text is string => text !== null && text !== "");
  return Object.freeze([...new Set(present)].sort(compareTexts));
}
