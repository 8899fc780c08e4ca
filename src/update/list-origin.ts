import type { SourceFile } from "../cbs/importers/sources.ts";
import type { ListState } from "./list-store.ts";

/** A list as it was found. */
export interface FoundList {
  readonly text: string;
  readonly url: string | null;
  readonly etag: string | null;
  readonly lastModified: string | null;
  readonly fetchedAt: Date;
}

/** Where lists come from: their publishers, a mirror, a folder. */
export interface ListOrigin {
  /**
   * Files of one group are fetched one after the other. undefined: it is not to be had here, and that is no failure.
   */
  groupOf(file: SourceFile): string | undefined;
  /**
   * The list; "same" if it is the one that `known` describes; undefined if it is not there.
   * @throws UpdateError, ImportError "not-utf8"
   */
  fetch(file: SourceFile, known: ListState | undefined): Promise<FoundList | "same" | undefined>;
  close(): Promise<void>;
}
