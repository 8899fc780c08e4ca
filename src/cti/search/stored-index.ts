import type { CtiRecord } from "../fields.ts";

/** The index of a dataset, as its file holds it: which documents have which values. Words are little-endian. */
export interface StoredIndex {
  readonly format: 1;
  readonly fields: Readonly<Partial<Record<keyof CtiRecord, StoredPostings>>>;
}

/**
 * The values of a field, ascending, with the documents that have each.
 *
 *     keys        a number, or the number of a text of the dataset; texts ascend as the field compares them
 *     ends        where the documents of each value end in `documents`, in bytes, times 2; plus 1 if they are a bitmap
 *     documents   ascending numbers from 0, each as its difference to the one before it (LEB128); or where that is shorter
 *                 a bit for each document of the dataset, the lowest bit of the first byte first
 */
export interface StoredPostings {
  readonly keys: Uint8Array;
  readonly ends: Uint8Array;
  readonly documents: Uint8Array;
}
