/** Why a snapshot cannot be used as what it was opened for. */
export type DatasetErrorCode =
  /** A file of the package that is built, not checked in, and has not been built yet. */
  | "not-built"
  /** A sound snapshot of another kind. */
  | "wrong-kind"
  /** A snapshot of the right kind whose metadata, nodes or documents cannot be read. */
  | "unusable";

/**
 * A snapshot file that cannot be used as what it was opened for. The message names the file, what is wrong with it and
 * the cure. The package exports it as `UsageError`, the name that its instances have.
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
