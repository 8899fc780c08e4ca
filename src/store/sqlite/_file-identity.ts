import { statSync } from "node:fs";
import { StoreError } from "../store-error.ts";

/** Which file is at a path: SQLite keeps writing to the one that it has opened, even after it was moved or deleted. */
export class FileIdentity {
  readonly #path: string;
  /** Null if there was no file. */
  readonly opened: string | null;

  /** The identity of the file that has just been opened, or of one that was opened before. */
  constructor(path: string, opened: string | null = identityAt(path)) {
    this.#path = path;
    this.opened = opened;
  }

  /** Throws StoreError (`unavailable`) while another file is at the path, or none. */
  check(): void {
    const found = identityAt(this.#path);
    if (found === this.opened) return;
    const what = found === null ? "the database file has been moved or deleted" : "the database file has been replaced";
    throw new StoreError(
      "unavailable",
      `${this.#path}: ${what}; put the original file back, or restart the server; nothing is written until then`,
    );
  }
}

function identityAt(path: string): string | null {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return null;
  }
}
