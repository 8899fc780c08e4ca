/** What is wrong with a catalogue. */
export type CatalogueErrorCode =
  /** A node id that is no path and no label either. */
  | "bad-id"
  /** A node name that is empty or holds control characters. */
  | "bad-name"
  /** One id with two different names. */
  | "node-conflict"
  /** Metadata of another shape than `CatalogueMetadata`. */
  | "bad-metadata"
  /** A value id of the table, or a number, that stands for no node. */
  | "unknown-value"
  /** An id that no node has. */
  | "unknown-id"
  /** A source that the catalogue has nothing of. */
  | "unknown-source"
  /** What a format has no room for. */
  | "unexportable";

/** A catalogue that cannot be built or read; the message quotes the value and says what to do. */
export class CatalogueError extends Error {
  readonly code: CatalogueErrorCode;
  /** The id, name or member at fault, as given. */
  readonly value: unknown;

  constructor(code: CatalogueErrorCode, value: unknown, message: string) {
    super(message);
    this.name = "CatalogueError";
    this.code = code;
    this.value = value;
  }
}

/** What a member of the metadata is rejected with. */
export function badMetadata(member: string, what: string): CatalogueError {
  return new CatalogueError("bad-metadata", member, `the catalogue's ${member} cannot be used: ${what}`);
}
