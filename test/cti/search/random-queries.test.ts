import assert from "node:assert/strict";
import { test } from "node:test";
import { Random } from "../../../bench/data/random.ts";
import { formatPrefix } from "../../../src/address/prefix.ts";
import { CtiSearch } from "../../../src/cti/search/cti-search.ts";
import { parseQuery } from "../../../src/cti/search/parse-query.ts";
import { printQuery } from "../../../src/cti/search/print-query.ts";
import { QueryError } from "../../../src/cti/search/query-error.ts";
import { finished } from "../../../src/turns/finished.ts";
import { searchByReading, type SearchedDocument, type Wanted } from "../../oracle/search-oracle.ts";
import { rounds } from "../../rounds.ts";
import { randomWanted, writtenQuery } from "./random-query.ts";
import { randomEntries, searchedDataset, TODAY } from "./searched-dataset.ts";

const NOW = TODAY * 86_400_000 + 3_600_000;
const QUERIES_PER_DATASET = 100;
const seed = Number(process.env["TEST_SEED"] ?? 1) + 1;

/** The prefixes that a query finds, in order, and its count. */
function found(search: CtiSearch, text: string): { ips: string[]; count: number } {
  const rows = finished(search.finding(parseQuery(text), NOW));
  return { ips: [...rows.rows()].map((row) => formatPrefix(search.prefixAt(row))), count: rows.count };
}

/** Few random queries are so large. */
function exceedsLimit(text: string): boolean {
  try {
    parseQuery(text);
    return false;
  } catch (error) {
    if (error instanceof QueryError && error.code === "limit") return true;
    throw error;
  }
}

/** The first query of random ones whose answer differs from reading every document. */
function firstDifference(
  random: Random,
  search: CtiSearch,
  documents: readonly SearchedDocument[],
  count: number,
): { text: string; wanted: Wanted; ips: string[]; expected: string[] } | undefined {
  for (let i = 0; i < count; i++) {
    const wanted = randomWanted(random, 3);
    const text = writtenQuery(random, wanted);
    if (exceedsLimit(text)) {
      i--;
      continue;
    }
    const canonical = printQuery(parseQuery(text));
    assert.equal(printQuery(parseQuery(canonical)), canonical, text);
    const expected = searchByReading(documents, wanted, NOW).map(({ ip }) => ip);
    for (const each of [text, canonical]) {
      const { ips, count: size } = found(search, each);
      assert.equal(size, ips.length);
      if (ips.join() !== expected.join()) return { text: each, wanted, ips, expected };
    }
  }
  return undefined;
}

test("random queries find what reading every document finds, as written and in canonical form", () => {
  const datasets = rounds({ short: 6, long: 350 });
  for (let i = 0; i < datasets; i++) {
    const random = new Random(seed * 7919 + i);
    const { dataset, networks, documents } = searchedDataset(randomEntries(random, [1, 20, 31, 70, 300][i % 5]!));
    const search = finished(CtiSearch.opening(dataset, networks));
    assert.equal(
      firstDifference(random, search, documents, QUERIES_PER_DATASET),
      undefined,
      `seed ${seed}, dataset ${i}`,
    );
  }
});

test("one document that differs in one value is noticed", () => {
  // Always the same queries: those of some seeds never ask for what this document has.
  const random = new Random(2);
  const entries = randomEntries(random, 20);
  const { dataset, networks } = searchedDataset(entries);
  const [[prefix, known], ...others] = entries as [(typeof entries)[number], ...typeof entries];
  const changed = searchedDataset([
    ...others,
    [prefix, { ...known, tags: ["another"], ports: [1], cve: ["CVE-1999-0001"] }],
  ]);
  const search = finished(CtiSearch.opening(dataset, networks));
  assert.notEqual(firstDifference(random, search, changed.documents, 5_000), undefined);
});
