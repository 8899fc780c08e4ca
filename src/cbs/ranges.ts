import type { Family, Prefix } from "../address/address.ts";
import { formatPrefix } from "../address/prefix.ts";
import { mergePrefixes } from "../address/range.ts";
import { prefixAt } from "./_prefix-list.ts";
import { type CatalogueTree, ROOT } from "./catalogue-tree.ts";

export interface RangeOptions {
  /** Both, unless given: IPv4 first. */
  readonly family?: Family | undefined;
  /** The fewest prefixes that cover exactly the same addresses, in place of those that lists name. */
  readonly aggregate?: boolean | undefined;
  /** How many to pass over; 0 unless given. */
  readonly offset?: number | undefined;
  /** How many to give; all unless given. */
  readonly limit?: number | undefined;
}

/** A prefix of a node or of one below it. */
export interface RangeDocument {
  readonly cidr: string;
  /** All nodes that lists name for this prefix, sorted; the node asked for where prefixes are aggregated. */
  readonly cbs_ids: readonly string[];
}

export interface RangePage {
  readonly items: readonly RangeDocument[];
  /** How many there are on all pages. */
  readonly count: number;
}

/**
 * The prefixes of a node and of all below it, each once, by address, the less specific first; of the whole catalogue without an id.
 * O(prefixes of the catalogue), a nanosecond each, and O(page); aggregated O(n log n) for n prefixes of the node.
 * @throws CatalogueError "unknown-id", RangeError
 */
export function rangesOf(tree: CatalogueTree, id: string | undefined, options: RangeOptions = {}): RangePage {
  const { family, aggregate = false, offset = 0, limit = Infinity } = options;
  checkPage(offset, limit);
  const families: readonly Family[] = family === undefined ? [4, 6] : [family];
  const value = id === undefined ? ROOT : tree.valueOf(id);
  return aggregate ? aggregated(tree, value, families, offset, limit) : listed(tree, value, families, offset, limit);
}

/** All prefixes of a node and of those below it, in order. O(prefixes of the catalogue). */
export function* prefixesOf(tree: CatalogueTree, value: number, families: readonly Family[] = [4, 6]): Generator<Prefix> {
  const wanted = tree.matchesIn(tree.below(value));
  for (const family of families) {
    const list = tree.prefixes(family);
    for (let at = 0; at < list.count; at++) if (wanted[list.matches[at]!] === 1) yield prefixAt(list, at);
  }
}

function listed(tree: CatalogueTree, value: number, families: readonly Family[], offset: number, limit: number): RangePage {
  const wanted = tree.matchesIn(tree.below(value));
  const items: RangeDocument[] = [];
  let count = 0;
  for (const family of families) {
    const list = tree.prefixes(family);
    for (let at = 0; at < list.count; at++) {
      const match = list.matches[at]!;
      if (wanted[match] === 0) continue;
      if (count >= offset && items.length < limit) items.push({ cidr: formatPrefix(prefixAt(list, at)), cbs_ids: tree.catalogue.ownNodesOf(match).map(({ id }) => id) });
      count++;
    }
  }
  return { items, count };
}

function aggregated(tree: CatalogueTree, value: number, families: readonly Family[], offset: number, limit: number): RangePage {
  const merged = mergePrefixes(prefixesOf(tree, value, families));
  const cbs_ids = value === ROOT ? [] : [tree.node(value).id];
  return { items: merged.slice(offset, offset + limit).map((prefix) => ({ cidr: formatPrefix(prefix), cbs_ids })), count: merged.length };
}

function checkPage(offset: number, limit: number): void {
  const isCount = (value: number): boolean => Number.isInteger(value) && value >= 0;
  if (!isCount(offset)) throw new RangeError(`the offset is a whole number from 0 on, not ${String(offset)}`);
  if (!isCount(limit) && limit !== Infinity) throw new RangeError(`the limit is a whole number from 0 on, not ${String(limit)}`);
}
