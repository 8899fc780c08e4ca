import type { FeedFault, FeedWarning } from "./importers/feed.ts";

/** What `ipsieve cti import --json` prints, whether it has written a dataset or not: the server that runs it reads it. */
export interface ImportReport {
  /** Those that were read whole, in the order in which they were given. */
  readonly feeds: readonly ImportedFeed[];
  /** Prefixes in the dataset that the import replaces and in the new one; null where there was none to replace. */
  readonly replaced: ReplacedDataset | null;
  /** Null where nothing was written. */
  readonly dataset: WrittenDataset | null;
  /** Why nothing was written. */
  readonly refusal: ImportRejection | null;
}

export interface ImportedFeed {
  readonly source: string;
  readonly lines: number;
  readonly entries: number;
  /** Lines that cannot be read, and were left out. */
  readonly skipped: number;
  /** The first of them. */
  readonly faults: readonly FeedFault[];
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
   * `feed`: it cannot be read; `no-entries`: no line of it can be; `skipped`: some lines cannot be, and all have to be;
   * `too-long`: it holds more bytes than are allowed; `shrinks`: too many prefixes of the dataset would go; `unwritable`:
   * the file system takes no dataset.
   */
  readonly reason: "feed" | "no-entries" | "skipped" | "too-long" | "shrinks" | "unwritable";
  /** Of the feed, from 1; null where it is about no line. */
  readonly line: number | null;
  /** What is wrong and its cure, without the path of a file. */
  readonly message: string;
  /** Of `shrinks`: the share that would go, in per cent, rounded up, and the largest that may. */
  readonly removedPercent?: number;
  readonly maxShrink?: number;
}

/** Faulty lines of one feed that are reported one by one: a file that is no feed has as many as lines. */
export const MAX_REPORTED_FAULTS = 20;
