import { ctiColumns } from "../../datasets/arrow-columns.ts";
import { ctiDatasetOf } from "../../datasets/cti-dataset-from-bytes.ts";
import { CTI_COLUMNS, CTI_RENDERER } from "../../datasets/cti-renderer.ts";
import { openCtiSnapshot } from "../../datasets/open-cti-dataset.ts";
import { withPath } from "../../datasets/with-path.ts";
import type { ListKind } from "./list-kind.ts";

export const CTI_LIST: ListKind = {
  async open(path) {
    const snapshot = await openCtiSnapshot(path);
    ctiDatasetOf(snapshot, path);
    return snapshot;
  },
  rows: { renderer: CTI_RENDERER, columns: CTI_COLUMNS, appendAs: "threat" },
  arrowColumns: (snapshot, path) => ctiColumns(ctiDatasetOf(snapshot, path)),
  counts: async (snapshot, path) => (await import("../output/cti-counts.ts")).ctiCounts(ctiDatasetOf(snapshot, path)),
  checkContents: (snapshot, path) => withPath(path, () => ctiDatasetOf(snapshot, path).checkDocuments()),
};
