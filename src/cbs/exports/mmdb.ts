import type { Prefix } from "../../address/address.ts";
import { prefixAt } from "../_prefix-list.ts";
import type { CatalogueTree } from "../catalogue-tree.ts";
import { MmdbData } from "./_mmdb-data.ts";
import { isInIpv4, MmdbTree } from "./_mmdb-tree.ts";
import { MEMBERS, setsOf } from "./_rows.ts";

/** Between the tree and the data. */
const SEPARATOR = new Uint8Array(16);
const METADATA_MARK = Uint8Array.of(0xab, 0xcd, 0xef, ...new TextEncoder().encode("MaxMind.com"));
/** Of a catalogue made before that, too: libmaxminddb takes 0 for a missing time and refuses the file. */
const EARLIEST_EPOCH = 1;
/** Bits of a record, two of which are a node. */
const RECORD_SIZES = [24, 28, 32] as const;

/**
 * A MaxMind DB, format 2.0 (https://maxmind.github.io/MaxMind-DB/):
 *
 *     binary tree, two records per node │ 16 zero bytes │ data: a map per match │ mark │ metadata
 *
 * The record of an address is `{cbs_ids, labels, providers, types, services, regions, prefix_length}`, which joins all
 * prefixes that cover it; `prefix_length` is that of the most specific one. The same catalogue gives the same bytes.
 *
 * `build_epoch` is the second in which the catalogue was made, and 1970-01-01T00:00:01Z for older ones.
 *
 * The format keeps IPv4 at ::/96, where it takes the place of IPv6 prefixes (`withoutPlaceInMmdb`); ::ffff:0:0/96 leads
 * to the same.
 */
export function* exportMmdb(tree: CatalogueTree): Generator<Uint8Array> {
  const search = new MmdbTree();
  search.addAll(tree.prefixes(6));
  search.addAll(tree.prefixes(4));
  const data = new MmdbData();
  const { table } = tree.catalogue;
  const offsets = new Float64Array(table.matchCount + 1);
  for (const match of search.matches()) {
    const sets = setsOf(tree.catalogue.nodesOf(match));
    offsets[match] = data.addRecord([
      ...MEMBERS.map((member): [string, readonly string[]] => [member, sets[member]]),
      ["prefix_length", table.prefixLength(match)],
    ]);
  }
  const largest = search.nodeCount + SEPARATOR.length + data.byteLength;
  const recordSize = RECORD_SIZES.find((size) => largest < 2 ** size);
  if (recordSize === undefined)
    throw new RangeError(`a MaxMind DB has less than 4 GB, this one would have ${largest} records and bytes of data`);
  yield search.write(recordSize, (match) => search.nodeCount + SEPARATOR.length + offsets[match]!);
  yield SEPARATOR;
  yield data.bytes();
  yield METADATA_MARK;
  yield metadataOf(tree, search.nodeCount, recordSize);
}

/** The IPv6 prefixes that the format has no place for, because it keeps IPv4 there. O(prefixes). */
export function withoutPlaceInMmdb(tree: CatalogueTree): Prefix[] {
  const list = tree.prefixes(6);
  const places = Array.from({ length: list.count }, (_, at) => at).filter(
    (at) => list.lengths[at]! >= 96 && list.words[at * 4] === 0,
  );
  return places.map((at) => prefixAt(list, at)).filter(isInIpv4);
}

function metadataOf({ catalogue: { metadata } }: CatalogueTree, nodeCount: number, recordSize: number): Uint8Array {
  const data = new MmdbData({ sharesTexts: false });
  data.mapOf(9);
  data.text("binary_format_major_version").number(2, "uint16");
  data.text("binary_format_minor_version").number(0, "uint16");
  data
    .text("build_epoch")
    .number(Math.max(EARLIEST_EPOCH, Math.floor(Date.parse(metadata.createdAt) / 1000)), "uint64");
  data.text("database_type").text("ipsieve-CBS");
  data.text("description").mapOf(1).text("en").text(metadata.title);
  data.text("ip_version").number(6, "uint16");
  data.text("languages").arrayOf(1).text("en");
  data.text("node_count").number(nodeCount, "uint32");
  data.text("record_size").number(recordSize, "uint16");
  return data.bytes();
}
