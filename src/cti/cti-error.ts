/** What is wrong with a dataset, or with what it is asked. */
export type CtiErrorCode =
  /** Metadata of another shape than `CtiMetadata`. */
  | "bad-metadata"
  /** A document whose bytes are none. */
  | "bad-document"
  /** A value id of the table that stands for no document. */
  | "unknown-document"
  /** Addresses of a bulk lookup that are none. */
  | "bad-addresses";

/** A dataset that cannot be read, or a question that cannot be answered; the message says what to do. */
export class CtiError extends Error {
  readonly code: CtiErrorCode;
  /** The member, document or value id at fault; for "bad-addresses" every index, ascending. */
  readonly value: unknown;

  constructor(code: CtiErrorCode, value: unknown, message: string) {
    super(message);
    this.name = "CtiError";
    this.code = code;
    this.value = value;
  }
}
