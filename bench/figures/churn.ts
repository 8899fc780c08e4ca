import { collectGarbage, summarize } from "./part.ts";
import { freeze } from "../../src/table/freeze.ts";
import { maskWords } from "../data/table-data.ts";
import { prefixAt } from "../data/texts.ts";
import { Random } from "../data/random.ts";
import { readRouted, requireRightAnswers } from "./routed-table.ts";
import type { Part } from "./part.ts";
import type { Prefix } from "../../src/address/address.ts";
import type { PrefixTrie } from "../../src/trie/prefix-trie.ts";
import type { Routed } from "./routed-table.ts";

const PREFIXES = 500_000;
const LAG = 1_000;
const ROUNDS = 5;

interface Change {
  readonly prefix: Prefix;
  /** The value that the prefix has in the table, or 0 for a prefix that is not in it. */
  readonly value: number;
}

/**
 * A million operations on the routed table: each of 500,000 prefixes is taken out and put back (or, where the table
 * does not have it, put in and taken out) a thousand prefixes later. The table is then what it was, and so must its
 * memory be.
 */
export const part: Part = async () => {
  const routed = await readRouted();
  const { trie } = routed;
  const changes = makeChanges(routed, trie);
  const size = trie.size;
  churn(trie, changes); // the arena may grow once for the prefixes that come on top
  const bytesAfterFirst = trie.byteLength;
  const samples: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    collectGarbage();
    const start = performance.now();
    churn(trie, changes);
    samples.push((2 * PREFIXES * 1000) / (performance.now() - start));
  }
  if (trie.size !== size) throw new Error(`the trie holds ${trie.size} prefixes after churn, ${size} before`);
  if (trie.byteLength > bytesAfterFirst)
    throw new Error(`the trie grew from ${bytesAfterFirst} to ${trie.byteLength} bytes under churn`);
  requireRightAnswers(freeze(trie), routed);
  return {
    measurements: [{ subject: "trie churn", unit: "operations/s", ...summarize(samples, "more") }],
    refusals: [],
    notes: [
      `churn: ${size} prefixes; ${trie.byteLength} bytes after the first and after the last of ${ROUNDS + 1} rounds of ${2 * PREFIXES} operations`,
    ],
  };
};

function churn(trie: PrefixTrie, changes: readonly Change[]): void {
  for (let i = 0; i < changes.length + LAG; i++) {
    if (i < changes.length) change(trie, changes[i]!, false);
    if (i >= LAG) change(trie, changes[i - LAG]!, true);
  }
}

function change(trie: PrefixTrie, { prefix, value }: Change, back: boolean): void {
  if (value === 0 && back) trie.delete(prefix);
  else if (value === 0) trie.insert(prefix, 1);
  else if (back) trie.insert(prefix, value);
  else trie.delete(prefix);
}

/** Half prefixes of the table, half others near them; no prefix twice. */
function makeChanges({ datasets }: Routed, trie: PrefixTrie): Change[] {
  const random = new Random(7);
  const seen = new Set<string>();
  const changes: Change[] = [];
  while (changes.length < PREFIXES) {
    const { table } = datasets[random.below(4) === 0 ? 1 : 0];
    const index = random.below(table.count);
    const prefix = changes.length % 2 === 0 ? prefixAt(table, index) : otherPrefix(prefixAt(table, index), random);
    const key = `${prefix.family} ${prefix.w0} ${prefix.w1} ${prefix.w2} ${prefix.w3} ${prefix.length}`;
    if (seen.has(key)) continue;
    seen.add(key);
    changes.push({ prefix, value: trie.get(prefix) });
  }
  return changes;
}

/** A prefix up to eight bits longer, somewhere inside. */
function otherPrefix(prefix: Prefix, random: Random): Prefix {
  const bits = prefix.family === 4 ? 32 : 128;
  const length = Math.min(bits, prefix.length + 1 + random.below(8));
  const words = [prefix.w0, prefix.w1, prefix.w2, prefix.w3].map((word, position) => {
    const fixed = Math.min(32, Math.max(0, prefix.length - 32 * position));
    const isUsed = position === 0 || prefix.family === 6;
    return isUsed && fixed < 32 ? (word | (random.word() & (0xffffffff >>> fixed))) >>> 0 : word;
  });
  const [w0, w1, w2, w3] = maskWords(words as never, length);
  return { family: prefix.family, w0, w1, w2, w3, length };
}
