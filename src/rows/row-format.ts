/** The format of rows; `none` writes nothing and only counts. */
export type RowFormat = "tsv" | "jsonl" | "csv" | "append";

/**
 * The target of a renderer's templates: a format of rows, or the text that `append` adds to a record of CSV or to a
 * JSON object.
 */
export type TemplateFormat = "tsv" | "jsonl" | "csv" | "append" | "append-csv" | "append-jsonl";
