import { csvColumn, spaceColumn, tsvColumn } from "./_columns.ts";
import type { FieldSpec, LocateField } from "./field-spec.ts";
import { jsonMember } from "./_json-member.ts";

/** The function that finds the field in a line. */
export function locateField(spec: FieldSpec): LocateField {
  if (spec.syntax === "jsonl") return jsonMember(spec.member);
  return { csv: csvColumn, tsv: tsvColumn, space: spaceColumn }[spec.syntax](spec.column);
}
