import type { ListFilter, ListItem } from "../cbs/browse.ts";
import { Catalogue } from "../cbs/catalogue.ts";
import { CatalogueTree } from "../cbs/catalogue-tree.ts";
import { SearchIndex } from "../cbs/search.ts";
import { openSnapshot, type Snapshot } from "../snapshot/open-snapshot.ts";
import { inSlices } from "./in-slices.ts";
import { LookupWriter } from "./lookup-writer.ts";

type MakeList = (tree: CatalogueTree, filter: ListFilter) => ListItem[];

/** One catalogue and what its routes need. */
export class CatalogueView {
  readonly catalogue: Catalogue;
  /** Where it was read from. */
  readonly snapshot: Snapshot;
  readonly tree: CatalogueTree;
  readonly search: SearchIndex;
  readonly writer: LookupWriter;
  readonly lists: ListCache;

  private constructor(catalogue: Catalogue, snapshot: Snapshot, tree: CatalogueTree, search: SearchIndex) {
    this.catalogue = catalogue;
    this.snapshot = snapshot;
    this.tree = tree;
    this.search = search;
    this.writer = new LookupWriter(catalogue);
    this.lists = new ListCache(tree);
  }

  /** Makes all that requests need, so that none of them waits for it. @throws CatalogueError for what is no catalogue */
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

const MOST_LISTS = 200;

/** Flat lists by their filters: one takes a walk over all matches, and its pages are asked for one after the other. */
class ListCache {
  readonly #tree: CatalogueTree;
  readonly #lists = new Map<string, readonly ListItem[]>();

  constructor(tree: CatalogueTree) {
    this.#tree = tree;
  }

  get(name: string, filter: ListFilter, make: MakeList): readonly ListItem[] {
    const key = JSON.stringify([name, filter]);
    const known = this.#lists.get(key);
    if (known !== undefined) return known;
    if (this.#lists.size >= MOST_LISTS) this.#lists.clear();
    const list = make(this.#tree, filter);
    this.#lists.set(key, list);
    return list;
  }
}

/** Opens and checks a catalogue. Rejects with SnapshotError, CatalogueError. */
export async function openCatalogueView(path: string): Promise<{ view: CatalogueView; createdAt: number }> {
  const snapshot = await openSnapshot(path);
  const { kind } = snapshot.info;
  if (kind !== "catalogue") throw new Error(`${path}: its kind is "${kind}", not "catalogue"; give a file written by "ipsieve build"`);
  const view = await inSlices(CatalogueView.make(snapshot));
  return { view, createdAt: Date.parse(view.catalogue.metadata.createdAt) };
}
