import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { deserialize, serialize } from "node:v8";
import { cachePath, writeWhole } from "./cache.ts";
import { checksum } from "./checksum.ts";
import { requireExpected } from "./expected.ts";
import { Oracle } from "./oracle.ts";
import { makeQueries, QUERY_KINDS } from "./queries.ts";
import { routedTables } from "./routed.ts";
import { blocksIn, nestTable, sampleTable, singleAddresses } from "./table-data.ts";
import type { QueryKind, QuerySet } from "./queries.ts";
import type { TableData } from "./table-data.ts";

/** A table and its queries with their right answers. */
export interface Dataset {
  readonly table: TableData;
  readonly queries: Readonly<Record<QueryKind, QuerySet>>;
}

const MILLION = 1_000_000;
const SEED = 20261121;

interface Recipe {
  readonly table: (routed: ReturnType<typeof routedTables>) => TableData;
  readonly queryCount: number;
}

/**
 * routed: the ASN package's prefixes; nested: with covering prefixes added; blocklist: single addresses; hosts and sites:
 * /128 and /64 in routed prefixes; small and quick: samples.
 */
const RECIPES = {
  routed4: { table: ({ routed4 }) => routed4, queryCount: MILLION },
  routed6: { table: ({ routed6 }) => routed6, queryCount: MILLION },
  nested4: { table: ({ routed4 }) => nestTable(routed4, SEED), queryCount: MILLION },
  nested6: { table: ({ routed6 }) => nestTable(routed6, SEED), queryCount: MILLION },
  blocklist4: { table: () => singleAddresses(MILLION, SEED), queryCount: MILLION },
  hosts6: { table: ({ routed6 }) => blocksIn(routed6, MILLION / 4, 128, SEED), queryCount: MILLION },
  sites6: { table: ({ routed6 }) => blocksIn(routed6, MILLION / 4, 64, SEED), queryCount: MILLION },
  small4: { table: ({ routed4 }) => sampleTable(routed4, 100, SEED), queryCount: 10_000 },
  quick4: { table: ({ routed4 }) => sampleTable(routed4, 5_000, SEED), queryCount: 1_000 },
  quick6: { table: ({ routed6 }) => sampleTable(routed6, 5_000, SEED), queryCount: 1_000 },
} satisfies Record<string, Recipe>;

export type DatasetName = keyof typeof RECIPES;
export const DATASET_NAMES = Object.keys(RECIPES) as DatasetName[];

/** A list that is not part of the project: written by the run that reads it, and not in bench/expected.json. */
export type ListName = `list ${string}`;
export type AnyDataset = DatasetName | ListName;

let routed: ReturnType<typeof routedTables> | undefined;

/** Makes the dataset anew; the routed tables are read once per process. */
function makeDataset(name: DatasetName): Dataset {
  const recipe: Recipe = RECIPES[name];
  routed ??= routedTables();
  return withQueries(recipe.table(routed), recipe.queryCount);
}

function withQueries(table: TableData, queryCount: number): Dataset {
  const oracle = new Oracle(table);
  const queries = QUERY_KINDS.map((kind) => [kind, makeQueries(table, oracle, kind, queryCount, SEED)] as const);
  return { table, queries: Object.fromEntries(queries) as Record<QueryKind, QuerySet> };
}

/** Puts a list with queries and their right answers into the cache, in place of one of that name. */
export function writeList(name: ListName, table: TableData, queryCount: number): Promise<void> {
  return writeDataset(pathOf(name), withQueries(table, queryCount));
}

/** The checksums of a dataset, in the form in which bench/expected.json holds them. */
function datasetChecksums({ table, queries }: Dataset): object {
  const ofQueries = QUERY_KINDS.map((kind) => {
    const { words, answers } = queries[kind];
    const hits = answers.reduce((sum, answer) => sum + (answer === 0 ? 0 : 1), 0);
    return [kind, { count: answers.length, hits, words: checksum(words), answers: checksum(answers) }];
  });
  const prefixes = checksum(table.words, table.lengths, table.values);
  return { prefixCount: table.count, prefixes, queries: Object.fromEntries(ofQueries) };
}

/** Writes the dataset into the cache where it is missing. Throws for a dataset other than the expected one. */
export async function ensureDataset(name: AnyDataset): Promise<void> {
  const path = pathOf(name);
  if (existsSync(path)) return;
  if (isList(name)) throw new Error(`${name} was not written`);
  const dataset = makeDataset(name);
  requireExpected(name, datasetChecksums(dataset));
  await writeDataset(path, dataset);
}

/**
 * Makes the dataset, puts it into the cache and returns its checksums: for bench/expect.ts, which accepts what it
 * finds.
 */
export async function acceptDataset(name: DatasetName): Promise<object> {
  const dataset = makeDataset(name);
  await writeDataset(pathOf(name), dataset);
  return datasetChecksums(dataset);
}

function writeDataset(path: string, dataset: Dataset): Promise<void> {
  return writeWhole(path, (temporary) => writeFileSync(temporary, serialize(dataset)));
}

/** Reads a dataset that `ensureDataset` has put into the cache, and checks it again. */
export function readDataset(name: AnyDataset): Dataset {
  const dataset = deserialize(readFileSync(pathOf(name))) as Dataset;
  if (!isList(name)) requireExpected(name, datasetChecksums(dataset));
  return dataset;
}

function isList(name: AnyDataset): name is ListName {
  return name.startsWith("list ");
}

function pathOf(name: AnyDataset): string {
  return cachePath(`${name.replaceAll(/[^\w.]/g, "-")}.v8`);
}
