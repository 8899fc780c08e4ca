import { MmdbData } from "./mmdb-data.ts";
import type { MmdbTree } from "./mmdb-tree.ts";

/** What the metadata of a database says about it. */
export interface MmdbAbout {
  readonly type: string;
  readonly title: string;
  /** Seconds since 1970. */
  readonly buildSeconds: number;
}

/** Between the tree and the data. */
const SEPARATOR = new Uint8Array(16);
const METADATA_MARK = Uint8Array.of(0xab, 0xcd, 0xef, ...new TextEncoder().encode("MaxMind.com"));
/** libmaxminddb takes 0 for a missing time and rejects the file. */
const MIN_BUILD_SECONDS = 1;
/** Bits of a record, two of which are a node. */
const RECORD_SIZES = [24, 28, 32] as const;

/**
 * A MaxMind DB, format 2.0 (https://maxmind.github.io/MaxMind-DB/):
 *
 *     binary tree, two records per node │ 16 zero bytes │ data │ mark │ metadata
 *
 * `offsetOf` gives where in the data a value of the tree stands. The format keeps IPv4 at ::/96, where it takes the place
 * of IPv6 prefixes; ::ffff:0:0/96 leads to the same.
 * @throws RangeError for more than 4 GB
 */
export function* mmdbFile(
  tree: MmdbTree,
  data: MmdbData,
  offsetOf: (value: number) => number,
  about: MmdbAbout,
): Generator<Uint8Array> {
  const dataStart = tree.nodeCount + SEPARATOR.length;
  const largest = dataStart + data.byteLength;
  const recordSize = RECORD_SIZES.find((size) => largest < 2 ** size);
  if (recordSize === undefined)
    throw new RangeError(`a MaxMind DB has less than 4 GB, this one would have ${largest} records and bytes of data`);
  yield* tree.write(recordSize, (value) => dataStart + offsetOf(value));
  yield SEPARATOR;
  yield data.bytes();
  yield METADATA_MARK;
  yield metadataOf(about, tree.nodeCount, recordSize);
}

function metadataOf({ type, title, buildSeconds }: MmdbAbout, nodeCount: number, recordSize: number): Uint8Array {
  const data = new MmdbData({ sharesTexts: false });
  data.mapOf(9);
  data.text("binary_format_major_version").number(2, "uint16");
  data.text("binary_format_minor_version").number(0, "uint16");
  data.text("build_epoch").number(Math.max(MIN_BUILD_SECONDS, buildSeconds), "uint64");
  data.text("database_type").text(type);
  data.text("description").mapOf(1).text("en").text(title);
  data.text("ip_version").number(6, "uint16");
  data.text("languages").arrayOf(1).text("en");
  data.text("node_count").number(nodeCount, "uint32");
  data.text("record_size").number(recordSize, "uint16");
  return data.bytes();
}
