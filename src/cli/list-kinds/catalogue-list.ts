import { catalogueColumns } from "../../datasets/arrow-columns.ts";
import { catalogueOf } from "../../datasets/catalogue-from-bytes.ts";
import { CATALOGUE_RENDERER } from "../../datasets/catalogue-renderer.ts";
import { openCatalogueSnapshot } from "../../datasets/open-catalogue.ts";
import { withPath } from "../../datasets/with-path.ts";
import type { ListKind } from "./list-kind.ts";

export const CATALOGUE_LIST: ListKind = {
  open: openCatalogueSnapshot,
  rows: { renderer: CATALOGUE_RENDERER },
  arrowColumns: (snapshot, path, now) => catalogueColumns(catalogueOf(snapshot, path, now)),
  counts: async (snapshot, path, now) =>
    (await import("../output/catalogue-counts.ts")).catalogueCounts(catalogueOf(snapshot, path, now)),
  checkContents: (snapshot, path) => withPath(path, () => catalogueOf(snapshot, path).checkValues()),
};
