import type { Catalogue, CatalogueNode } from "./catalogue.ts";

/** Lines of a log that belong to nodes with one property; `node` is one of them. */
export interface CountedLines {
  readonly key: string;
  readonly node: CatalogueNode;
  readonly lines: number;
}

/**
 * Lines by a property of the nodes that they belong to, most first. `perMatch` are the lines of each match id. A line counts once for each value of the
 * property; nodes without it (null, or empty) do not count. Each match is looked at once, however many lines it has: O(matches).
 */
export function linesBy(catalogue: Catalogue, perMatch: Float64Array, keyOf: (node: CatalogueNode) => string | null): CountedLines[] {
  const counts = new Map<string, { key: string; node: CatalogueNode; lines: number }>();
  for (let match = 1; match < perMatch.length; match++) {
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

/** The provider and the service, without saying twice what both names begin with: "Amazon EC2", not "Amazon Web Services Amazon EC2". */
export function fullServiceName(node: CatalogueNode, names: ReadonlyMap<string, string>): string {
  const service = serviceName(node, names);
  const firstWord = (text: string): string => text.toLowerCase().split(" ")[0]!;
  return firstWord(service) === firstWord(node.providerName) ? service : `${node.providerName} ${service}`;
}

/** The name of a node's service: that of the service's own node, wherever the provider files it. */
export function serviceName({ type, provider, service }: CatalogueNode, names: ReadonlyMap<string, string>): string {
  const ids = [`/${type}/${provider}/by-service/${service}`, `/${type}/${provider}/${service}`];
  return ids.map((id) => names.get(id)).find((name) => name !== undefined) ?? service!;
}
