import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { formatPrefix } from "../../../src/address/prefix.ts";
import { Catalogue } from "../../../src/cbs/catalogue.ts";
import { importCatalogue } from "../../../src/cbs/import-catalogue.ts";
import type { ImportedList } from "../../../src/cbs/importers/imported-list.ts";
import { SOURCES } from "../../../src/cbs/importers/sources.ts";
import { freeze } from "../../../src/table/freeze.ts";
import { type Counts, SMALL_LISTS } from "./small-lists.ts";

// What published-lists.test.ts checks on the published lists, where they are available, is checked everywhere on a
// small list of each format.

const files = new Map(SOURCES.flatMap((source) => source.files.map((file) => [file.path, file])));

function countsOf({ entries }: ImportedList): Counts {
  const of = (family: 4 | 6): string[] =>
    entries.filter(({ prefix }) => prefix.family === family).map(({ prefix }) => formatPrefix(prefix));
  return { ipv4: of(4).length, ipv6: of(6).length, distinct4: new Set(of(4)).size, distinct6: new Set(of(6)).size };
}

test("every file of every source has a small list, and each list a source", () => {
  assert.deepEqual(SMALL_LISTS.flatMap(({ paths }) => paths).sort(), [...files.keys()].sort());
});

describe("a small list in the format of", () => {
  for (const { paths, text, counts } of SMALL_LISTS) {
    for (const path of paths) {
      test(`${path}: ${counts.ipv4} IPv4 and ${counts.ipv6} IPv6 prefixes`, () => {
        const list = files.get(path)!.importer(text);
        assert.deepEqual(countsOf(list), counts);
        for (const code of ["host-bits", "unknown-member"] as const)
          assert.equal(list.warningCounts[code], undefined, JSON.stringify(list.warnings));
        assert.ok(list.entries.every(({ places }) => places.length > 0));
      });
    }

    test(`${paths[0]}: negative control: a missing prefix is detected`, () => {
      const less = text.replace(/192\.0\.2\.0\/24|2001:db8::\/48/, "203.0.113.0/24");
      assert.notEqual(less, text);
      assert.notDeepEqual(countsOf(files.get(paths[0]!)!.importer(less)), counts);
    });
  }
});

describe("together they are a catalogue of all sources", () => {
  const texts = new Map(SMALL_LISTS.flatMap(({ paths, text }) => paths.map((path) => [path, text])));
  const { reports, trie, metadata } = importCatalogue((path) => texts.get(path), {
    title: "Small",
    createdAt: new Date("2026-11-22T00:00:00Z"),
  });

  test("except for what one removes from another", () => {
    assert.deepEqual(
      reports.filter(({ status }) => status !== "imported").map(({ source, error }) => [source.id, error]),
      [],
    );
    assert.deepEqual(
      [...trie].map(({ prefix }) => formatPrefix(prefix)),
      ["192.0.2.0/24", "198.51.100.7", "2001:db8::/48", "2001:db8:1::/64"],
    );
  });

  test("whose node ids are permanent: lines only ever come to node-ids.txt", () => {
    const lines = new Catalogue(metadata, freeze(trie)).nodes.map(({ id, name }) => `${id}\t${name}`);
    const known = readFileSync(new URL("node-ids.txt", import.meta.url), "utf8")
      .trimEnd()
      .split("\n");
    assert.deepEqual(lines.sort(), known.sort());
  });
});
