/** Labels name each node once: "Akamai > Prolexic", not "Akamai > Akamai Prolexic". */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Catalogue } from "../../src/cbs/catalogue.ts";
import { importCatalogue } from "../../src/cbs/import-catalogue.ts";
import { openCatalogue } from "../../src/datasets/open-catalogue.ts";
import { freeze } from "../../src/table/freeze.ts";
import { SMALL_LISTS } from "./importers/small-lists.ts";

/** "Perplexity-User" is one word: it is the crawler's own name. */
const wordsOf = (text: string): string[] => text.toLowerCase().split(/\s+/);

/** Whether a name starts with the whole of the name before it. */
function isDoubled(label: string): boolean {
  const names = label.split(" > ").map(wordsOf);
  return names.some((name, at) => at > 0 && names[at - 1]!.every((word, place) => name[place] === word));
}

const doubledIn = ({ nodes }: Catalogue): string[] => nodes.map(({ label }) => label).filter(isDoubled);

test("no label of the bundled catalogue repeats a name", async () => {
  const catalogue = await openCatalogue();
  assert.ok(catalogue.nodes.length > 100);
  assert.deepEqual(doubledIn(catalogue), []);
});

test("no label made from publishers' lists repeats a name", () => {
  const texts = new Map(SMALL_LISTS.flatMap(({ paths, text }) => paths.map((path) => [path, text])));
  const about = { title: "Small", createdAt: new Date("2026-11-22T00:00:00Z") };
  const { trie, metadata } = importCatalogue((path) => texts.get(path), about);
  const catalogue = new Catalogue(metadata, freeze(trie));
  assert.ok(catalogue.nodes.length > 100);
  assert.deepEqual(doubledIn(catalogue), []);
});

test("negative control: labels of earlier versions are detected", () => {
  assert.ok(isDoubled("Security > Akamai > Akamai Prolexic"));
  assert.ok(isDoubled("Cloud > Google Cloud > Google Cloud"));
  assert.ok(!isDoubled("Cloud > Google Cloud > By region > us-east1"));
});
