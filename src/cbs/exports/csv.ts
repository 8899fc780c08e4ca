import { formatPrefix } from "../../address/prefix.ts";
import { csvRow } from "../../csv/write-row.ts";
import type { CatalogueTree } from "../catalogue-tree.ts";
import { rowsOf } from "./_rows.ts";

/**
 * A line for every prefix and each node that a list names for it, by address, then by id; the first line names the
 * columns.
 */
export function* exportCsv(tree: CatalogueTree): Generator<string> {
  yield csvRow(["cidr", "cbs_id", "type", "provider", "service", "region", "label"]);
  const endsOf = (match: number): string[] =>
    tree.catalogue
      .ownNodesOf(match)
      .map(({ id, type, provider, service, region, label }) =>
        csvRow([id, type, provider || null, service, region, label]),
      );
  yield* rowsOf(tree, endsOf, (prefix, ends) => {
    const cidr = formatPrefix(prefix);
    return ends.map((end) => `${cidr},${end}`).join("");
  });
}
