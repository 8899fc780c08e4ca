import type { Prefix } from "../../address/address.ts";
import { formatPrefix } from "../../address/prefix.ts";
import { compareTexts } from "../_node-id.ts";
import { prefixAt } from "../_prefix-list.ts";
import type { CatalogueNode } from "../catalogue.ts";
import type { CatalogueTree } from "../catalogue-tree.ts";

/**
 * What is told about a prefix: the nodes of its own, or with those of all prefixes around it. Each member sorted,
 * without duplicates.
 */
export interface NodeSets {
  readonly cbs_ids: readonly string[];
  readonly labels: readonly string[];
  readonly providers: readonly string[];
  readonly types: readonly string[];
  readonly services: readonly string[];
  readonly regions: readonly string[];
}

/** The members of `NodeSets`, in their order. */
export const MEMBERS = ["cbs_ids", "labels", "providers", "types", "services", "regions"] as const;

export function setsOf(nodes: readonly CatalogueNode[]): NodeSets {
  const sorted = (of: (node: CatalogueNode) => string | null): string[] => {
    return [...new Set(nodes.map(of).filter((text): text is string => text !== null && text !== ""))].sort(
      compareTexts,
    );
  };
  return {
    cbs_ids: sorted(({ id }) => id),
    labels: sorted(({ label }) => label),
    providers: sorted(({ provider }) => provider),
    types: sorted(({ type }) => type),
    services: sorted(({ service }) => service),
    regions: sorted(({ region }) => region),
  };
}

/**
 * A text for every prefix, in order: `row` with the prefix in front or wherever it belongs. `aboutMatch` is called once
 * per match; few prefixes have one of their own.
 */
export function* rowsOf<About>(
  tree: CatalogueTree,
  aboutMatch: (match: number) => About,
  row: (prefix: Prefix, about: About) => string,
): Generator<string> {
  const known = new Map<number, About>();
  for (const family of [4, 6] as const) {
    const list = tree.prefixes(family);
    for (let at = 0; at < list.count; at++) {
      const match = list.matches[at]!;
      let about = known.get(match);
      if (about === undefined) known.set(match, (about = aboutMatch(match)));
      yield row(prefixAt(list, at), about);
    }
  }
}

/** The prefix with its length, also where it is a single address. */
export function longForm(prefix: Prefix): string {
  const text = formatPrefix(prefix);
  return text.includes("/") ? text : `${text}/${prefix.length}`;
}

/**
 * Whether an IPv6 prefix covers ::ffff:0:0/96. It says nothing about IPv4 here, but readers that look IPv4 addresses
 * up as mapped ones would take it for an answer about them; a row for all of IPv4 keeps it away.
 */
export function needsIpv4Stop(tree: CatalogueTree): boolean {
  const { table } = tree.catalogue;
  return table.lookup6(0, 0, 0xffff, 0) !== 0 && table.get({ family: 4, w0: 0, w1: 0, w2: 0, w3: 0, length: 0 }) === 0;
}
