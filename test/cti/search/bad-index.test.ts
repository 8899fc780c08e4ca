import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { Random } from "../../../bench/data/random.ts";
import { CtiError } from "../../../src/cti/cti-error.ts";
import { CtiDataset } from "../../../src/cti/dataset.ts";
import { buildingIndex } from "../../../src/cti/search/build-index.ts";
import { checkIndex } from "../../../src/cti/search/check-index.ts";
import { CtiSearch } from "../../../src/cti/search/cti-search.ts";
import { parseQuery } from "../../../src/cti/search/parse-query.ts";
import { SEARCH_FIELDS } from "../../../src/cti/search/search-fields.ts";
import type { StoredIndex } from "../../../src/cti/search/stored-index.ts";
import { ctiDatasetOf } from "../../../src/datasets/cti-dataset-from-bytes.ts";
import { openCtiDataset } from "../../../src/datasets/open-cti-dataset.ts";
import { openSnapshot } from "../../../src/snapshot/open-snapshot.ts";
import { writeSnapshot } from "../../../src/snapshot/write-snapshot.ts";
import { finished } from "../../../src/turns/finished.ts";
import { rounds } from "../../rounds.ts";
import { inTemporaryFolder } from "../../snapshot/harness/sample.ts";
import { randomEntries, searchedDataset, TODAY } from "./searched-dataset.ts";

const QUERIES = [
  'rdns:"*a*" OR tag:mirai',
  "NOT port > 3 AND asn exists",
  "ip:198.51.0.0/16",
  "last_seen:9d",
  "city:prague",
]
  .map((text) => text.replace("asn exists", "asn >= 0"))
  .map(parseQuery);

/** Asks for everything that reads an index. */
function askAll(dataset: CtiDataset): void {
  const search = finished(CtiSearch.opening(dataset, null));
  for (const query of QUERIES) {
    const found = finished(search.finding(query, TODAY * 86_400_000));
    for (const row of found.rows()) dataset.table.get(search.prefixAt(row));
    for (const field of SEARCH_FIELDS) finished(found.counting(field, 3));
  }
}

function withIndex({ metadata, table }: CtiDataset, index: unknown): CtiDataset {
  return new CtiDataset({ ...metadata, index }, table);
}

const { dataset } = searchedDataset(randomEntries(new Random(5), 60));
const index = finished(buildingIndex(dataset));

test("an index in a file finds what one in memory finds, and is the one of its documents", async () => {
  await inTemporaryFolder(async (folder) => {
    const path = join(folder, "cti.ipsieve");
    await writeSnapshot(path, { table: dataset.table, metadata: { ...dataset.metadata, index }, kind: "cti" });
    const opened = ctiDatasetOf(await openSnapshot(path), path);
    askAll(opened);
    checkIndex(opened);
    const [inFile, inMemory] = [opened, dataset].map((each) => finished(CtiSearch.opening(each, null)));
    for (const query of QUERIES)
      assert.deepEqual(
        [...finished(inFile!.finding(query, 0)).rows()],
        [...finished(inMemory!.finding(query, 0)).rows()],
      );
    // Other uses of the file do not change.
    assert.deepEqual((await openCtiDataset(path)).lookup("198.51.0.1"), dataset.lookup("198.51.0.1"));
  });
});

test("whatever bytes an index has, it is answered or refused as corrupt, and the check refuses every change", () => {
  const random = new Random(7);
  for (let i = 0; i < rounds({ short: 60, long: 3000 }); i++) {
    const changed = structuredClone(index) as StoredIndex;
    const parts = [changed, ...Object.values(changed.fields)].flatMap((each) =>
      Object.values(each).filter((part): part is Uint8Array => part instanceof Uint8Array && part.length > 0),
    );
    const part = parts[random.below(parts.length)]!;
    part[random.below(part.length)]! ^= 1 << random.below(8);
    const corrupt = withIndex(dataset, changed);
    try {
      askAll(corrupt);
    } catch (error) {
      assert.ok(error instanceof CtiError, String(error));
    }
    assert.throws(() => checkIndex(corrupt), CtiError);
  }
});

test("an index of another shape is refused when it is first used, and lookups do without it", () => {
  const { fields } = index;
  const bad: unknown[] = [
    null,
    7,
    {},
    { ...index, format: 2 },
    { format: 1 },
    { ...index, fields: [] },
    { ...index, fields: { ...fields, tags: undefined } },
    { ...index, fields: { ...fields, tags: { ...fields.tags, ends: new Uint8Array(3) } } },
  ];
  for (const each of bad) {
    const corrupt = withIndex(dataset, each);
    assert.deepEqual(corrupt.lookup("198.51.0.1"), dataset.lookup("198.51.0.1"));
    assert.throws(() => askAll(corrupt), CtiError);
    assert.throws(() => checkIndex(corrupt), CtiError);
  }
});
