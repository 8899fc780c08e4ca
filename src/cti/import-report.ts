import type { FeedWarning, SkippedFeedLine } from "./importers/feed.ts";

/**
 * What `ipsieve cti import --json` prints, whether it has written a dataset or not: the server that runs it reads it.
 */
export interface ImportReport {
  /** Feeds that were read to the end, in the order in which they were given. */
  readonly feeds: readonly ImportedFeed[];
  /** The number of prefixes in the replaced dataset and in the new one; null if there was none to replace. */
  readonly replaced: ReplacedDataset | null;
  /** Null if nothing was written. */
  readonly dataset: WrittenDataset | null;
  /** Why nothing was written. */
  readonly refusal: ImportRejection | null;
}

export interface ImportedFeed {
  readonly source: string;
  readonly lines: number;
  readonly entries: number;
  /** Lines that could not be read. If a dataset was written, they were left out. */
  readonly skipped: number;
  /** The first of them. */
  readonly skippedLines: readonly SkippedFeedLine[];
  readonly warnings: readonly FeedWarning[];
}

export interface ReplacedDataset {
  readonly prefixes: number;
  readonly added: number;
  readonly kept: number;
  readonly removed: number;
}

export interface WrittenDataset {
  readonly createdAt: string;
  readonly generation: string;
  readonly ipv4: number;
  readonly ipv6: number;
  readonly documents: number;
  readonly bytes: number;
}

export interface ImportRejection {
  /**
   * `feed`: it cannot be read; `no-entries`: none of its lines can; `skipped`: some lines cannot, and were not to be left out;
   * `too-long`: it is longer than allowed; `shrinks`: too many prefixes of the dataset would be removed; `unwritable`:
   * the dataset cannot be written to the file system.
   */
  readonly reason: "feed" | "no-entries" | "skipped" | "too-long" | "shrinks" | "unwritable";
  /** The line of the feed, from 1; null if the error has none. */
  readonly line: number | null;
  /** What is wrong and how to fix it, without the path of a file. */
  readonly message: string;
  /** For `shrinks`: the share that would be removed, in percent, rounded up, and the maximum. */
  readonly removedPercent?: number;
  readonly maxShrink?: number;
}

/** Invalid lines of one feed that are reported individually: in a file that is not a feed, all lines are invalid. */
export const MAX_REPORTED_LINES = 20;
