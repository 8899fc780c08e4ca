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

/** The fields of rules besides their prefixes, as in requests to a server. */
export interface RuleFields {
  readonly name?: string;
  readonly expires_in_days?: number;
  readonly expires_at?: string;
}

/** How a list is read; the fields apply to rules that do not set them. */
export interface ListReading extends RuleFields {
  readonly skip_invalid?: boolean;
}

/** The extension that distinguishes ruleset files from the names of rulesets on a server. */
const EXTENSION = ".ipsieve";

export function isRulesetFile(operand: string): boolean {
  return operand.endsWith(EXTENSION);
}
