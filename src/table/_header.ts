import {
  HEADER_LAYOUT_VERSION,
  HEADER_MATCH_COUNT,
  HEADER_PREFIX_COUNT_4,
  HEADER_PREFIX_COUNT_6,
  HEADER_ROOT_BITS_4,
  HEADER_ROOT_BITS_6,
  HEADER_WORDS,
  LAYOUT_VERSION,
} from "./layout.ts";

/** What a table's header says besides the version. */
export interface TableCounts {
  /** The slots of the roots. */
  readonly root4: number;
  readonly root6: number;
  /** The prefixes of each family, and the matches of both. */
  readonly prefixes4: number;
  readonly prefixes6: number;
  readonly matches: number;
}

/** The words of the `header` section. */
export function headerOf({ root4, root6, prefixes4, prefixes6, matches }: TableCounts): Int32Array {
  const header = new Int32Array(HEADER_WORDS);
  header[HEADER_LAYOUT_VERSION] = LAYOUT_VERSION;
  header[HEADER_ROOT_BITS_4] = Math.log2(root4);
  header[HEADER_ROOT_BITS_6] = Math.log2(root6);
  header[HEADER_PREFIX_COUNT_4] = prefixes4;
  header[HEADER_PREFIX_COUNT_6] = prefixes6;
  header[HEADER_MATCH_COUNT] = matches;
  return header;
}
