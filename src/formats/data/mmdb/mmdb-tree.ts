import type { Prefix } from "../../../address/address.ts";

const EMPTY = 0;
const ROOT = 0;
const MAPPED = 0xffff;

/**
 * The search tree of a MaxMind DB: a node per bit, whose two records lead to a node, to data or nowhere. A record here
 * is a node's number when positive (the root is no node's child), a value with its sign turned when negative, `EMPTY`
 * otherwise.
 */
export class MmdbTree {
  #records = new Int32Array(2 * 1024);
  #count = 1;
  readonly #root4: number;

  /** Makes the way to IPv4, at ::/96, and lets ::ffff:0:0/96 lead there too. */
  constructor() {
    const below = this.#walk(ROOT, { family: 6, w0: 0, w1: 0, w2: 0, w3: 0, length: 96 });
    this.#root4 = this.#newNode(EMPTY);
    this.#records[below] = this.#root4;
    this.#records[this.#walk(ROOT, { family: 6, w0: 0, w1: 0, w2: MAPPED, w3: 0, length: 96 })] = this.#root4;
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
    const start = prefix.family === 4 ? this.#root4 : ROOT;
    if (prefix.length === 0) {
      this.#fill(2 * start, value);
      this.#fill(2 * start + 1, value);
    } else this.#fill(this.#walk(start, prefix), value);
  }

  /** The values that records lead to, each once, ascending. */
  values(): number[] {
    const found = new Set<number>();
    for (let record = 0; record < 2 * this.#count; record++)
      if (this.#records[record]! < 0) found.add(-this.#records[record]!);
    return [...found].sort((a, b) => a - b);
  }

  /** The nodes with records of 24, 28 or 32 bits. */
  write(recordSize: 24 | 28 | 32, offsetOf: (value: number) => number): Uint8Array {
    const width = recordSize / 4;
    const bytes = new Uint8Array(this.#count * width);
    const view = new DataView(bytes.buffer);
    const valueOf = (record: number): number =>
      record > 0 ? record : record === EMPTY ? this.#count : offsetOf(-record);
    for (let node = 0; node < this.#count; node++) {
      const left = valueOf(this.#records[2 * node]!);
      const right = valueOf(this.#records[2 * node + 1]!);
      const at = node * width;
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
    const below = this.#records[record]!;
    if (below <= 0) this.#records[record] = -value;
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
      const record = this.#records[index]!;
      node = record > 0 ? record : this.#newNode(record);
      this.#records[index] = node;
    }
  }

  #newNode(record: number): number {
    if (2 * this.#count === this.#records.length) {
      const larger = new Int32Array(2 * this.#records.length);
      larger.set(this.#records);
      this.#records = larger;
    }
    this.#records.fill(record, 2 * this.#count, 2 * this.#count + 2);
    return this.#count++;
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
