/** What is wrong with a publisher's list. */
export type ImportErrorCode =
  /** Bytes that are not UTF-8. */
  | "not-utf8"
  /** A web page or another XML document where the list should be. */
  | "web-page"
  /** A list without a single prefix. */
  | "empty"
  /** Text that is not JSON; no CSV. */
  | "bad-json"
  | "bad-csv"
  /** JSON, or a table, that does not have the shape of the publisher's format. */
  | "bad-shape"
  /** A text that is not an address, prefix or range. */
  | "bad-prefix"
  /** The name of a service or region that no node can have. */
  | "bad-name";

/**
 * A list that cannot be imported; nothing of it is. The message begins with the position, and says what to do.
 */
export class ImportError extends Error {
  readonly code: ImportErrorCode;
  /** `line 7`, `line 7, column 3`, or the path of a JSON value: `$.prefixes[3].ip_prefix`. */
  readonly position: string;

  constructor(code: ImportErrorCode, position: string, problem: string, options?: ErrorOptions) {
    super(`${position}: ${problem}`, options);
    this.name = "ImportError";
    this.code = code;
    this.position = position;
  }
}
