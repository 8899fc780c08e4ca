import { addressBits } from "../../src/address/address.ts";
import type { Family } from "../../src/address/address.ts";
import { Random } from "./random.ts";

/** Prefixes of one family in typed arrays: one (IPv4) or four (IPv6) words each, no prefix twice, value ids from 1. */
export interface TableData {
  readonly family: Family;
  readonly count: number;
  readonly words: Uint32Array;
  readonly lengths: Uint8Array;
  readonly values: Uint32Array;
}

export type Words = readonly [number, number, number, number];

/** Words of one address: 1 or 4. */
export function wordsPerAddress(family: Family): 1 | 4 {
  return family === 4 ? 1 : 4;
}

/** The words of the prefix or address at `index`, with zeros where IPv4 has none. */
export function wordsAt(family: Family, words: Uint32Array, index: number): Words {
  if (family === 4) return [words[index]!, 0, 0, 0];
  const at = index * 4;
  return [words[at]!, words[at + 1]!, words[at + 2]!, words[at + 3]!];
}

/** Clears the bits of `words` from `length` on. */
export function maskWords(words: Words, length: number): Words {
  const masked = words.map((word, index) => {
    const kept = Math.min(32, Math.max(0, length - 32 * index));
    return kept === 0 ? 0 : (word & (-1 << (32 - kept))) >>> 0;
  });
  return masked as unknown as Words;
}

/** Collects prefixes; a repeated one takes the last value, as in a list read from top to bottom. */
export class TableCollector {
  readonly #family: Family;
  readonly #words: number[] = [];
  readonly #lengths: number[] = [];
  readonly #values: number[] = [];
  readonly #positions = new Map<string, number>();

  constructor(family: Family) {
    this.#family = family;
  }

  set(words: Words, length: number, value: number): void {
    const key = `${words.join(",")}/${length}`;
    const position = this.#positions.get(key);
    if (position !== undefined) {
      this.#values[position] = value;
      return;
    }
    this.#positions.set(key, this.#lengths.length);
    this.#words.push(...words.slice(0, wordsPerAddress(this.#family)));
    this.#lengths.push(length);
    this.#values.push(value);
  }

  has(words: Words, length: number): boolean {
    return this.#positions.has(`${words.join(",")}/${length}`);
  }

  finish(): TableData {
    return {
      family: this.#family,
      count: this.#lengths.length,
      words: Uint32Array.from(this.#words),
      lengths: Uint8Array.from(this.#lengths),
      values: Uint32Array.from(this.#values),
    };
  }
}

/** The table's first `count` prefixes after a seeded shuffle: a small table of the same kind. */
export function sampleTable(table: TableData, count: number, seed: number): TableData {
  const random = new Random(seed);
  const chosen = new TableCollector(table.family);
  for (let taken = 0; taken < count;) {
    const index = random.below(table.count);
    const words = wordsAt(table.family, table.words, index);
    if (chosen.has(words, table.lengths[index]!)) continue;
    chosen.set(words, table.lengths[index]!, table.values[index]!);
    taken++;
  }
  return chosen.finish();
}

/** The prefixes at 0, `every`, 2 * `every`, ... of the table. */
export function everyNth(table: TableData, every: number): TableData {
  const size = wordsPerAddress(table.family);
  return {
    family: table.family,
    count: Math.ceil(table.count / every),
    words: table.words.filter((_, word) => Math.trunc(word / size) % every === 0),
    lengths: table.lengths.filter((_, index) => index % every === 0),
    values: table.values.filter((_, index) => index % every === 0),
  };
}

/**
 * The nested variant: 40 % of the prefixes get a covering prefix 2 to 8 bits shorter, with a value of its own, unless
 * it is there already. None gets shorter than /8 (IPv4) or /16 (IPv6): some address must stay uncovered.
 */
export function nestTable(table: TableData, seed: number): TableData {
  const random = new Random(seed);
  const shortest = table.family === 4 ? 8 : 16;
  const nested = new TableCollector(table.family);
  for (let i = 0; i < table.count; i++) {
    nested.set(wordsAt(table.family, table.words, i), table.lengths[i]!, table.values[i]!);
  }
  let value = table.values.reduce((largest, each) => Math.max(largest, each), 0);
  for (let i = 0; i < table.count; i++) {
    const shorter = 2 + random.below(7);
    if (random.below(100) >= 40) continue;
    const length = table.lengths[i]! - shorter;
    if (length < shortest) continue;
    const words = maskWords(wordsAt(table.family, table.words, i), length);
    if (!nested.has(words, length)) nested.set(words, length, ++value);
  }
  return nested.finish();
}

/** A blocklist: `count` different single IPv4 addresses between 1.0.0.0 and 223.255.255.255, all with value 1. */
export function singleAddresses(count: number, seed: number): TableData {
  const random = new Random(seed);
  const seen = new Set<number>();
  while (seen.size < count) seen.add(0x01000000 + random.below(0xdf000000));
  return {
    family: 4,
    count,
    words: Uint32Array.from(seen),
    lengths: new Uint8Array(count).fill(addressBits(4)),
    values: new Uint32Array(count).fill(1),
  };
}

/**
 * A list of IPv6: `count` different blocks of one length, such as /128 hosts or /64 sites, each in a random prefix of
 * the table that is wide enough, with random bits between; all with value 1.
 */
export function blocksIn(table: TableData, count: number, length: number, seed: number): TableData {
  const random = new Random(seed);
  const blocks = new TableCollector(table.family);
  for (let taken = 0; taken < count;) {
    const index = random.below(table.count);
    const before = table.lengths[index]!;
    if (before > length) continue;
    const network = wordsAt(table.family, table.words, index);
    const inside = maskWords([random.word(), random.word(), random.word(), random.word()], length);
    const outside = maskWords(inside, before);
    const words = network.map((word, at) => (word | (inside[at]! ^ outside[at]!)) >>> 0) as unknown as Words;
    if (blocks.has(words, length)) continue;
    blocks.set(words, length, 1);
    taken++;
  }
  return blocks.finish();
}
