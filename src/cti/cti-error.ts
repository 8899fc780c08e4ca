/** What is wrong with a dataset, or with a lookup. */
export type CtiErrorCode =
  /** Metadata that does not have the shape of `CtiMetadata`. */
  | "bad-metadata"
  /** The bytes of a document that is not one. */
  | "bad-document"
  /** A value id of the table without a document. */
  | "unknown-document"
  /** Malformed addresses in a bulk lookup. */
  | "bad-addresses";

/** A dataset that cannot be read, or a lookup that fails; the message says how to fix it. */
export class CtiError extends Error {
  readonly code: CtiErrorCode;
  /** The invalid property, document or value id; for "bad-addresses" the index of each, ascending. */
  readonly value: unknown;

  constructor(code: CtiErrorCode, value: unknown, message: string) {
    super(message);
    this.name = "CtiError";
    this.code = code;
    this.value = value;
  }
}
