import type { ResultColumn } from "../batch/arrow/result-column.ts";
import { storedLabels } from "../rulesets/stored/stored-ruleset.ts";
import type { Snapshot } from "../snapshot/snapshot.ts";
import { formatTimestamp } from "../time/format-timestamp.ts";

/** What a ruleset adds to the columns of an Arrow stream: the prefix, name and expiry of the rule that decides, as in rows of text. */
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
