import type { CtiRecord } from "../fields.ts";

/**
 * The index of a dataset, as its file holds it. A row is a prefix of the dataset; rows are numbered in the order of
 * prefixes, IPv4 first, so that what a query finds is sorted. Words are little-endian.
 */
export interface StoredIndex {
  readonly format: 1;
  /** The first word of each IPv4 prefix, and its length; of IPv6 four words. */
  readonly words4: Uint8Array;
  readonly lengths4: Uint8Array;
  readonly words6: Uint8Array;
  readonly lengths6: Uint8Array;
  readonly fields: Readonly<Partial<Record<keyof CtiRecord, StoredPostings>>>;
}

/**
 * The values of a field, ascending, with the rows that have each.
 *
 *     keys        a number, or the number of a text of the dataset; texts ascend as the field compares them
 *     ends        where the rows of each value end in `rows`, in bytes, times 2; plus 1 if they are a bitmap
 *     rows        ascending row numbers, each as its difference to the one before it (LEB128); or where that is shorter
 *                 a bit for each row of the dataset, the lowest bit of the first byte first
 */
export interface StoredPostings {
  readonly keys: Uint8Array;
  readonly ends: Uint8Array;
  readonly rows: Uint8Array;
}
