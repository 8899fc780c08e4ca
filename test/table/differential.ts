import assert from "node:assert/strict";
import type { Prefix } from "../../src/address/address.ts";
import { formatAddress } from "../../src/address/format-address.ts";
import { type Favour, freeze } from "../../src/table/freeze.ts";
import { PrefixTable } from "../../src/table/prefix-table.ts";
import { PrefixTrie } from "../../src/trie/prefix-trie.ts";
import { Random as SeededRandom } from "../../bench/data/random.ts";
import { chainText, intervalsOf, type Interval, type PlainPrefix } from "../oracle/interval-oracle.ts";
import type { MatchId } from "../../src/table/match-id.ts";

/** A source of 32-bit words. */
export function seededRandom(seed: number): Random {
  const random = new SeededRandom(seed);
  return () => random.word();
}

type Random = () => number;

function randomBits(random: Random, bits: number): bigint {
  let value = 0n;
  for (let at = 0; at < bits; at += 32) value = (value << 32n) | BigInt(random());
  return value & ((1n << BigInt(bits)) - 1n);
}

function cut(family: 4 | 6, address: bigint, length: number): bigint {
  const hostBits = BigInt((family === 4 ? 32 : 128) - length);
  return (address >> hostBits) << hostBits;
}

/** The shapes of real lists, each of which stresses another kind of node. */
const SHAPES = ["scattered", "nested", "clustered", "neighbours", "crowded", "points", "hosts"] as const;

/**
 * A random set of prefixes of both families; values are from a small range, so that equal neighbours and equal nested
 * prefixes occur.
 */
export function randomPrefixes(random: Random): PlainPrefix[] {
  const shape = SHAPES[random() % SHAPES.length]!;
  const family = random() % 2 === 0 ? 4 : 6;
  const bits = family === 4 ? 32 : 128;
  const base = randomBits(random, bits);
  // Blocks of one length anywhere below a prefix, sometimes several side by side.
  const above = random() % (bits - 18);
  const below = above + 17 + (random() % (bits - above - 16));
  // Blocks of one size within one or two blocks of 65,536, either with a value each, or with one value, or with three.
  const size = random() % 12;
  const last = random() % 3;
  const count = shape === "crowded" ? 1100 + (random() % 400) : 1 + (random() % 120);
  const found = new Map<string, PlainPrefix>();
  for (let i = 0; i < count; i++) {
    let address = randomBits(random, bits);
    let length = random() % (bits + 1);
    if (shape === "nested") address = base ^ (randomBits(random, bits) >> BigInt(random() % bits));
    if (shape === "clustered") address = cut(family, base, bits - 20) | (address & 0xfffffn);
    if (shape === "neighbours")
      [address, length] = [cut(family, base, bits - 12) + BigInt(i) * 4n, bits - (random() % 3)];
    if (shape === "crowded") [address, length] = [cut(family, base, 16) | (address >> 16n), 16 + (random() % 18)];
    if (shape === "points") [address, length] = [cut(family, base, bits - 17) | (address & 0x1ffffn), bits - size];
    if (shape === "hosts") {
      const inside = randomBits(random, bits) & ((1n << BigInt(bits - above)) - 1n);
      const side = BigInt(i % 5 === 0 ? random() % 20 : 0) << BigInt(bits - below);
      [address, length] = [(cut(family, base, above) | inside) + side, below];
    }
    const first = cut(family, address & ((1n << BigInt(bits)) - 1n), Math.min(length, bits));
    const mixed = [...new Set([1 + (random() % 3), ...(random() % 4 === 0 ? [4 + (random() % 3)] : [])])];
    const values =
      (shape === "points" || shape === "hosts") && last > 0
        ? [last === 1 ? 1 : Number(first & 0xf_ffffn) + 1]
        : mixed.sort((a, b) => a - b);
    const prefix = { family, first, length: Math.min(length, bits), values } as const;
    found.set(`${prefix.first}/${prefix.length}`, prefix);
  }
  return [...found.values()];
}

export function toWords(family: 4 | 6, address: bigint): [number, number, number, number] {
  if (family === 4) return [Number(address), 0, 0, 0];
  const word = (shift: bigint): number => Number((address >> shift) & 0xffff_ffffn);
  return [word(96n), word(64n), word(32n), word(0n)];
}

export function tableOf(prefixes: readonly PlainPrefix[], favour: Favour = "balance"): PrefixTable {
  const trie = new PrefixTrie();
  for (const prefix of prefixes) {
    const [w0, w1, w2, w3] = toWords(prefix.family, prefix.first);
    const key: Prefix = { family: prefix.family, w0, w1, w2, w3, length: prefix.length };
    for (const value of prefix.values) trie.add(key, value);
  }
  return freeze(trie, { favour });
}

/** Addresses at and around an interval's ends and somewhere inside it. */
function probesOf(interval: Interval, family: 4 | 6, inside: number, random: Random): bigint[] {
  const { first, last } = interval;
  const probes = [first, last];
  for (let i = 0; i < inside; i++)
    probes.push(first + (randomBits(random, family === 4 ? 32 : 128) % (last - first + 1n)));
  return probes;
}

/**
 * Looks up addresses of every interval in a table, one by one from words and in one batch, and compares the whole chain
 * of covering prefixes with the oracle's. Returns the number of compared answers; throws at the first difference.
 */
export function compareWithOracle(
  table: PrefixTable,
  prefixes: readonly PlainPrefix[],
  inside: number,
  random: Random,
): number {
  let compared = 0;
  const chains = new Map<number, string>();
  const chainOf = (match: MatchId): string => {
    let text = chains.get(match);
    if (text === undefined)
      chains.set(
        match,
        (text = chainText(
          table.chain(match).map((id) => ({ length: table.prefixLength(id), values: table.values(id) })),
        )),
      );
    return text;
  };
  for (const family of [4, 6] as const) {
    const expected: string[] = [];
    const keys: number[] = [];
    for (const interval of intervalsOf(family, prefixes)) {
      for (const probe of probesOf(interval, family, inside, random)) {
        const words = toWords(family, probe);
        keys.push(...(family === 4 ? [words[0]] : words));
        expected.push(interval.chain);
        const match = family === 4 ? table.lookup4(words[0]) : table.lookup6(...words);
        if (chainOf(match) !== interval.chain) fail(family, words, interval.chain, chainOf(match));
      }
    }
    const out = new Uint32Array(expected.length);
    table.lookupBatchInto(family, Uint32Array.from(keys), out);
    for (const [i, match] of out.entries()) {
      const chain = chainOf(match as MatchId);
      if (chain !== expected[i]) fail(family, toWordsAt(keys, family, i), expected[i]!, `${chain} (batch)`);
    }
    compared += 2 * expected.length;
  }
  return compared;
}

function toWordsAt(keys: readonly number[], family: 4 | 6, i: number): [number, number, number, number] {
  return family === 4 ? [keys[i]!, 0, 0, 0] : (keys.slice(4 * i, 4 * i + 4) as [number, number, number, number]);
}

function fail(family: 4 | 6, [w0, w1, w2, w3]: readonly number[], expected: string, actual: string): never {
  const address = formatAddress({ family, w0: w0!, w1: w1!, w2: w2!, w3: w3! });
  assert.fail(`${address}: expected the prefixes "${expected}", the table says "${actual}"`);
}

/** The prefixes read back from a table, in the oracle's form. */
export function readBack(table: PrefixTable): string[] {
  return ([4, 6] as const).flatMap((family) =>
    [...table.entries(family)].map(
      ({ prefix, match }) => `${formatAddress(prefix)}/${prefix.length}=${table.values(match).join("+")}`,
    ),
  );
}

/** The expected result of `readBack`, sorted by the oracle's own numbers. */
export function expectedReadBack(prefixes: readonly PlainPrefix[]): string[] {
  const sorted = prefixes.toSorted(
    (a, b) => a.family - b.family || (a.first < b.first ? -1 : a.first > b.first ? 1 : a.length - b.length),
  );
  return sorted.map((prefix) => {
    const [w0, w1, w2, w3] = toWords(prefix.family, prefix.first);
    return `${formatAddress({ family: prefix.family, w0, w1, w2, w3 })}/${prefix.length}=${prefix.values.join("+")}`;
  });
}
