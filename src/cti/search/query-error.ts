/** Why a query was refused. */
export type QueryErrorCode =
  /** It cannot be read here. */
  | "syntax"
  /** No field has this name. */
  | "unknown-field"
  /** The field's type does not have this operator. */
  | "bad-operator"
  /** A value that does not fit the field's type. */
  | "bad-value"
  /** It is longer, deeper or costlier than allowed. */
  | "limit";

/** A query that cannot be answered; the message says where, what was expected, and what was probably meant. */
export class QueryError extends Error {
  override readonly name = "QueryError";
  readonly code: QueryErrorCode;
  /** Of the first character that is wrong, from 1. */
  readonly position: number;
  /** The field, operator or value that was probably meant. */
  readonly nearest: string | undefined;

  constructor(code: QueryErrorCode, offset: number, problem: string, nearest?: string) {
    const cure = nearest === undefined ? "" : `; did you mean ${nearest}?`;
    super(`character ${offset + 1} of the query: ${problem}${cure}`);
    this.code = code;
    this.position = offset + 1;
    this.nearest = nearest;
  }
}
