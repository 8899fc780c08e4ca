import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { Packr } from "msgpackr";
import type { Catalogue } from "../../src/cbs/catalogue.ts";
import { type RowFormat, rowTemplate } from "../../src/cbs/row-template.ts";
import { rowTemplates } from "../../src/cbs/row-templates.ts";
import { catalogueOf } from "./catalogues.ts";

const FORMATS: readonly RowFormat[] = ["tsv", "csv", "jsonl", "append"];
const packr = new Packr({ useRecords: false });

function stored(metadata: unknown): Uint8Array {
  return Uint8Array.from(packr.pack(metadata));
}

/** Compares every template of every format; returns whether the catalogue was needed for tsv. */
function agrees(catalogue: Catalogue): boolean {
  let needed = false;
  for (const format of FORMATS) {
    const make = (): Catalogue => {
      needed ||= format === "tsv";
      return catalogue;
    };
    const templates = rowTemplates(catalogue.table, format, stored(catalogue.metadata), make);
    for (let match = 0; match <= catalogue.table.matchCount; match++) {
      assert.deepEqual(Buffer.from(templates(match)), Buffer.from(rowTemplate(catalogue, format, match)), `${format} ${match}`);
    }
  }
  return needed;
}

test("ids of printable ASCII are copied as they are stored", () => {
  assert.equal(agrees(catalogueOf([
    ["10.0.0.0/8", "/cloud/aws", "b", "a"], ["10.1.0.0/16", "ab", "/cdn/x", "b"], ["10.1.1.0/24", "=1"], ["10.2.0.0/16", "-1", "@x", "it's"],
    ["10.3.0.0/16", "'quoted"], ["10.4.0.0/16", "two words"], ["2001:db8::/32", "x".repeat(300)],
  ])), false);
});

test("quotes in csv, ids in other scripts, and many nodes take the general way, with the same rows", () => {
  agrees(catalogueOf([["10.0.0.0/8", 'with "quotes"', "plain"]]));
  assert.equal(agrees(catalogueOf([["10.0.0.0/8", "é💡", "plain"]])), true);
  agrees(catalogueOf([["10.0.0.0/8", ...Array.from({ length: 70 }, (_, at) => `label-${at}`)]]));
});

test("random catalogues give the same rows in both ways", () => {
  const id = fc.oneof(
    fc.constantFrom("/cloud/aws", "/cloud/aws/s3", "/cdn/x", "/cdn/xy"),
    fc.string({ unit: fc.constantFrom("a", "b", "-", "=", "'", '"', "/", " ", "~", "é"), minLength: 1, maxLength: 6 })
      .filter((text) => text.trim() === text && !text.startsWith("/")),
  );
  const entry = fc.tuple(fc.constantFrom("10.0.0.0/8", "10.1.0.0/16", "10.1.1.0/24", "11.0.0.0/8", "::/3", "2001:db8::/32"), fc.array(id, { minLength: 1, maxLength: 5 }));
  fc.assert(fc.property(fc.array(entry, { minLength: 1, maxLength: 8 }), (entries) => void agrees(catalogueOf(entries.map(([prefix, ids]) => [prefix, ...ids] as [string, ...string[]])))), { numRuns: 500, seed: 1 });
});

// What cannot be read in the short way is left to the catalogue, which tells what is wrong with it.
test("metadata of any other shape, cut short or damaged anywhere asks for the catalogue or gives ids of printable ASCII", () => {
  const { metadata, table } = catalogueOf([["10.0.0.0/8", "/cloud/aws", "b"], ["11.0.0.0/8", "c"]]);
  const asked = (bytes: Uint8Array): boolean => {
    class Asked extends Error {}
    try {
      const templates = rowTemplates(table, "append", bytes, () => {
        throw new Asked();
      });
      for (let match = 1; match <= table.matchCount; match++) assert.match(Buffer.from(templates(match)).toString("latin1"), /^\t[ -~]+$/);
      return false;
    } catch (error) {
      if (error instanceof Asked) return true;
      throw error;
    }
  };
  const bytes = stored(metadata);
  assert.equal(asked(bytes), false);
  for (const other of [null, 1, "nodes", [], {}, { nodes: null }, { nodes: {} }, { nodes: [1] }, { nodes: [{}] }, { nodes: [{ name: "x" }] }, { nodes: [{ id: 1 }] }]) assert.ok(asked(stored(other)), JSON.stringify(other));
  for (const id of ["", "a,b", " a", "a ", "a\tb", "a\x7f", "/a//b", "/a/", `${"/a".repeat(17)}`, "é"]) {
    assert.ok(asked(stored({ ...metadata, nodes: [{ id, name: "x" }, ...metadata.nodes] })), JSON.stringify(id));
  }
  for (let length = 0; length < bytes.length; length++) asked(bytes.subarray(0, length));
  for (let at = 0; at < bytes.length; at++) for (let value = 0; value < 256; value++) asked(bytes.with(at, value));
});
