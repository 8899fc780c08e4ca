import type { SnapshotContent } from "../../../src/snapshot/encode-snapshot.ts";
import { freeze } from "../../../src/table/freeze.ts";
import type { PrefixTable } from "../../../src/table/prefix-table.ts";
import { PrefixTrie } from "../../../src/trie/prefix-trie.ts";

const PER_GENERATION = 1000;

/** The prefixes of every generation: /24s, some of them adjacent. */
function addressOf(index: number): number {
  return (0x0a00_0000 + (index << 9) + (index % 3 === 0 ? 256 : 0)) >>> 0;
}

/** A snapshot in which every value, and the metadata, contain the generation's number. */
export function swapContent(number: number, prefixes: number): SnapshotContent {
  const trie = new PrefixTrie();
  for (let i = 0; i < prefixes; i++)
    trie.insert({ family: 4, w0: addressOf(i), w1: 0, w2: 0, w3: 0, length: 24 }, valueOf(number, i));
  return { table: freeze(trie), metadata: { number, prefixes }, kind: "swap" };
}

function valueOf(number: number, index: number): number {
  return number * PER_GENERATION + (index % PER_GENERATION) + 1;
}

/** Looks up `count` addresses and counts the answers that are not those of generation `number`. */
export function countForeign(table: PrefixTable, number: number, prefixes: number, count: number): number {
  let foreign = 0;
  for (let k = 0; k < count; k++) {
    const index = (k * 7919) % prefixes;
    const match = table.lookup4(addressOf(index) + (k & 255));
    if (match === 0 || table.value(match) !== valueOf(number, index)) foreign++;
  }
  return foreign;
}
