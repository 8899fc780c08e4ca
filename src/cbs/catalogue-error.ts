/** What is wrong with a catalogue. */
export type CatalogueErrorCode =
  /** A node id that is neither a path nor a label. */
  | "bad-id"
  /** A node name that is empty or holds control characters. */
  | "bad-name"
  /** One id with two different names. */
  | "node-conflict"
  /** Metadata that does not have the shape of `CatalogueMetadata`. */
  | "bad-metadata"
  /** A value id of the table, or a number, that does not stand for a node. */
  | "unknown-value"
  /** An id that no node has. */
  | "unknown-id"
  /** A source that the catalogue has nothing from. */
  | "unknown-source"
  /** Something that a format cannot represent. */
  | "unexportable";

/** A catalogue that cannot be built or read; the message quotes the value and says what to do. */
export class CatalogueError extends Error {
  readonly code: CatalogueErrorCode;
  /** The invalid id, name or member, as given. */
  readonly value: unknown;

  constructor(code: CatalogueErrorCode, value: unknown, message: string) {
    super(message);
    this.name = "CatalogueError";
    this.code = code;
    this.value = value;
  }
}

/** The error for an invalid member of the metadata. */
export function badMetadata(member: string, what: string): CatalogueError {
  return new CatalogueError("bad-metadata", member, `the catalogue's ${member} cannot be used: ${what}`);
}
