import { BatchError, type BatchErrorLocation } from "../../batch-error.ts";

import { COLUMN_MAX, type FieldSpan, type FieldSpec } from "./field-spec.ts";
import { locateField } from "./locate-field.ts";

export const FIELD_SYNTAXES = ["csv", "tsv", "jsonl", "space", "keys"] as const;

/**
 * What a line is: CSV (RFC 4180), columns separated by tabs, a JSON object, text with columns separated by blanks, or
 * text with `key=value` (CEF, LEEF, logfmt).
 */
export type FieldSyntax = (typeof FIELD_SYNTAXES)[number];

/**
 * How such a line is cut: an object is JSON, otherwise a tab decides, then a comma; otherwise blanks separate the
 * columns.
 */
export function detectSyntax(line: string): FieldSyntax {
  if (/^\s*\{/.test(line)) return "jsonl";
  if (line.includes("\t")) return "tsv";
  return line.includes(",") ? "csv" : "space";
}

/**
 * What `--field` means for one input with the first non-empty line `firstLine` (without its line break and byte order
 * mark). A name is looked up in that line, the header row, unless the lines are JSON. Throws BatchError.
 */
export function resolveField(
  field: number | string,
  syntax: FieldSyntax | undefined,
  firstLine: string,
  file: string,
): FieldSpec {
  const cut = syntax ?? detectSyntax(firstLine);
  if (typeof field === "number") {
    if (!Number.isInteger(field) || field < 1 || field > COLUMN_MAX)
      throw new BatchError("field-unusable", `there is no column ${field}; give a number from 1 to 1,000,000`, {
        file,
      });
    if (cut === "keys")
      throw new BatchError(
        "field-unusable",
        `keys have names, not columns; give the name of a key instead of ${field}`,
        {
          file,
        },
      );
    if (cut === "jsonl")
      throw new BatchError(
        "field-unusable",
        `JSON lines have names, not columns; give the name of a member instead of ${field}`,
        { file },
      );
    return cut === "space" ? { syntax: cut, column: field - 1, columns: 0 } : { syntax: cut, column: field - 1 };
  }
  if (cut === "jsonl") return { syntax: cut, member: field };
  if (cut === "keys") return { syntax: cut, key: field };
  if (cut === "space") {
    throw new BatchError(
      "field-unusable",
      `field "${field}" needs a header row, #Fields, JSON lines or ${field}=..., and this looks like plain text; give a column number, or the syntax (csv, tsv, jsonl or keys)`,
      { file },
    );
  }
  return { syntax: cut, column: columnNamed(field, columnNames(firstLine, cut), { file, line: 1 }) };
}

/** The index of a column by its name. Throws BatchError unless exactly one has it. */
export function columnNamed(
  field: string,
  names: readonly string[],
  location: BatchErrorLocation,
  header = "the header row",
): number {
  const columns = names.flatMap((name, index) => (name === field ? [index + 1] : []));
  if (columns.length === 1) return columns[0]! - 1;
  if (columns.length === 0)
    throw new BatchError("field-missing", `${header} has no column "${field}"; it has ${listed(names)}`, location);
  throw new BatchError(
    "field-unusable",
    `${header} has several columns "${field}" (${columns.slice(0, MAX_NAMED).join(", ")}); give the number of one`,
    location,
  );
}

const SEPARATORS = { csv: 0x2c, tsv: 0x09 } as const;

/** One column after the other, each starting at the end of the previous one: a header of a megabyte is read once. */
export function columnNames(line: string, syntax: "csv" | "tsv"): string[] {
  const bytes = Buffer.from(`${line}\n`, "utf8");
  const end = bytes.length - 1;
  const span: FieldSpan = { bytes, start: 0, end: 0 };
  const first = locateField({ syntax, column: 0 });
  const names: string[] = [];
  for (let start = 0; start <= end && first(bytes, start, end, span);) {
    const text = bytes.toString("utf8", span.start, span.end);
    names.push(syntax === "csv" ? text.replaceAll('""', '"').trim() : text.trim());
    const separator = bytes.indexOf(SEPARATORS[syntax], span.end);
    if (separator < 0) break;
    start = separator + 1;
  }
  return names;
}

/** Maximum names listed if one is not found. */
const MAX_NAMED = 20;

function listed(names: readonly string[]): string {
  const more = names.length > MAX_NAMED ? `, and ${names.length - MAX_NAMED} more` : "";
  return `${names
    .slice(0, MAX_NAMED)
    .map((name) => JSON.stringify(name))
    .join(", ")}${more}`;
}
