/** What is wrong with a dataset of networks, or with what it is made from. */
export type NetworksErrorCode =
  /** Metadata that does not have the shape of `NetworksMetadata`. */
  | "bad-metadata"
  /** A value of the table that stands for no network. */
  | "unknown-value"
  /** A line of a published table that cannot be read. */
  | "bad-line"
  /** An AS number or a country that the dataset does not have. */
  | "unknown-network";

/** A dataset of networks that cannot be read, or a line of a table of them; the message says how to fix it. */
export class NetworksError extends Error {
  override readonly name = "NetworksError";
  readonly code: NetworksErrorCode;
  /** The invalid member, value or text. */
  readonly value: unknown;

  constructor(code: NetworksErrorCode, value: unknown, message: string) {
    super(message);
    this.code = code;
    this.value = value;
  }
}
