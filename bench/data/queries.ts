import { addressBits } from "../../src/address/address.ts";
import { addressNumber, Oracle } from "./oracle.ts";
import { Random, zipf } from "./random.ts";
import { wordsAt, wordsPerAddress } from "./table-data.ts";
import type { TableData, Words } from "./table-data.ts";

export const QUERY_KINDS = ["uniform", "hits", "skewed", "misses"] as const;
export type QueryKind = (typeof QUERY_KINDS)[number];

/** Addresses to look up, with their right value ids (0 = none). */
export interface QuerySet {
  readonly words: Uint32Array;
  readonly answers: Uint32Array;
}

const SKEWED_ADDRESSES = 200_000;
const SKEWED_EXPONENT = 1.1;

/**
 * The queries of one kind, seeded:
 * - uniform: any IPv4 address; any address of 2000::/3, the part of IPv6 that is in use
 * - hits: a random address in a random prefix
 * - skewed: 200,000 such addresses, drawn by Zipf's law with exponent 1.1
 * - misses: a random address in the block after a random prefix, as large as the prefix, where no prefix covers it;
 * where
 *   sixteen such blocks are all covered, any uncovered address
 */
export function makeQueries(table: TableData, oracle: Oracle, kind: QueryKind, count: number, seed: number): QuerySet {
  const random = new Random(seed + QUERY_KINDS.indexOf(kind));
  const draw = drawerOf(table, oracle, kind, random);
  const size = wordsPerAddress(table.family);
  const words = new Uint32Array(count * size);
  for (let i = 0; i < count; i++) words.set(draw().slice(0, size), i * size);
  return { words, answers: oracle.answers(words) };
}

function drawerOf(table: TableData, oracle: Oracle, kind: QueryKind, random: Random): () => Words {
  switch (kind) {
    case "uniform":
      return () => uniformAddress(table, random);
    case "hits":
      return () => addressIn(table, random.below(table.count), random);
    case "skewed": {
      const addresses = Array.from({ length: SKEWED_ADDRESSES }, () =>
        addressIn(table, random.below(table.count), random),
      );
      const rank = zipf(random, addresses.length, SKEWED_EXPONENT);
      return () => addresses[rank()]!;
    }
    case "misses":
      return () => missAddress(table, oracle, random);
  }
}

function randomWords(random: Random): Words {
  return [random.word(), random.word(), random.word(), random.word()];
}

function uniformAddress(table: TableData, random: Random): Words {
  const words = randomWords(random);
  if (table.family === 4) return [words[0], 0, 0, 0];
  return [((words[0] & 0x1fffffff) | 0x20000000) >>> 0, words[1], words[2], words[3]];
}

function addressIn(table: TableData, index: number, random: Random): Words {
  const network = wordsAt(table.family, table.words, index);
  const host = randomWords(random);
  const length = table.lengths[index]!;
  const mixed = network.map((word, position) => {
    const fixed = Math.min(32, Math.max(0, length - 32 * position));
    const hostMask = fixed === 32 ? 0 : 0xffffffff >>> fixed;
    return (word | (host[position]! & hostMask)) >>> 0;
  });
  return table.family === 4 ? [mixed[0]!, 0, 0, 0] : (mixed as unknown as Words);
}

function missAddress(table: TableData, oracle: Oracle, random: Random): Words {
  const bits = addressBits(table.family);
  for (let tries = 0; tries < 16; tries++) {
    const index = random.below(table.count);
    const inside = addressNumber(table.family, addressIn(table, index, random));
    const beyond = BigInt(inside) + (1n << BigInt(bits - table.lengths[index]!));
    if (beyond >> BigInt(bits) !== 0n) continue;
    const words = numberWords(table.family, beyond);
    if (oracle.prefixOf(words) < 0) return words;
  }
  for (;;) {
    const words = uniformAddress(table, random);
    if (oracle.prefixOf(words) < 0) return words;
  }
}

function numberWords(family: 4 | 6, number: bigint): Words {
  if (family === 4) return [Number(number), 0, 0, 0];
  return [96n, 64n, 32n, 0n].map((shift) => Number((number >> shift) & 0xffffffffn)) as unknown as Words;
}
