import { csvRow } from "../csv/write-row.ts";
import { ADDRESS_HOLE } from "../rows/holes.ts";
import { hole, templateBytes } from "../rows/template-bytes.ts";
import type { TemplateFormat } from "../rows/row-format.ts";
import { describe } from "./_describe.ts";
import type { Catalogue } from "./catalogue.ts";
import type { MatchId } from "../table/match-id.ts";

/**
 * The bytes of the row of every address with this match (0: none), with holes for what differs between them. Nothing
 * but holes holds the byte 0, so that filling them in is copying. `append` is what follows the original line,
 * `append-csv` the comma and the last column of a record, `append-jsonl` an array of ids.
 *
 * `own` is the hole for the match's own prefix: its length, or `OWN_PREFIX_HOLE`.
 *
 * csv is what `csvRow` makes of the fields, also where a spreadsheet would run ids as a formula.
 */
export function rowTemplate(
  catalogue: Catalogue,
  format: TemplateFormat,
  match: MatchId,
  own: number = ownLength(catalogue, match),
): Uint8Array {
  return templateBytes(rowText(catalogue, format, match, own));
}

/** The length of the match's own prefix. */
export function ownLength({ table }: Catalogue, match: MatchId): number {
  return match === 0 ? 0 : table.prefixLength(match);
}

function rowText(catalogue: Catalogue, format: TemplateFormat, match: MatchId, own: number): string {
  if (format === "jsonl") {
    const length = ownLength(catalogue, match);
    const cidrOf = (covering: number): string => hole(covering === length ? own : covering);
    return `${JSON.stringify(describe(catalogue, match, hole(ADDRESS_HOLE), cidrOf))}\n`;
  }
  const nodes = catalogue.nodesOf(match).map((node) => node.id);
  if (format === "append-jsonl") return JSON.stringify(nodes);
  const ids = nodes.join(",");
  if (format === "append-csv") return `,${csvRow([ids || null]).slice(0, -1)}`;
  const cidr = match === 0 ? "" : hole(own);
  if (format === "append") return `\t${ids}`;
  if (format === "tsv") return `${hole(ADDRESS_HOLE)}\t${cidr}\t${ids}\n`;
  return csvRow([hole(ADDRESS_HOLE), cidr || null, ids || null]);
}
