import type { ResultColumn } from "../batch/arrow/result-column.ts";
import type { Catalogue } from "../cbs/catalogue.ts";
import type { CtiDataset } from "../cti/dataset.ts";

/** What a catalogue adds to the columns of an Arrow stream: the prefix of the match, and the ids of all its nodes. */
export function catalogueColumns(catalogue: Catalogue): readonly ResultColumn[] {
  return [
    { name: "cidr", kind: "prefix" },
    { name: "cbs_ids", kind: "list", valueOf: (match) => catalogue.nodesOf(match).map((node) => node.id) },
  ];
}

/** What threat intelligence adds: the most specific prefix, and what is known about it. */
export function ctiColumns(dataset: CtiDataset): readonly ResultColumn[] {
  return [
    { name: "cidr", kind: "prefix" },
    { name: "classification", kind: "text", valueOf: (match) => dataset.documentOf("", match).classification },
    { name: "actor", kind: "text", valueOf: (match) => dataset.documentOf("", match).actor || null },
    { name: "tags", kind: "list", valueOf: (match) => dataset.documentOf("", match).tags },
  ];
}
