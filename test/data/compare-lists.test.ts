import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { compareLists, comparisonTable } from "../../data/official/compare-lists.ts";
import { openCatalogue } from "../../src/datasets/open-catalogue.ts";
import { noPublishedLists, readPublished } from "../cbs/published-lists.ts";
import { catalogueOf } from "../cbs/catalogues.ts";

test("shares are by address: right, elsewhere, missing", () => {
  const catalogue = catalogueOf([
    ["10.0.0.0/25", "/security/tor/exits"],
    ["10.0.0.128/26", "/cloud/aws"],
    ["2001:db8::/33", "/security/tor"],
  ]);
  const lists: Record<string, string> = { "tor/exits.txt": "10.0.0.0/24\n2001:db8::/32\n" };
  const [tor, ...more] = compareLists(catalogue, (path) => lists[path]);
  assert.deepEqual(more, []);
  assert.deepEqual(tor!.ipv4, { right: 0.5, elsewhere: 0.25, missing: 0.25 });
  assert.deepEqual(tor!.ipv6, { right: 0.5, elsewhere: 0, missing: 0.5 });
});

test(
  "data/README.md has the shares of publishers' lists; those that came in whole are right",
  { skip: noPublishedLists },
  async () => {
    const comparisons = compareLists(await openCatalogue(), readPublished);
    const table = comparisonTable(comparisons);
    const readme = readFileSync(new URL("../../data/README.md", import.meta.url), "utf8");
    const shown = /<!-- compared:begin -->\n([^]*?)\n<!-- compared:end -->/.exec(readme)![1]!;
    const rows = (text: string): string[] => text.split("\n").map((row) => row.replace(/[ |-]+/g, " "));
    assert.deepEqual(rows(shown), rows(table));
    for (const id of [
      "aws",
      "azure",
      "google-cloud",
      "oracle",
      "digitalocean",
      "cloudflare",
      "googlebot",
      "perplexity",
    ])
      for (const shares of ["ipv4", "ipv6"] as const) {
        const right = comparisons.find(({ source }) => source.id === id)![shares]?.right ?? 1;
        assert.ok(right > 0.99, `${id} ${shares} ${right}`);
      }
  },
);
