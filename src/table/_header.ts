import type { HostsForm } from "./_hosts.ts";
import {
  HEADER_BUCKETS_4,
  HEADER_HOST_MATCH_4,
  HEADER_HOSTS_4,
  HEADER_LAYOUT_VERSION,
  HEADER_MATCH_COUNT,
  HEADER_OVERFLOW_4,
  HEADER_PREFIX_COUNT_4,
  HEADER_PREFIX_COUNT_6,
  HEADER_ROOT_BITS_4,
  HEADER_ROOT_BITS_6,
  HEADER_TAGS_4,
  HEADER_WORDS,
  LAYOUT_VERSION,
  LAYOUT_VERSION_HOSTS,
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
  readonly hosts: HostsForm | null;
}

/** The words of the `header` section. */
export function headerOf({ root4, root6, prefixes4, prefixes6, matches, hosts }: TableCounts): Int32Array {
  const header = new Int32Array(HEADER_WORDS);
  header[HEADER_LAYOUT_VERSION] = hosts === null ? LAYOUT_VERSION : LAYOUT_VERSION_HOSTS;
  header[HEADER_ROOT_BITS_4] = Math.log2(root4);
  header[HEADER_ROOT_BITS_6] = Math.log2(root6);
  header[HEADER_PREFIX_COUNT_4] = prefixes4;
  header[HEADER_PREFIX_COUNT_6] = prefixes6;
  header[HEADER_MATCH_COUNT] = matches;
  if (hosts === null) return header;
  header[HEADER_BUCKETS_4] = hosts.buckets;
  header[HEADER_HOSTS_4] = hosts.hosts;
  header[HEADER_OVERFLOW_4] = hosts.overflow;
  header[HEADER_HOST_MATCH_4] = hosts.match;
  header[HEADER_TAGS_4] = hosts.tags;
  return header;
}

/** What the header says of hosts, null for nothing. */
export function hostsIn(header: Int32Array): HostsForm | null {
  if (header[HEADER_LAYOUT_VERSION] !== LAYOUT_VERSION_HOSTS) return null;
  return {
    buckets: header[HEADER_BUCKETS_4]!,
    hosts: header[HEADER_HOSTS_4]!,
    overflow: header[HEADER_OVERFLOW_4]!,
    match: header[HEADER_HOST_MATCH_4]!,
    tags: header[HEADER_TAGS_4]!,
  };
}
