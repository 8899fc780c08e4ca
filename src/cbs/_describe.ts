import { compareTexts } from "./_node-id.ts";
import type { Catalogue } from "./catalogue.ts";
import type { LookupDocument, LookupMatch } from "./identify.ts";

/** The lookup document of a match; `cidrOf` writes the covering prefix of a length. */
export function describe(catalogue: Catalogue, match: number, ip: string, cidrOf: (length: number) => string): LookupDocument {
  const { table } = catalogue;
  const nodes = catalogue.nodesOf(match);
  const matches = table.chain(match).flatMap((covering) => {
    const cidr = cidrOf(table.prefixLength(covering));
    return catalogue
      .ownNodesOf(covering)
      .map(({ id, provider, type, service, region }): LookupMatch => ({ provider, type, service, region, cidr, cbs_id: id }));
  });
  return {
    ip,
    found: match !== 0,
    cidr: match === 0 ? null : cidrOf(table.prefixLength(match)),
    labels: sortedSet(nodes.map((node) => node.label)),
    cbs_ids: nodes.map((node) => node.id),
    providers: sortedSet(nodes.map((node) => node.provider)),
    types: sortedSet(nodes.map((node) => node.type)),
    services: sortedSet(nodes.map((node) => node.service)),
    regions: sortedSet(nodes.map((node) => node.region)),
    matches,
  };
}

function sortedSet(texts: (string | null)[]): string[] {
  const present = texts.filter((text): text is string => text !== null && text !== "");
  return [...new Set(present)].sort(compareTexts);
}
