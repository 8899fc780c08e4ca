import type { Family } from "../../src/address/address.ts";
import { Kernel } from "../../src/kernel/kernel.ts";
import { WORKSPACE_BYTES } from "../../src/kernel/workspace.ts";
import { webAssembly } from "../../src/memory/web-assembly.ts";
import { buildIndex } from "../../src/table/_node-builder.ts";
import { ROOT_BITS_4, ROOT_BITS_6 } from "../../src/table/_root-sizes.ts";
import { hostsIn } from "../../src/table/_header.ts";
import { walkOf } from "../../src/table/_host-walk.ts";
import { freeze, freezeWith } from "../../src/table/freeze.ts";
import type { PrefixTable } from "../../src/table/prefix-table.ts";
import type { TableLayout } from "../../src/table/table-layout.ts";
import { trieOf } from "../contenders/ipsieve.ts";
import { Random } from "../data/random.ts";
import { routedTables } from "../data/routed.ts";
import { blocksIn, sampleTable, singleAddresses, type TableData } from "../data/table-data.ts";

const SEED = 20_261_123;
const PAGE_BYTES = 65_536;
const QUERIES = 1 << 18;
/** For the family that has no prefixes. */
const SMALLEST_ROOT = { 4: ROOT_BITS_4[0], 6: ROOT_BITS_6[0] };

/** A table under the kernel, with queries for its segments, each as likely as any other. */
export class Sample {
  readonly name: string;
  readonly nodes: string;
  readonly layout: TableLayout;
  /** Nanoseconds of a lookup in the fastest round, by processor time. */
  best = Infinity;
  readonly #lookUp: () => void;

  constructor(name: string, nodes: string, table: PrefixTable, family: Family) {
    this.name = name;
    this.nodes = nodes;
    this.layout = table.layout(family);
    this.#lookUp = lookups(table, family, queriesOf(table, family));
    this.#lookUp(); // until the pages are there
  }

  measure(): void {
    const start = process.cpuUsage();
    this.#lookUp();
    const { user, system } = process.cpuUsage(start);
    this.best = Math.min(this.best, ((user + system) * 1000) / QUERIES);
  }
}

/** Tables of every shape, root size and preference of nodes; a size whose root is most of the table is left out. */
export function* samples(): Generator<Sample> {
  for (const [name, data] of shapes()) {
    const trie = trieOf(data);
    for (const rootBits of data.family === 4 ? ROOT_BITS_4 : ROOT_BITS_6)
      for (const sortedKeys of [false, true]) {
        if (2 ** rootBits > 8 * data.count) continue;
        const table = freezeWith(trie, {}, (segments) =>
          buildIndex(segments, segments.family === data.family ? rootBits : SMALLEST_ROOT[segments.family], {
            sortedKeys,
          }),
        );
        yield new Sample(name, sortedKeys ? "sorted" : "mixed", table, data.family);
      }
  }
  // So many are in a hash table by themselves.
  yield new Sample("1,000,000 addresses", "hosts", freeze(trieOf(singleAddresses(1_000_000, SEED))), 4);
}

function* shapes(): Generator<readonly [string, TableData]> {
  const { routed4, routed6 } = routedTables();
  yield ["routed IPv4", routed4];
  yield ["routed IPv4, 1/20", sampleTable(routed4, Math.trunc(routed4.count / 20), SEED)];
  yield ["300,000 addresses", singleAddresses(300_000, SEED)];
  yield ["30,000 addresses", singleAddresses(30_000, SEED)];
  yield ["routed IPv6", routed6];
  yield ["hosts in IPv6", blocksIn(routed6, 100_000, 128, SEED)];
}

/** First addresses of segments, drawn at random. */
function queriesOf(table: PrefixTable, family: Family): Uint32Array {
  const size = family === 4 ? 1 : 4;
  const starts: number[] = [];
  const section = (name: "header" | "root4" | "nodes4" | "root6" | "nodes6"): Int32Array =>
    new Int32Array(table.buffer, table.sections[name].byteOffset, table.sections[name].byteLength / 4);
  const index = { family, root: section(`root${family}`), nodes: section(`nodes${family}`) };
  const walk = walkOf({ ...index, hosts: family === 4 ? hostsIn(section("header")) : null }, table.matchCount);
  while (walk.advance()) for (let word = 0; word < size; word++) starts.push(walk.start[word]!);
  const random = new Random(SEED);
  const words = new Uint32Array(QUERIES * size);
  for (let i = 0; i < QUERIES; i++) {
    const segment = random.below(starts.length / size);
    for (let word = 0; word < size; word++) words[i * size + word] = starts[segment * size + word]!;
  }
  return words;
}

/** Runs all queries through a kernel with a memory of its own. */
function lookups(table: PrefixTable, family: Family, words: Uint32Array): () => void {
  const pages = (bytes: number): number => Math.ceil(bytes / PAGE_BYTES);
  const workspace = pages(table.byteLength) * PAGE_BYTES;
  const queries = workspace + WORKSPACE_BYTES;
  const matches = queries + words.byteLength;
  const initial = pages(matches + QUERIES * 4) + 1;
  const memory = new (webAssembly()!.Memory)({ initial, maximum: 65_536, shared: true });
  new Uint8Array(memory.buffer).set(new Uint8Array(table.buffer));
  new Uint32Array(memory.buffer, queries, words.length).set(words);
  const kernel = Kernel.create(memory, table.sections, workspace);
  if (kernel === null) throw new Error("WebAssembly, or what the kernel needs of it, is missing");
  return family === 4
    ? () => kernel.lookupBatch4(queries, matches, QUERIES)
    : () => kernel.lookupBatch6(queries, matches, QUERIES);
}
