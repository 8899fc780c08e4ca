/** The formats of lists of rules. */
export const LIST_FORMATS = ["text", "csv", "ndjson", "json"] as const;
/** One of `LIST_FORMATS`. */
export type ListFormat = (typeof LIST_FORMATS)[number];

/** A list of rules that is read once. */
export interface RuleSource {
  /** As messages name it. */
  readonly name: string;
  readonly format: ListFormat;
  /** Its bytes, unpacked. Throws UsageError or BatchError for a file that cannot be read. */
  chunks(): AsyncIterable<Uint8Array>;
  /** Ends the progress display. */
  close(): void;
}
