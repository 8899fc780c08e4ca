import { csvColumn, namedSpaceColumn, namedTabColumn, spaceColumn, tsvColumn } from "./_columns.ts";
import type { FieldSpec, LocateField } from "./field-spec.ts";
import { jsonMember } from "./_json-member.ts";
import { keyedValue } from "./_keyed-value.ts";

/** The function that finds the field in a line. */
export function locateField(spec: FieldSpec): LocateField {
  if (spec.syntax === "jsonl") return jsonMember(spec.member);
  if (spec.syntax === "keys") return keyedValue(spec.key);
  if (spec.syntax === "space")
    return spec.columns === 0 ? spaceColumn(spec.column) : namedSpaceColumn(spec.column, spec.columns);
  if (spec.syntax === "tsv" && spec.columns !== undefined) return namedTabColumn(spec.column, spec.columns);
  return { csv: csvColumn, tsv: tsvColumn }[spec.syntax](spec.column);
}
