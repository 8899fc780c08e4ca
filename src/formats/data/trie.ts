import { addressBits, type Family, type Prefix } from "../../address/address.ts";
import { ENTRIES_AT_ONCE, type Format } from "../format.ts";

const MAGIC = "ELLIOTRIE";
const VERSION = 2;
/** The bytes of the header, and where in it the number of nodes and the roots are. */
const HEADER_BYTES = 24;
const COUNT_AT = 12;
const ROOT_AT = { 4: 16, 6: 20 } as const satisfies Readonly<Record<Family, number>>;
const NODE_BYTES = 9;
const NONE = 0xffff_ffff;
/** Bytes of a node after its children: whether a prefix ends there, and its depth. */
const FLAGS_AT = 8;
const MAX_DEPTH = 127;
/** Bytes per chunk. */
const PART_BYTES = 1 << 20;

/**
 * The binary trie of edge components, version 2, in big-endian order: `ELLIOTRIE`, u16 version, u8 flags, u32 nodes, u32
 * the roots of IPv4 and of IPv6, then for each node u32 its children for 0 and 1, and a byte with a prefix's end in its
 * lowest bit and the depth above. A node stands for one bit.
 *
 *     192.0.2.0/24: root, 23 nodes with one child each, and the one where it ends
 */
export const trie = {
  about: "for edge components that read a binary trie",
  kinds: ["rules"],
  mediaType: "application/octet-stream",
  isBinary: true,
  maxBytes: trieBytes,
  *write(list) {
    const prefixes: Prefix[] = [];
    for (const { prefix } of list.entries()) {
      prefixes.push(prefix);
      if (prefixes.length % ENTRIES_AT_ONCE === 0) yield "";
    }
    const bytes = new Uint8Array(yield* trieBytes(prefixes));
    const file = new DataView(bytes.buffer);
    writeHeader(file);
    yield* fill(file, prefixes);
    for (let at = 0; at < bytes.length; at += PART_BYTES) yield bytes.subarray(at, at + PART_BYTES);
  },
} as const satisfies Format<"rules">;

/** The bytes of the file, without making it. In the order of prefixes. O(prefixes) */
export function* trieBytes(prefixes: Iterable<Prefix>): Generator<"", number, undefined> {
  let nodes = 0;
  let before: Prefix | undefined;
  let count = 0;
  for (const prefix of prefixes) {
    // A root of its own family, and then as many nodes as bits that the one before does not share.
    nodes += before?.family === prefix.family ? prefix.length - sharedBits(before, prefix) : prefix.length + 1;
    before = prefix;
    if (++count % ENTRIES_AT_ONCE === 0) yield "";
  }
  return HEADER_BYTES + nodes * NODE_BYTES;
}

function writeHeader(file: DataView): void {
  for (let at = 0; at < MAGIC.length; at++) file.setUint8(at, MAGIC.charCodeAt(at));
  file.setUint16(MAGIC.length, VERSION);
  file.setUint32(COUNT_AT, (file.byteLength - HEADER_BYTES) / NODE_BYTES);
  file.setUint32(ROOT_AT[4], NONE);
  file.setUint32(ROOT_AT[6], NONE);
}

/** Nodes are numbered in the order of prefixes, so that the path to the one before is all that must be known. */
function* fill(file: DataView, prefixes: readonly Prefix[]): Generator<""> {
  /** The nodes on the way to the prefix before, by their depth. */
  const path = new Uint32Array(addressBits(6) + 1);
  let nodes = 0;
  let before: Prefix | undefined;
  for (const [index, prefix] of prefixes.entries()) {
    let depth = before?.family === prefix.family ? sharedBits(before, prefix) : -1;
    if (depth < 0) file.setUint32(ROOT_AT[prefix.family], nodes);
    while (depth < prefix.length) {
      if (depth >= 0) file.setUint32(nodeAt(path[depth]!) + 4 * bitAt(prefix, depth), nodes);
      path[++depth] = nodes;
      writeNode(file, nodes++, depth);
    }
    const end = nodeAt(path[depth]!) + FLAGS_AT;
    file.setUint8(end, file.getUint8(end) | 1);
    before = prefix;
    if (index % ENTRIES_AT_ONCE === 0) yield "";
  }
}

function writeNode(file: DataView, node: number, depth: number): void {
  const at = nodeAt(node);
  file.setUint32(at, NONE);
  file.setUint32(at + 4, NONE);
  file.setUint8(at + FLAGS_AT, Math.min(depth, MAX_DEPTH) << 1);
}

const nodeAt = (node: number): number => HEADER_BYTES + node * NODE_BYTES;

function bitAt({ w0, w1, w2, w3 }: Prefix, depth: number): number {
  const word = depth < 32 ? w0 : depth < 64 ? w1 : depth < 96 ? w2 : w3;
  return (word >>> (31 - (depth % 32))) & 1;
}

/** How many leading bits two prefixes of a family have in common, at most the length of the shorter one. */
function sharedBits(one: Prefix, other: Prefix): number {
  const shortest = Math.min(one.length, other.length);
  const differences = [one.w0 ^ other.w0, one.w1 ^ other.w1, one.w2 ^ other.w2, one.w3 ^ other.w3];
  const word = differences.findIndex((difference) => difference !== 0);
  return word < 0 ? shortest : Math.min(shortest, 32 * word + Math.clz32(differences[word]!));
}
