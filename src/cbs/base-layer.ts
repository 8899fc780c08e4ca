import type { Prefix } from "../address/address.ts";
import { subtractor } from "../address/subtract.ts";
import { idParts } from "./_node-id.ts";
import { baseClaims, listedClaims } from "./announced.ts";
import type { Catalogue } from "./catalogue.ts";
import type { CatalogueBuilder } from "./catalogue-builder.ts";
import type { Source } from "./importers/sources.ts";

/** All prefixes in the lists of a source. */
export interface OfficialLists {
  readonly source: { readonly type: string } & Pick<Source, "provider" | "isWhole">;
  readonly prefixes: readonly Prefix[];
}

/**
 * Adds to a catalogue of official lists the prefixes known by AS number that those lists leave open; `base` knows
 * which provider announces a prefix. For every address:
 *
 *  1. If a provider's own list names it, only that list counts for the provider: it names services and regions, and has
 *     a newer date.
 *  2. If a provider's list covers its whole network and does not name it, but any other list does, the provider is left
 *     out. It announces the address for someone else (a customer's own prefix), or for another part of the company
 *     (Google Cloud and Google).
 *  3. Everything else is kept: a Tor exit also belongs to the network that it is in.
 *
 * So the result knows whatever either layer knows. A prefix of which only a part is left is split, because a node's
 * ranges must be correct too. O(prefixes log prefixes).
 */
export function addBaseLayer(builder: CatalogueBuilder, base: Catalogue, lists: readonly OfficialLists[]): void {
  const restOf = restByProvider(lists);
  for (const { id, name } of base.nodes) builder.addDefaultName(id, name);
  for (const { prefix, id, source } of baseClaims(base))
    for (const rest of restOf(id)(prefix)) builder.add(rest, id, source);
}

/**
 * Adds the lists that come with `base` and are not among `lists`, by the ids of their sources. Returns them: until a
 * newer one can be had, the one that came with the catalogue is in use.
 */
export function keepLists(
  builder: CatalogueBuilder,
  base: Catalogue,
  sources: readonly Source[],
  imported: ReadonlySet<string>,
): { ids: Set<string>; lists: OfficialLists[] } {
  const ids = new Set<string>();
  const lists: OfficialLists[] = [];
  for (const [id, claims] of listedClaims(base)) {
    if (imported.has(id)) continue;
    ids.add(id);
    for (const claim of claims) builder.add(claim.prefix, claim.id, id);
    const { type, provider } = idParts(claims[0]!.id);
    const isWhole = sources.find((source) => source.id === id)?.isWhole === true;
    lists.push({ source: { type, provider, isWhole }, prefixes: claims.map(({ prefix }) => prefix) });
  }
  return { ids, lists };
}

/** What is left of a prefix of a node's provider. */
function restByProvider(lists: readonly OfficialLists[]): (id: string) => (prefix: Prefix) => Prefix[] {
  const whole = (prefix: Prefix): Prefix[] => [prefix];
  const notListed = subtractor(lists.flatMap(({ prefixes }) => prefixes));
  const known = new Map<string, (prefix: Prefix) => Prefix[]>();
  const ofProvider = (id: string): ((prefix: Prefix) => Prefix[]) => {
    const { type, provider } = idParts(id);
    const key = `/${type}/${provider}`;
    let restOf = known.get(key);
    if (restOf === undefined) {
      const own = lists.filter(({ source }) => source.type === type && source.provider === provider);
      restOf =
        own.length === 0
          ? whole
          : own.some(({ source }) => source.isWhole === true)
            ? notListed
            : subtractor(own.flatMap(({ prefixes }) => prefixes));
      known.set(key, restOf);
    }
    return restOf;
  };
  // Nodes have many prefixes each.
  const byId = new Map<string, (prefix: Prefix) => Prefix[]>();
  return (id) => {
    const restOf = byId.get(id) ?? ofProvider(id);
    byId.set(id, restOf);
    return restOf;
  };
}
