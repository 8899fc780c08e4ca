import { Matcher } from "../../batch/engine/matcher.ts";
import { type ListFilter, type ListItem, listItems, type ListName } from "../../cbs/browse.ts";
import { Catalogue } from "../../cbs/catalogue.ts";
import { CatalogueTree } from "../../cbs/catalogue-tree.ts";
import { listRanges, type RangeList, type RangeSelection } from "../../cbs/ranges.ts";
import { SearchIndex } from "../../cbs/search.ts";
import type { ProtectedGroup } from "../../collateral/protected.ts";
import type { NodeClass } from "../../collateral/node-classes.ts";
import { letThrough, protectingClass } from "../../collateral/services.ts";
import type { OpenOptions } from "../../snapshot/open-snapshot.ts";
import { openCatalogueSnapshot } from "../../datasets/open-catalogue.ts";
import type { Snapshot } from "../../snapshot/snapshot.ts";
import { tagOf } from "../rules/tags.ts";
import { inSlices } from "../../turns/in-slices.ts";
import { LookupWriter } from "./lookup-writer.ts";
import { ownVersion } from "../own-version.ts";
import type { Loaded } from "./served-dataset.ts";
import { SharedCache } from "../shared-cache.ts";

/** The indexes that browsing, lists, ranges and searches of a catalogue start from. */
export interface Browsing {
  readonly tree: CatalogueTree;
  readonly search: SearchIndex;
}

/** One catalogue, with what its routes need. */
export class CatalogueView {
  readonly catalogue: Catalogue;
  /** The path it was read from. */
  readonly snapshot: Snapshot;
  readonly writer: LookupWriter;
  /** Identifies what this catalogue, in this version of the package, responds to any given request. */
  readonly tag: string;
  /**
   * When the next prefix expires, in milliseconds since 1970 UTC: from then on this view is outdated. Infinity: never.
   */
  readonly until: number;
  readonly #lists = new SharedCache<{ readonly items: readonly ListItem[]; readonly byteLength: number }>(
    MAX_LIST_BYTES,
  );
  readonly #ranges = new SharedCache<RangeList>(MAX_LIST_BYTES);
  #browsing: Promise<Browsing> | undefined;
  /** By the class, and the classes without whose addresses it is: a few megabytes each, of which there are sixteen. */
  readonly #protected = new Map<string, Promise<ProtectedGroup>>();

  private constructor(catalogue: Catalogue, snapshot: Snapshot) {
    this.catalogue = catalogue;
    this.snapshot = snapshot;
    this.writer = new LookupWriter(catalogue, new Matcher(snapshot));
    const { from, until } = catalogue.unchangedWithin();
    this.until = until;
    this.tag = tagOf(`${this.generation} ${ownVersion()}${catalogue.table.hasExpiries ? ` ${from}` : ""}`);
  }

  /** The same on every server that has loaded a copy of this file. */
  get generation(): string {
    return this.snapshot.info.generation;
  }

  /**
   * Made in slices at the first call: two thirds of what a catalogue takes to load, and lookups need none of it. Rejects
   * with TableError for a corrupt table.
   */
  browsing(): Promise<Browsing> {
    return (this.#browsing ??= inSlices(this.#prepare()));
  }

  *#prepare(): Generator<undefined, Browsing> {
    const tree = new CatalogueTree(this.catalogue);
    yield;
    yield* tree.prepare();
    return { tree, search: yield* SearchIndex.inParts(this.catalogue) };
  }

  /**
   * What blocklists should not block, if services of these classes are protected. Each class is made in slices at the
   * first call: a third of a second for a full catalogue.
   */
  protectedServices(classes: readonly NodeClass[]): Promise<readonly ProtectedGroup[]> {
    const others = letThrough(classes);
    return Promise.all(classes.map((each) => this.#protectedClass(each, others)));
  }

  #protectedClass(wanted: NodeClass, others: readonly NodeClass[]): Promise<ProtectedGroup> {
    const key = [wanted, ...others].join(" ");
    const known = this.#protected.get(key);
    if (known !== undefined) return known;
    const made = this.browsing().then(({ tree }) => inSlices(protectingClass(tree, wanted, others)));
    this.#protected.set(key, made);
    return made;
  }

  async list(name: ListName, filter: ListFilter): Promise<readonly ListItem[]> {
    const make = async () => {
      const { tree } = await this.browsing();
      const items = await inSlices(listItems(tree, name, filter));
      return { items, byteLength: ITEM_BYTES * (items.length + 1) };
    };
    return (await this.#lists.get(JSON.stringify([name, filter]), make)).items;
  }

  /** Rejects with CatalogueError "unknown-id". */
  ranges(id: string | undefined, selection: RangeSelection): Promise<RangeList> {
    return this.#ranges.get(JSON.stringify([id, selection]), async () => {
      const { tree } = await this.browsing();
      return inSlices(listRanges(tree, id, selection));
    });
  }

  /**
   * Makes everything that lookups need, so that none of them waits for it.
   * @throws CatalogueError for an invalid catalogue
   */
  static *make(snapshot: Snapshot, now: number): Generator<undefined, CatalogueView> {
    const catalogue = new Catalogue(snapshot.metadata, snapshot.table, now);
    catalogue.checkValues();
    for (let value = 1; value <= catalogue.nodeCount; value++) {
      catalogue.node(value);
      if (value % NODES_AT_ONCE === 0) yield;
    }
    return new CatalogueView(catalogue, snapshot);
  }
}

const NODES_AT_ONCE = 500;

/**
 * Flat lists and lists of ranges: each takes a walk over all matches, and its pages are requested one after the other.
 */
const MAX_LIST_BYTES = 32 << 20;
/** Approximate size of an item of a flat list. */
const ITEM_BYTES = 200;

/** Opens and checks a catalogue. Rejects with SnapshotError, DatasetError, CatalogueError. */
export async function openCatalogueView(
  path: string,
  now: number,
  options?: OpenOptions,
): Promise<Loaded<CatalogueView>> {
  const view = await inSlices(CatalogueView.make(await openCatalogueSnapshot(path, options), now));
  return {
    view,
    createdAt: Date.parse(view.catalogue.metadata.createdAt),
    until: view.until,
    complete: async () => void (await view.browsing()),
  };
}
