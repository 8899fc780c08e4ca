import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Reader, type Response } from "mmdb-lib";
import { formatPrefix } from "../../src/address/prefix.ts";
import { Catalogue } from "../../src/cbs/catalogue.ts";
import { CatalogueTree } from "../../src/cbs/catalogue-tree.ts";
import { importCatalogue } from "../../src/cbs/import-catalogue.ts";
import { freeze } from "../../src/table/freeze.ts";
import { noPublishedLists, readPublished } from "../cbs/published-lists.ts";
import { compareMmdb } from "./mmdb-reader.ts";
import { compareProgram, PROGRAMS } from "./programs/compare.ts";
import { bound, bytesOf, entriesOf, linesOf } from "./subjects.ts";
import { readers, same } from "./text-readers.ts";

/** The share of the addresses that programs are asked about of the bundled catalogue, whose prefixes are more. */
const SHARE = 0.1;

describe("exports of all published lists together", { skip: noPublishedLists }, () => {
  const { metadata, trie } = importCatalogue(readPublished, {
    title: "Test",
    createdAt: new Date("2026-11-21T00:00:00Z"),
  });
  const tree = new CatalogueTree(new Catalogue(metadata, freeze(trie)));
  const entries = [...entriesOf(bound(tree.catalogue))];

  for (const [format, member] of [
    ["csv", "own"],
    ["jsonl", "own"],
    ["nginx", "all"],
    ["haproxy", "all"],
    ["clickhouse", "all"],
  ] as const) {
    test(`${format}: every prefix with its ids`, (t) => {
      const lines = linesOf(tree, format);
      t.diagnostic(`${lines.length} lines`);
      const read = readers[format](lines).filter(([, ids]) => ids.length > 0);
      same(
        read,
        entries.map((entry) => [formatPrefix(entry.prefix), entry[member]]),
      );
    });
  }

  test("mmdb: every prefix and the addresses around it", (t) => {
    const bytes = bytesOf(tree, "mmdb");
    t.diagnostic(`${compareMmdb(tree, new Reader<Response>(bytes), 100)} addresses, ${bytes.length} bytes`);
  });

  for (const program of PROGRAMS) {
    test(`read by ${program.name}`, { skip: program.missing }, async (t) => {
      const [asked, found] = await compareProgram({ ...program, most: program.most * SHARE }, tree);
      t.diagnostic(`${asked} addresses, ${found} found`);
      assert.ok(found > asked / 4);
    });
  }
});
