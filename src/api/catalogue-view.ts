import { Catalogue } from "../cbs/catalogue.ts";
import { CatalogueTree } from "../cbs/catalogue-tree.ts";
import { SearchIndex } from "../cbs/search.ts";
import { openSnapshot } from "../snapshot/open-snapshot.ts";

/** One catalogue and what its routes need. */
export interface CatalogueView {
  readonly catalogue: Catalogue;
  readonly tree: CatalogueTree;
  readonly search: SearchIndex;
}

/** Opens and checks a catalogue and makes what the first request would wait for. Rejects with SnapshotError, CatalogueError. */
export async function openCatalogueView(path: string): Promise<{ view: CatalogueView; createdAt: number }> {
  const snapshot = await openSnapshot(path);
  const { kind } = snapshot.info;
  if (kind !== "catalogue") throw new Error(`${path}: its kind is "${kind}", not "catalogue"; give a file written by "ipsieve build"`);
  const catalogue = new Catalogue(snapshot.metadata, snapshot.table);
  catalogue.checkValues();
  const tree = new CatalogueTree(catalogue);
  tree.extent(0);
  return { view: { catalogue, tree, search: new SearchIndex(catalogue) }, createdAt: Date.parse(catalogue.metadata.createdAt) };
}
