import { type ListFilter, type ListItem, listItems, type ListName } from "../../cbs/browse.ts";
import { Catalogue } from "../../cbs/catalogue.ts";
import { CatalogueTree } from "../../cbs/catalogue-tree.ts";
import { listRanges, type RangeList, type RangeSelection } from "../../cbs/ranges.ts";
import { SearchIndex } from "../../cbs/search.ts";
import { openCatalogueSnapshot } from "../../datasets/open-catalogue.ts";
import type { Snapshot } from "../../snapshot/snapshot.ts";
import { tagOf } from "../rules/tags.ts";
import { inSlices } from "../../turns/in-slices.ts";
import { LookupWriter } from "./lookup-writer.ts";
import { ownVersion } from "../own-version.ts";
import { SharedCache } from "../shared-cache.ts";

/** One catalogue and what its routes need. */
export class CatalogueView {
  readonly catalogue: Catalogue;
  /** Where it was read from. */
  readonly snapshot: Snapshot;
  readonly tree: CatalogueTree;
  readonly search: SearchIndex;
  readonly writer: LookupWriter;
  /** Of what this catalogue, and this version of the package, answer to one and the same request. */
  readonly tag: string;
  readonly #lists = new SharedCache<{ readonly items: readonly ListItem[]; readonly byteLength: number }>(
    MAX_LIST_BYTES,
  );
  readonly #ranges = new SharedCache<RangeList>(MAX_LIST_BYTES);

  private constructor(catalogue: Catalogue, snapshot: Snapshot, tree: CatalogueTree, search: SearchIndex) {
    this.catalogue = catalogue;
    this.snapshot = snapshot;
    this.tree = tree;
    this.search = search;
    this.writer = new LookupWriter(catalogue);
    this.tag = tagOf(`${this.generation} ${ownVersion()}`);
  }

  /** The same on every server that has loaded a copy of this file. */
  get generation(): string {
    return this.snapshot.info.generation;
  }

  async list(name: ListName, filter: ListFilter): Promise<readonly ListItem[]> {
    const make = async () => {
      const items = await inSlices(listItems(this.tree, name, filter));
      return { items, byteLength: ITEM_BYTES * (items.length + 1) };
    };
    return (await this.#lists.get(JSON.stringify([name, filter]), make)).items;
  }

  /** Rejects with CatalogueError "unknown-id". */
  ranges(id: string | undefined, selection: RangeSelection): Promise<RangeList> {
    return this.#ranges.get(JSON.stringify([id, selection]), () => inSlices(listRanges(this.tree, id, selection)));
  }

  /**
   * Makes all that requests need, so that none of them waits for it.
   * @throws CatalogueError for what is no catalogue
   */
  static *make(snapshot: Snapshot): Generator<undefined, CatalogueView> {
    const catalogue = new Catalogue(snapshot.metadata, snapshot.table);
    catalogue.checkValues();
    for (let value = 1; value <= catalogue.nodeCount; value++) {
      catalogue.node(value);
      if (value % NODES_AT_ONCE === 0) yield;
    }
    const tree = new CatalogueTree(catalogue);
    yield;
    yield* tree.prepare();
    return new CatalogueView(catalogue, snapshot, tree, yield* SearchIndex.inParts(catalogue));
  }
}

const NODES_AT_ONCE = 500;

/**
 * Flat lists and lists of ranges: each takes a walk over all matches, and its pages are asked for one after the other.
 */
const MAX_LIST_BYTES = 32 << 20;
/** Of an item of a flat list, roughly. */
const ITEM_BYTES = 200;

/** Opens and checks a catalogue. Rejects with SnapshotError, DatasetError, CatalogueError. */
export async function openCatalogueView(path: string): Promise<{ view: CatalogueView; createdAt: number }> {
  const view = await inSlices(CatalogueView.make(await openCatalogueSnapshot(path)));
  return { view, createdAt: Date.parse(view.catalogue.metadata.createdAt) };
}
