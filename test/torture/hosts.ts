/**
 * `npm run torture -- hosts [--lookups N] [--seed N]`: large lists of single IPv4 addresses, which are in buckets, against
 * a byte for each of the 2^32 addresses, painted prefix by prefix. Half of the lookups are of hosts and their neighbours,
 * all by the kernel and one in ten in TypeScript as well. Prints the counts; exits 1 at the first difference. Ends with
 * the negative control: an address painted wrongly must be noticed. Needs some 5 GB of memory.
 */
import { parseArgs } from "node:util";
import { Matcher } from "../../src/batch/engine/matcher.ts";
import { freeze } from "../../src/table/freeze.ts";
import type { MatchId } from "../../src/table/match-id.ts";
import type { PrefixTable } from "../../src/table/prefix-table.ts";
import { PrefixPairs } from "../../src/trie/prefix-pairs.ts";
import { seededRandom } from "../table/differential.ts";

const { values: options } = parseArgs({
  options: { lookups: { type: "string", default: "100000000" }, seed: { type: "string", default: "1" } },
});
const GROUP = 1 << 18;

const SHAPES = [
  { name: "anywhere", hosts: 1_000_000, side: 1, values: 1, prefixes: 0 },
  { name: "three million anywhere", hosts: 3_000_000, side: 1, values: 1, prefixes: 0 },
  { name: "anywhere, with 200 values", hosts: 1_200_000, side: 1, values: 200, prefixes: 0 },
  { name: "64 in each /24, with 3 values", hosts: 1_200_000, side: 64, values: 3, prefixes: 0 },
  { name: "among 20,000 prefixes, with 2 values", hosts: 1_500_000, side: 4, values: 2, prefixes: 20_000 },
] as const;

const random = seededRandom(Number(options.seed));
/** The value of each address, 0 for none. */
const painted = new Uint8Array(2 ** 32);
const [words, found] = [new Uint32Array(GROUP), new Uint32Array(GROUP)];

interface List {
  readonly table: PrefixTable;
  readonly matcher: Matcher;
  readonly hosts: Uint32Array;
}

/** Paints the list as well: wider prefixes first, so that the most specific one stays. */
function listOf({ hosts: count, side, values, prefixes }: (typeof SHAPES)[number]): List {
  painted.fill(0);
  const pairs = new PrefixPairs();
  const add = (word: number, length: number, value: number): void => {
    const size = 2 ** (32 - length);
    const first = Math.floor(word / size) * size;
    pairs.add(4, first, 0, 0, 0, length, value);
    painted.fill(value, first, first + size);
  };
  const lengths = Array.from({ length: prefixes }, () => 22 + (random() % 3)).sort((a, b) => a - b);
  const seen = new Set<string>();
  for (const length of lengths) {
    const word = random();
    const key = `${word >>> (32 - length)}/${length}`;
    if (!seen.has(key)) add(word, length, 1 + (random() % values));
    seen.add(key);
  }
  const hosts = new Set<number>();
  while (hosts.size < count) {
    const near = random();
    for (let i = 0; i < side; i++) hosts.add(side === 1 ? near : ((near & 0xffff_ff00) | (random() & 0xff)) >>> 0);
  }
  for (const host of hosts) add(host, 32, 1 + (random() % values));
  const table = freeze(pairs);
  if (!table.layout(4).kinds.some(({ kind }) => kind === "hosts")) throw new Error("the list is not in buckets");
  return { table, matcher: new Matcher(table), hosts: Uint32Array.from(hosts) };
}

/** Compares a group of lookups; the first address that differs, -1 for none. */
function differing({ table, matcher, hosts }: List): number {
  for (let i = 0; i < GROUP; i++) {
    const host = hosts[random() % hosts.length]!;
    words[i] = i % 2 === 0 ? random() : i % 4 === 1 ? host : host ^ (1 << (random() & 31));
  }
  matcher.lookupBatchInto(4, words, found);
  for (let i = 0; i < GROUP; i++) {
    const match = found[i]! as MatchId;
    const isWrong =
      (match === 0 ? 0 : table.value(match)) !== painted[words[i]!] ||
      (i % 10 === 0 && table.lookup4(words[i]!) !== match);
    if (isWrong) return words[i]!;
  }
  return -1;
}

let lookups = 0;
for (const shape of SHAPES) {
  const list = listOf(shape);
  const end = lookups + Number(options.lookups) / SHAPES.length;
  for (; lookups < end; lookups += GROUP) {
    const word = differing(list);
    if (word < 0) continue;
    console.error(`seed ${options.seed}, ${shape.name}: ${word} is value ${painted[word]}`);
    process.exit(1);
  }
  console.log(`${shape.name}: no difference`);
  if (shape !== SHAPES.at(-1)) continue;
  for (const host of list.hosts.subarray(0, 1_000)) painted[host] = 255;
  let groups = 0;
  while (groups < 1_000 && differing(list) < 0) groups++;
  if (groups === 1_000) throw new Error("the negative control, a thousand addresses painted wrongly, went unnoticed");
}
console.log(
  `seed ${options.seed}: ${lookups} lookups by the kernel, a tenth in TypeScript as well, 0 differences; negative control noticed`,
);
