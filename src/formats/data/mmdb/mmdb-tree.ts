import type { Prefix } from "../../../address/address.ts";

const EMPTY = 0;
const ROOT = 0;
const MAPPED = 0xffff;
/** Nodes that are read or written in less than a millisecond. */
const NODES_AT_ONCE = 1 << 14;
/** Records of a part of the tree: one array that grows would be copied, for a million addresses in half a second. */
const PART_BITS = 16;
const PART_RECORDS = 1 << PART_BITS;

/**
 * The search tree of a MaxMind DB: a node per bit, whose two records lead to a node, to data or nowhere. A record here
 * is a node's number when positive (the root is no node's child), a value with its sign turned when negative, `EMPTY`
 * otherwise.
 */
export class MmdbTree {
  readonly #parts: Int32Array[] = [new Int32Array(PART_RECORDS)];
  #count = 1;
  #largest = 0;
  readonly #root4: number;

  /** Makes the way to IPv4, at ::/96, and lets ::ffff:0:0/96 lead there too. */
  constructor() {
    const below = this.#walk(ROOT, { family: 6, w0: 0, w1: 0, w2: 0, w3: 0, length: 96 });
    this.#root4 = this.#newNode(EMPTY);
    this.#set(below, this.#root4);
    this.#set(this.#walk(ROOT, { family: 6, w0: 0, w1: 0, w2: MAPPED, w3: 0, length: 96 }), this.#root4);
  }

  get nodeCount(): number {
    return this.#count;
  }

  /**
   * Lets the addresses of a prefix lead to a value, a positive number. The less specific prefix comes first. IPv6
   * prefixes where the format keeps IPv4 are left out. O(length).
   */
  add(prefix: Prefix, value: number): void {
    if (prefix.family === 6 && isInIpv4(prefix)) return;
    if (value > this.#largest) this.#largest = value;
    const start = prefix.family === 4 ? this.#root4 : ROOT;
    if (prefix.length === 0) {
      this.#fill(2 * start, value);
      this.#fill(2 * start + 1, value);
    } else this.#fill(this.#walk(start, prefix), value);
  }

  /** The values that records lead to, each once, ascending, and "" where the caller may let other work run. */
  *values(): Generator<number | ""> {
    const isFound = new Uint8Array(this.#largest + 1);
    for (let record = 0; record < 2 * this.#count; record++) {
      const value = -this.#get(record);
      if (value > 0) isFound[value] = 1;
      if (record % NODES_AT_ONCE === 0) yield "";
    }
    for (let value = 1; value <= this.#largest; value++) if (isFound[value] === 1) yield value;
  }

  /** The nodes with records of 24, 28 or 32 bits, in parts. */
  *write(recordSize: 24 | 28 | 32, offsetOf: (value: number) => number): Generator<Uint8Array> {
    for (let node = 0; node < this.#count; node += NODES_AT_ONCE)
      yield this.#writeNodes(node, Math.min(node + NODES_AT_ONCE, this.#count), recordSize, offsetOf);
  }

  #writeNodes(first: number, end: number, recordSize: 24 | 28 | 32, offsetOf: (value: number) => number): Uint8Array {
    const width = recordSize / 4;
    const bytes = new Uint8Array((end - first) * width);
    const view = new DataView(bytes.buffer);
    const valueOf = (record: number): number =>
      record > 0 ? record : record === EMPTY ? this.#count : offsetOf(-record);
    for (let node = first; node < end; node++) {
      const left = valueOf(this.#get(2 * node));
      const right = valueOf(this.#get(2 * node + 1));
      const at = (node - first) * width;
      if (recordSize === 32) {
        view.setUint32(at, left);
        view.setUint32(at + 4, right);
        continue;
      }
      view.setUint16(at, left >>> 8);
      bytes[at + 2] = left;
      // Of 28 bits, the highest four of both records share the byte in the middle.
      if (recordSize === 28) bytes[at + 3] = ((left >>> 20) & 0xf0) | (right >>> 24);
      view.setUint16(at + width - 3, right >>> 8);
      bytes[at + width - 1] = right;
    }
    return bytes;
  }

  /**
   * Lets what is empty below a record lead to the value. Only on the way to IPv4 are there nodes before what is less
   * specific comes.
   */
  #fill(record: number, value: number): void {
    const below = this.#get(record);
    if (below <= 0) this.#set(record, -value);
    else if (below !== this.#root4) {
      this.#fill(2 * below, value);
      this.#fill(2 * below + 1, value);
    }
  }

  /**
   * The index of the record that a prefix ends at. What was data on the way becomes a node with that data on both
   * sides.
   */
  #walk(start: number, prefix: Prefix): number {
    let node = start;
    for (let depth = 0; ; depth++) {
      const index = 2 * node + bitOf(prefix, depth);
      if (depth === prefix.length - 1) return index;
      const record = this.#get(index);
      node = record > 0 ? record : this.#newNode(record);
      this.#set(index, node);
    }
  }

  #newNode(record: number): number {
    if (2 * this.#count === this.#parts.length * PART_RECORDS) this.#parts.push(new Int32Array(PART_RECORDS));
    this.#set(2 * this.#count, record);
    this.#set(2 * this.#count + 1, record);
    return this.#count++;
  }

  #get(record: number): number {
    return this.#parts[record >>> PART_BITS]![record & (PART_RECORDS - 1)]!;
  }

  #set(record: number, value: number): void {
    this.#parts[record >>> PART_BITS]![record & (PART_RECORDS - 1)] = value;
  }
}

function bitOf(prefix: Prefix, depth: number): number {
  const word = depth < 32 ? prefix.w0 : depth < 64 ? prefix.w1 : depth < 96 ? prefix.w2 : prefix.w3;
  return (word >>> (31 - (depth & 31))) & 1;
}

/** Whether the IPv6 prefix lies where the format keeps IPv4. */
export function isInIpv4({ w0, w1, w2, length }: Prefix): boolean {
  return length >= 96 && w0 === 0 && w1 === 0 && (w2 === 0 || w2 === MAPPED);
}
