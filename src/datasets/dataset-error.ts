/** Why a snapshot cannot be used for its purpose. */
export type DatasetErrorCode =
  /** A file of the package that is built, not checked in, and has not been built yet. */
  | "not-built"
  /** A valid snapshot of another kind. */
  | "wrong-kind"
  /** A snapshot of the right kind whose metadata, nodes or documents cannot be read. */
  | "unusable";

/**
 * A snapshot file that cannot be used for its purpose. The message names the file, what is wrong with it and the
 * remedy. The package exports it as `UsageError`, the name that its instances have.
 */
export class DatasetError extends Error {
  override readonly name = "UsageError";
  readonly code: DatasetErrorCode;
  /** The path of the snapshot. */
  readonly path: string;

  constructor(code: DatasetErrorCode, path: string, what: string) {
    super(`${path}: ${what}`);
    this.code = code;
    this.path = path;
  }
}
