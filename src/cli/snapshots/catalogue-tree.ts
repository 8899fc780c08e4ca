import { AddressError } from "../../address/address-error.ts";
import { CatalogueError } from "../../cbs/catalogue-error.ts";
import { SearchIndex } from "../../cbs/search.ts";
import { CatalogueTree } from "../../cbs/catalogue-tree.ts";
import { DEFAULT_CATALOGUE, defaultCatalogue } from "./default-datasets.ts";
import { openCatalogue } from "../../datasets/open-catalogue.ts";
import { withPath } from "../../datasets/with-path.ts";
import type { Option } from "../runner/command.ts";
import { nearest } from "../../words/nearest.ts";
import { UsageError } from "../runner/usage-error.ts";

export const SNAPSHOT_OPTION: Option = {
  name: "snapshot",
  value: "FILE",
  isPath: true,
  help: `the catalogue to use; default: ${DEFAULT_CATALOGUE}`,
};

/** The tree of the catalogue in this file, without what has expired at `now`. */
export async function openTree(path: string = defaultCatalogue(), now: number = Date.now()): Promise<CatalogueTree> {
  const catalogue = await openCatalogue(path, now);
  return withPath(path, () => {
    catalogue.checkValues();
    return new CatalogueTree(catalogue);
  });
}

/** The id that was probably meant: for a path the nearest one, for a name the best search result. */
function meantId({ catalogue }: CatalogueTree, id: string): string | undefined {
  if (id.startsWith("/"))
    return nearest(
      id,
      catalogue.nodes.map((node) => node.id),
    );
  return searched(() => new SearchIndex(catalogue).search(id, { limit: 1 })[0]?.id);
}

/** Undefined for text that a search rejects as a malformed address. */
function searched(search: () => string | undefined): string | undefined {
  try {
    return search();
  } catch (error) {
    if (error instanceof AddressError) return undefined;
    throw error;
  }
}

/** Runs a task that names a node; for an id that no node has, the error suggests the one that was probably meant. */
export function withIds<Result>(tree: CatalogueTree, run: () => Result): Result {
  try {
    return run();
  } catch (error) {
    if (error instanceof CatalogueError && error.code === "unknown-source") throw new UsageError(error.message);
    if (!(error instanceof CatalogueError) || error.code !== "unknown-id") throw error;
    const id = String(error.value);
    const meant = meantId(tree, id);
    const cure = meant === undefined ? '"ipsieve cbs search" finds ids by name' : `did you mean ${meant}?`;
    throw new UsageError(`the catalogue has no node ${JSON.stringify(id)}; ${cure}`);
  }
}
