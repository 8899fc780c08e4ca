/** What one row looks like; `none` writes nothing and only counts. */
export type RowFormat = "tsv" | "jsonl" | "csv" | "append";

/**
 * What a renderer makes templates for: a format of rows, or what `append` adds to a record of CSV or to a JSON object.
 */
export type TemplateFormat = "tsv" | "jsonl" | "csv" | "append" | "append-csv" | "append-jsonl";
