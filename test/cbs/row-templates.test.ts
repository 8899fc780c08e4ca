import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { rowTemplate } from "../../src/cbs/row-template.ts";
import { OWN_PREFIX_HOLE } from "../../src/rows/holes.ts";
import type { TemplateFormat } from "../../src/rows/row-format.ts";
import { rowTemplates, sharedRowTemplates, type SharedRowTemplates } from "../../src/cbs/row-templates.ts";
import { Catalogue } from "../../src/cbs/catalogue.ts";
import { CatalogueBuilder } from "../../src/cbs/catalogue-builder.ts";
import { parsePrefix } from "../../src/address/prefix.ts";
import { freeze } from "../../src/table/freeze.ts";
import { catalogueOf, CREATED, entries } from "./catalogues.ts";
import type { MatchId } from "../../src/table/match-id.ts";

const LF = 0x0a;
const FORMATS: readonly TemplateFormat[] = ["tsv", "csv", "jsonl", "append"];

/** Compares every template of every format, by match and shared. */
function agrees(catalogue: Catalogue): void {
  for (const format of FORMATS) {
    const templates = rowTemplates(catalogue, format);
    const shared = sharedRowTemplates(catalogue, format);
    const byKey = new Map<number, Buffer>();
    for (let match = 0 as MatchId; match <= catalogue.table.matchCount; match++) {
      assert.deepEqual(
        Buffer.from(templates(match)),
        Buffer.from(rowTemplate(catalogue, format, match)),
        `${format} ${match}`,
      );
      const key = shared.keyOf(match);
      assert.ok(key >= 0 && key < shared.keyCount && (key === 0) === (match === 0));
      const own = Buffer.from(shared.templateOf(match));
      assert.deepEqual(own, Buffer.from(rowTemplate(catalogue, format, match, OWN_PREFIX_HOLE)), `${format} ${match}`);
      assert.deepEqual(byKey.get(key) ?? own, own, `the key ${key} stands for several templates`);
      byKey.set(key, own);
      const text = textOf(shared, match);
      if (text !== null) assert.equal(own.subarray(shared.front!.length).toString("latin1"), text);
    }
  }
}

/** What is made at once of the row of a match, without the newline where templates have none; null if nothing is. */
function textOf({ front, texts }: SharedRowTemplates, match: MatchId): string | null {
  const made = texts();
  const start = made?.startOf[match] ?? 0;
  if (made === null || start === 0) return null;
  assert.ok(front !== null && made.bytes[0] === LF && made.startOf.length > match);
  return Buffer.from(made.bytes.subarray(start, made.bytes.indexOf(LF, start) + (front.length > 1 ? 1 : 0))).toString();
}

test("ids of printable ASCII are copied as bytes", () => {
  agrees(
    catalogueOf([
      ["10.0.0.0/8", "/cloud/aws", "b", "a"],
      ["10.1.0.0/16", "ab", "/cdn/x", "b"],
      ["10.1.1.0/24", "=1"],
      ["10.2.0.0/16", "-1", "@x", "it's"],
      ["10.3.0.0/16", "'quoted"],
      ["10.4.0.0/16", "two words"],
      ["2001:db8::/32", "x".repeat(300)],
    ]),
  );
});

test("prefixes with one label that nothing covers share its template", () => {
  const { table, ...rest } = catalogueOf([
    ["10.0.0.0/8", "a"],
    ["11.0.0.0/16", "a"],
    ["12.0.0.0/16", "b"],
    ["13.0.0.0/8", "a", "b"],
    ["11.0.1.0/24", "a"],
  ]);
  const { keyOf } = sharedRowTemplates(new Catalogue(rest.metadata, table), "tsv");
  const key = (address: string): number => keyOf(table.lookup(address));
  assert.equal(key("10.0.0.1"), key("11.0.0.1"));
  assert.equal(new Set(["10.0.0.1", "11.0.1.1", "12.0.0.1", "13.0.0.1", "9.9.9.9"].map(key)).size, 5);
});

test("the texts of matches with one id and nothing above are made at once", () => {
  const catalogue = catalogueOf([
    ["10.0.0.0/8", "a"],
    ["10.1.0.0/16", "a"],
    ["11.0.0.0/8", "a", "b"],
    ["12.0.0.0/8", "/cloud/aws"],
    ["13.0.0.0/8", "=1"],
    ["14.0.0.0/8", 'q"q'],
  ]);
  const addresses = ["9.9.9.9", "10.0.0.1", "10.1.0.1", "11.0.0.1", "12.0.0.1", "13.0.0.1", "14.0.0.1"];
  const textsOf = (format: TemplateFormat): (string | null)[] => {
    const shared = sharedRowTemplates(catalogue, format);
    return addresses.map((address) => textOf(shared, catalogue.table.lookup(address)));
  };
  assert.deepEqual(textsOf("tsv"), [null, "a\n", null, null, "/cloud/aws\n", "=1\n", 'q"q\n']);
  assert.deepEqual(textsOf("csv"), [null, "a\n", null, null, "/cloud/aws\n", null, null]);
  assert.deepEqual(textsOf("append"), [null, "a", null, null, "/cloud/aws", "=1", 'q"q']);
  assert.deepEqual(new Set(textsOf("jsonl")), new Set([null]));
});

test("quotes in csv, ids in other scripts, and many nodes take the general path, with the same rows", () => {
  agrees(catalogueOf([["10.0.0.0/8", 'with "quotes"', "plain"]]));
  agrees(catalogueOf([["10.0.0.0/8", "é💡", "plain"]]));
  agrees(catalogueOf([["10.0.0.0/8", ...Array.from({ length: 70 }, (_, at) => `label-${at}`)]]));
});

test("random catalogues yield the same rows by both paths", () => {
  const id = fc.oneof(
    fc.constantFrom("/cloud/aws", "/cloud/aws/s3", "/cdn/x", "/cdn/xy"),
    fc
      .string({ unit: fc.constantFrom("a", "b", "-", "=", "'", '"', "/", " ", "~", "é"), minLength: 1, maxLength: 6 })
      .filter((text) => text.trim() === text && !text.startsWith("/")),
  );
  const entry = fc.tuple(
    fc.constantFrom("10.0.0.0/8", "10.1.0.0/16", "10.1.1.0/24", "11.0.0.0/8", "::/3", "2001:db8::/32"),
    fc.array(id, { minLength: 1, maxLength: 5 }),
  );
  fc.assert(
    fc.property(fc.array(entry, { minLength: 1, maxLength: 8 }), (entries) =>
      agrees(catalogueOf(entries.map(([prefix, ids]) => [prefix, ...ids] as [string, ...string[]]))),
    ),
    { numRuns: 500, seed: 1 },
  );
});

test("ids with regions, services, escapes and other scripts yield the same rows by both paths", () => {
  fc.assert(
    fc.property(entries, (lines) => agrees(catalogueOf(lines))),
    { numRuns: 500, seed: 2 },
  );
});

test("rows of JSON name the sources, escaped, by both paths", () => {
  const about = { version: null, url: null, license: null, attribution: null, changedAt: null };
  const fetchedAt = "2026-06-16T00:00:00.000Z";
  const sources = [
    { ...about, id: null, name: 'my "own" \\ é list', publishedAt: null, fetchedAt },
    { ...about, id: "aws", name: "AWS", publishedAt: null, fetchedAt: null },
  ];
  const builder = new CatalogueBuilder();
  builder.add(parsePrefix("10.0.0.0/8"), "/cloud/aws", "aws");
  builder.add(parsePrefix("10.0.0.0/8"), "/cloud/aws", sources[0]!.name);
  builder.add(parsePrefix("10.1.0.0/16"), "b".repeat(900), sources[0]!.name);
  const { trie, metadata } = builder.build({ title: "Test", createdAt: CREATED, sources });
  const catalogue = new Catalogue(metadata, freeze(trie));
  agrees(catalogue);
  const row = Buffer.from(rowTemplates(catalogue, "jsonl")(catalogue.table.matchCount as MatchId)).toString();
  assert.match(row, /"source":"my \\"own\\" \\\\ é list","source_updated_at":"2026-06-16T00:00:00.000Z"/);
});
