import type { Family } from "../address/address.ts";
import { compareTexts } from "./_node-id.ts";
import { listPrefixes, type PrefixList } from "./_prefix-list.ts";
import { countMatches, type Extent, tally } from "./_tally.ts";
import type { Catalogue, CatalogueNode, CatalogueSource } from "./catalogue.ts";
import { CatalogueError } from "./catalogue-error.ts";
import type { InParts } from "./in-parts.ts";
import { finished } from "../turns/finished.ts";
import { type Grouped, grouping } from "../table/grouping.ts";
import type { MatchId } from "../table/match-id.ts";

export type { Extent } from "./_tally.ts";

const MATCHES_AT_ONCE = 1000;

/** Stands for the root above all nodes, in place of the number of a node. */
export const ROOT = 0;

/**
 * A catalogue's nodes as a tree, with the extent of each: the basis of browsing, searching, exporting and comparing.
 * Create one per loaded catalogue; expensive parts are built on first use.
 *
 * | operation | time |
 * |---|---|
 * | making it | O(nodes log nodes) |
 * | `valueOf`, `parent`, `children`, `path` | O(1), O(depth) for a path |
 * | `prefixes`, first call | O(prefixes), about a microsecond each |
 * | `extent`, first call | as `prefixes`, and O(matches x nesting x nodes of a prefix x depth) |
 */
export class CatalogueTree {
  readonly catalogue: Catalogue;
  readonly #values = new Map<string, number>();
  readonly #parents: Uint32Array;
  readonly #children: number[][];
  readonly #paths: (readonly number[] | undefined)[] = [];
  readonly #prefixes = new Map<Family, PrefixList>();
  readonly #counts = new Map<Family, Uint32Array>();
  #extents: readonly Extent[] | undefined;
  /** By the number of a node, the positions of its sources. */
  #sources: readonly ReadonlySet<number>[] | undefined;
  #matchesOfValues: Grouped | undefined;

  constructor(catalogue: Catalogue) {
    this.catalogue = catalogue;
    const { nodes } = catalogue;
    nodes.forEach(({ id }, i) => this.#values.set(id, i + 1));
    this.#parents = Uint32Array.from([ROOT, ...nodes.map((_, i) => catalogue.parentOf(i + 1))]);
    this.#children = Array.from({ length: nodes.length + 1 }, () => []);
    for (let value = 1; value <= nodes.length; value++) this.#children[this.#parents[value]!]!.push(value);
    for (const children of this.#children) children.sort((a, b) => compareTexts(nodes[a - 1]!.id, nodes[b - 1]!.id));
  }

  /** The number of a node. @throws CatalogueError "unknown-id" */
  valueOf(id: string): number {
    const value = this.#values.get(id);
    if (value !== undefined) return value;
    throw new CatalogueError(
      "unknown-id",
      id,
      `the catalogue has no node ${JSON.stringify(id)}; ids look like /cloud/aws`,
    );
  }

  /** Whether a node has this id. O(1) */
  has(id: string): boolean {
    return this.#values.has(id);
  }

  /** The node of a number, as `Catalogue.node`. O(1) */
  node(value: number): CatalogueNode {
    return this.catalogue.node(value);
  }

  /** The node one level up, `ROOT` at the top. */
  parent(value: number): number {
    return this.#parents[value] ?? ROOT;
  }

  /** The nodes one level down, by id. */
  children(value: number): readonly number[] {
    return this.#children[value] ?? [];
  }

  /** The node and those above it, from the top down, without the root. */
  path(value: number): readonly number[] {
    this.catalogue.node(value);
    return (this.#paths[value] ??=
      this.#parents[value] === ROOT ? [value] : [...this.path(this.#parents[value]!), value]);
  }

  /** The extent of a node with its descendants; for `ROOT`, that of the whole catalogue. */
  extent(value: number): Extent {
    this.#extents ??= finished(this.#countExtents());
    return this.#extents[value]!;
  }

  /**
   * The sources of the prefixes of a node and its descendants; for `ROOT`, of the whole catalogue. O(values of the
   * table) at the first call.
   */
  sourcesOf(value: number): readonly CatalogueSource[] {
    this.#sources ??= this.#listSources();
    const { sources } = this.catalogue.metadata;
    return sources.filter((_, i) => this.#sources![value]!.has(i + 1));
  }

  #listSources(): Set<number>[] {
    const { catalogue } = this;
    const { table } = catalogue;
    const found = Array.from({ length: catalogue.nodeCount + 1 }, () => new Set<number>());
    const values = new Set<number>();
    for (let match = 1 as MatchId; match <= table.matchCount; match++)
      for (const value of catalogue.valuesOf(match)) values.add(value);
    for (const value of values)
      for (const node of [ROOT, ...this.path(catalogue.numberOf(value))]) found[node]!.add(catalogue.sourceOf(value));
    return found;
  }

  /** Builds what `prefixes`, `extent` and `sourcesOf` return, before their first use. */
  *prepare(): InParts<void> {
    for (const family of [4, 6] as const) yield* this.listingPrefixes(family);
    this.#extents ??= yield* this.#countExtents();
    this.#sources ??= this.#listSources();
  }

  /** By value id, whether it is the node or one below it. */
  below(value: number): Uint8Array {
    const below = new Uint8Array(this.catalogue.nodes.length + 1);
    const open = [value];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      below[next] = 1;
      open.push(...this.children(next));
    }
    return below;
  }

  /**
   * By match id, whether its own prefix is in one of these nodes, given by number; with a source, given by position,
   * whether that source says so. O(matches) at the first call, then O(values + matches in these nodes).
   */
  *matchesIn(nodes: Uint8Array, source?: number): InParts<Uint8Array> {
    const { catalogue } = this;
    const { starts, items } = (this.#matchesOfValues ??= yield* this.#listMatches());
    const wanted = new Uint8Array(catalogue.table.matchCount + 1);
    let steps = 0;
    for (let value = 1; value <= catalogue.valueCount; value++) {
      if (nodes[catalogue.numberOf(value)] !== 1) continue;
      if (source !== undefined && catalogue.sourceOf(value) !== source) continue;
      for (let at = starts[value]!; at < starts[value + 1]!; at++) {
        wanted[items[at]!] = 1;
        if (++steps % (8 * MATCHES_AT_ONCE) === 0) yield;
      }
    }
    return wanted;
  }

  /** By value, the matches whose own prefix has it. @throws CatalogueError "unknown-value" */
  *#listMatches(): InParts<Grouped> {
    const { catalogue } = this;
    const { table, valueCount } = catalogue;
    return yield* grouping(valueCount + 1, function* (put) {
      for (let match = 1 as MatchId; match <= table.matchCount; match++) {
        for (const value of catalogue.valuesOf(match)) {
          if (value > valueCount) catalogue.numberOf(value); // throws
          put(value, match);
        }
        if (match % MATCHES_AT_ONCE === 0) yield;
      }
    });
  }

  /** All prefixes of a family in order. */
  prefixes(family: Family): PrefixList {
    return finished(this.listingPrefixes(family));
  }

  /** As `prefixes`; the first call can be interrupted. */
  *listingPrefixes(family: Family): InParts<PrefixList> {
    let list = this.#prefixes.get(family);
    if (list === undefined) this.#prefixes.set(family, (list = yield* listPrefixes(this.catalogue, family)));
    return list;
  }

  #countExtents(): InParts<Extent[]> {
    return this.tallyInParts(this.catalogue.nodes.length + 1, (own) => [ROOT, ...this.path(own)]);
  }

  /**
   * The extents of groups of nodes; `groupsOf` names the groups that a node is in. O(matches x nesting x groups of a
   * prefix).
   */
  tally(groupCount: number, groupsOf: (value: number) => readonly number[]): Extent[] {
    return finished(this.tallyInParts(groupCount, groupsOf));
  }

  /** `tally`, in parts: other work can run between two of them. */
  tallyInParts(groupCount: number, groupsOf: (value: number) => readonly number[]): InParts<Extent[]> {
    const { catalogue } = this;
    return this.#tallyValues(groupCount, (value) => groupsOf(catalogue.numberOf(value)));
  }

  /** The extent of what each source names, by its position in the metadata's sources. Takes as long as `tally`. */
  *sourceExtents(): InParts<Extent[]> {
    const { catalogue } = this;
    const [, ...extents] = yield* this.#tallyValues(catalogue.metadata.sources.length + 1, (value) => [
      catalogue.sourceOf(value),
    ]);
    return extents;
  }

  #tallyValues(groupCount: number, groupsOf: (value: number) => readonly number[]): InParts<Extent[]> {
    const known: (readonly number[] | undefined)[] = [];
    return tally(
      this.catalogue,
      this.#countsOf(4),
      this.#countsOf(6),
      groupCount,
      (value) => (known[value] ??= groupsOf(value)),
    );
  }

  #countsOf(family: Family): Uint32Array {
    let counts = this.#counts.get(family);
    if (counts === undefined)
      this.#counts.set(family, (counts = countMatches(this.prefixes(family), this.catalogue.table.matchCount)));
    return counts;
  }
}
