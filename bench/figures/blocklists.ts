import { trieOf } from "../contenders/ipsieve.ts";
import { type Blocklist, readBlocklists } from "../data/blocklists.ts";
import { checksum } from "../data/checksum.ts";
import { type ListName, writeList } from "../data/dataset.ts";
import type { TableData } from "../data/table-data.ts";
import { freeze } from "../../src/table/freeze.ts";
import { compareLookups } from "./compare-lookups.ts";
import { collectGarbage, summarize, type Measurement, type Part, type PartResult } from "./part.ts";

const QUERIES = 1 << 16;
/** Of fewer addresses the heap before and after says nothing about the Set: it moves by as much without one. */
const SET_MEMORY_FROM = 20_000;
const TURNS = { rounds: 5, milliseconds: 20, singleCount: 1 << 14 } as const;

/**
 * Lists that are in use, each and united: lookups beside `net.BlockList` and, where a list has single IPv4 addresses
 * only, a `Set` of numbers, and the memory of both, of a `Set` only where it is large enough to be measured. The lists are not part of the project, so their checksums are in
 * the notes of the record and not in expected.json.
 */
export const part: Part = async () => {
  const results: PartResult[] = [];
  for (const list of readBlocklists()) results.push(await compareList(list));
  return {
    measurements: results.flatMap(({ measurements }) => measurements),
    refusals: results.flatMap(({ refusals }) => refusals),
    notes: results.flatMap(({ notes }) => notes),
  };
};

async function compareList({ name, table }: Blocklist): Promise<PartResult> {
  const dataset: ListName = `list ${name}`;
  await writeList(dataset, table, QUERIES);
  const isSingles = table.family === 4 && table.lengths.every((length) => length === 32);
  const contenders = ["ipsieve", "ipsieve-kernel", "net-block-list", ...(isSingles ? ["set"] : [])];
  const { measurements, refusals } = await compareLookups({ table: dataset, contenders, ...TURNS });
  const sum = checksum(table.words, table.lengths, table.values);
  return {
    measurements: [...measurements, ...memoryOf(dataset, table, isSingles)],
    refusals,
    notes: [`blocklists: ${name}: ${table.count} prefixes, checksum ${sum}`],
  };
}

function memoryOf(dataset: ListName, table: TableData, isSingles: boolean): Measurement[] {
  const bytesOf = (subject: string, bytes: number): Measurement => ({
    subject,
    table: dataset,
    unit: "bytes/prefix",
    ...summarize([bytes / table.count]),
  });
  const ours = bytesOf("ipsieve", freeze(trieOf(table)).byteLength);
  const isSetMeasured = isSingles && table.count >= SET_MEMORY_FROM;
  return isSetMeasured ? [ours, bytesOf("Set", bytesOfSet(table.words))] : [ours];
}

function bytesOfSet(words: Uint32Array): number {
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  const set = new Set<number>(words);
  collectGarbage();
  const bytes = process.memoryUsage().heapUsed - before;
  if (set.size !== words.length) throw new Error(`the Set holds ${set.size} of ${words.length} addresses`);
  return bytes;
}
