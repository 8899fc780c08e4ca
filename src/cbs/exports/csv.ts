import { formatPrefix } from "../../address/prefix.ts";
import { csvField } from "../_csv.ts";
import type { CatalogueTree } from "../catalogue-tree.ts";
import { rowsOf } from "./_rows.ts";

/** A line for every prefix and each node that a list names for it, by address, then by id; the first line names the columns. */
export function* exportCsv(tree: CatalogueTree): Generator<string> {
  yield "cidr,cbs_id,type,provider,service,region,label\n";
  const endsOf = (match: number): string[] =>
    tree.catalogue.ownNodesOf(match).map(({ id, type, provider, service, region, label }) => [id, type, provider, service ?? "", region ?? "", label].map(csvField).join(","));
  yield* rowsOf(tree, endsOf, (prefix, ends) => {
    const cidr = formatPrefix(prefix);
    return ends.map((end) => `${cidr},${end}\n`).join("");
  });
}
