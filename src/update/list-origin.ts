import type { SourceFile } from "../cbs/importers/sources.ts";
import type { ListState } from "./list-store.ts";

/** A list as it was fetched. */
export interface FoundList {
  readonly text: string;
  readonly url: string | null;
  readonly etag: string | null;
  readonly lastModified: string | null;
  readonly fetchedAt: Date;
}

/** Where lists come from: their publishers, a mirror, a folder. */
export interface ListOrigin {
  /** Files of the same group are fetched one after the other. undefined: not available here, which is not a failure. */
  groupOf(file: SourceFile): string | undefined;
  /**
   * The list; "same" if it is the one that `known` describes; undefined if it does not exist.
   * @throws UpdateError, ImportError "not-utf8"
   */
  fetch(file: SourceFile, known: ListState | undefined): Promise<FoundList | "same" | undefined>;
  close(): Promise<void>;
}
