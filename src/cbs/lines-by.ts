import type { Catalogue, CatalogueNode } from "./catalogue.ts";
import type { MatchId } from "../table/match-id.ts";

/** Lines of a log that belong to nodes with one property; `node` is one of them. */
export interface CountedLines {
  readonly key: string;
  readonly node: CatalogueNode;
  readonly lines: number;
}

/** Lines of a log that belong to a type, provider or service. */
export interface NamedLines {
  readonly node: CatalogueNode;
  /** Distinguished from others of the same name by the name of the type: `Akamai (CDN)`. */
  readonly name: string;
  readonly lines: number;
}

/**
 * The counts shown for a log, the most lines first. A line counts once for each type, provider and service that it
 * belongs to.
 */
export interface LogCounts {
  readonly types: readonly NamedLines[];
  /**
   * A provider of two types, such as a CDN that sells security as well, is two: its lines are of different services.
   */
  readonly providers: readonly NamedLines[];
  readonly services: readonly NamedLines[];
}

/** The counts of a log, by the lines of each match id: O(matches). The command and the dashboard both show these. */
export function logCounts(catalogue: Catalogue, perMatch: Float64Array): LogCounts {
  const names = new Map(catalogue.nodes.map(({ id, name }) => [id, name]));
  const typeName = ({ type }: CatalogueNode): string => names.get(`/${type}`) ?? type;
  const named = (
    keyOf: (node: CatalogueNode) => string | null,
    nameOf: (node: CatalogueNode) => string,
  ): NamedLines[] => {
    const counted = linesBy(catalogue, perMatch, keyOf).map(({ node, lines }) => ({ node, name: nameOf(node), lines }));
    const shared = new Map<string, number>();
    for (const { name } of counted) shared.set(name, (shared.get(name) ?? 0) + 1);
    return counted.map((each) =>
      shared.get(each.name)! > 1 ? { ...each, name: `${each.name} (${typeName(each.node)})` } : each,
    );
  };
  return {
    types: named(({ type }) => type, typeName),
    providers: named(
      ({ type, provider }) => provider && `/${type}/${provider}`,
      ({ providerName }) => providerName,
    ),
    services: named(
      ({ type, provider, service }) => service && `/${type}/${provider}/${service}`,
      (node) => fullServiceName(node, names),
    ),
  };
}

/**
 * Lines by a property of the nodes that they belong to, most first. `perMatch` are the lines of each match id. A line
 * counts once for each value of the property; nodes without it (null, or empty) do not count. Each match is looked at
 * once, however many lines it has: O(matches).
 */
function linesBy(
  catalogue: Catalogue,
  perMatch: Float64Array,
  keyOf: (node: CatalogueNode) => string | null,
): CountedLines[] {
  const counts = new Map<string, { key: string; node: CatalogueNode; lines: number }>();
  for (let match = 1 as MatchId; match < perMatch.length; match++) {
    const lines = perMatch[match]!;
    if (lines === 0) continue;
    const nodes = new Map(catalogue.nodesOf(match).map((node) => [keyOf(node), node]));
    for (const [key, node] of nodes) {
      if (key === null || key === "") continue;
      const known = counts.get(key);
      if (known === undefined) counts.set(key, { key, node, lines });
      else known.lines += lines;
    }
  }
  return [...counts.values()].sort((a, b) => b.lines - a.lines || (a.key < b.key ? -1 : 1));
}

/**
 * The provider and the service, without saying twice what both names begin with: "Amazon EC2", not "Amazon Web Services
 * Amazon EC2".
 */
export function fullServiceName(node: CatalogueNode, names: ReadonlyMap<string, string>): string {
  const service = serviceName(node, names);
  const firstWord = (text: string): string => text.toLowerCase().split(" ")[0]!;
  return firstWord(service) === firstWord(node.providerName) ? service : `${node.providerName} ${service}`;
}

/** The name of a node's service: that of the service's own node, wherever the provider files it. */
function serviceName({ type, provider, service }: CatalogueNode, names: ReadonlyMap<string, string>): string {
  const ids = [`/${type}/${provider}/by-service/${service}`, `/${type}/${provider}/${service}`];
  return ids.map((id) => names.get(id)).find((name) => name !== undefined) ?? service!;
}
