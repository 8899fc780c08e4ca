/** The error of a file of rules. */
export type RulesetErrorCode =
  /** Metadata of another shape than `RulesetMetadata`. */
  | "bad-metadata"
  /** Columns that contradict each other or the table, or that are not valid rules. */
  | "bad-rules";

/** A stored ruleset that cannot be read; the message says what to do. */
export class RulesetError extends Error {
  readonly code: RulesetErrorCode;
  /** The invalid property of the metadata, or section of the table. */
  readonly member: string;

  constructor(code: RulesetErrorCode, member: string, what: string) {
    super(`the ruleset's ${member} cannot be used: ${what}; save the ruleset again`);
    this.name = "RulesetError";
    this.code = code;
    this.member = member;
  }
}
