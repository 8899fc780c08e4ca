import type { ResultColumn } from "../batch/arrow/result-column.ts";
import type { Catalogue } from "../cbs/catalogue.ts";
import type { CtiDataset } from "../cti/dataset.ts";
import { storedLabels } from "../rulesets/stored-ruleset.ts";
import type { Snapshot } from "../snapshot/snapshot.ts";
import { formatTimestamp } from "../time/format-timestamp.ts";

/** What a catalogue adds to the columns of an Arrow stream: the prefix of the match, and the ids of all its nodes. */
export function catalogueColumns(catalogue: Catalogue): readonly ResultColumn[] {
  return [
    { name: "cidr", kind: "prefix" },
    { name: "cbs_ids", kind: "list", valueOf: (match) => catalogue.nodesOf(match).map((node) => node.id) },
  ];
}

/** What a ruleset adds: the prefix, name and expiry of the rule that decides, as in rows of text. */
export function rulesetColumns({ metadata, table }: Snapshot): readonly ResultColumn[] {
  const labels = storedLabels(metadata, table);
  return [
    { name: "cidr", kind: "prefix" },
    { name: "name", kind: "text", valueOf: (match) => labels.nameOf(match) },
    {
      name: "expires_at",
      kind: "text",
      valueOf: (match) => {
        const expiry = labels.expiryOf(match);
        return expiry === null ? null : formatTimestamp(expiry);
      },
    },
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
