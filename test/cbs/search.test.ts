import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "fast-check";
import { TermTable } from "../../src/cbs/_term-table.ts";
import { SearchIndex } from "../../src/cbs/search.ts";
import { openCatalogue } from "../../src/datasets/open-catalogue.ts";
import { catalogueOf, entries } from "./catalogues.ts";

const index = new SearchIndex(
  catalogueOf(
    [
      ["52.94.0.0/16", "/cloud/aws/by-service/ec2/us-east-1", "/cloud/aws/by-region/us-east-1/ec2"],
      ["52.95.0.0/16", "/cloud/aws/by-service/s3/eu-central-1"],
      ["52.95.1.0/24", "/cloud/aws/by-service/ec2-instance-connect/us-east-1"],
      ["1.1.1.0/24", "/cdn/cloudflare"],
      ["192.0.2.0/24", "/cloud/gcp", "Zürich office"],
      ["2001:db8::/32", "/saas/google/workspace"],
      ["2001:db8:1::/48", "/bot/google/googlebot"],
    ],
    {
      "/cloud/aws": "Amazon Web Services",
      "/cdn/cloudflare": "Cloudflare",
      "/cloud/gcp": "Google Cloud",
      "/saas/google": "Google",
      "/cloud/aws/by-service/s3/eu-central-1": "Europe (Frankfurt)",
    },
  ),
);
const ids = (text: string, options = {}) => index.search(text, options).map(({ id }) => id);

describe("search by words", () => {
  const best: [text: string, id: string][] = [
    ["cloudflare", "/cdn/cloudflare"],
    ["CLOUDFLARE", "/cdn/cloudflare"],
    ["  cloudfl ", "/cdn/cloudflare"],
    ["clodflare", "/cdn/cloudflare"],
    ["cluodflare", "/cdn/cloudflare"],
    ["cloudfflaer", "/cdn/cloudflare"],
    ["clodfl", "/cdn/cloudflare"],
    ["amazon", "/cloud/aws"],
    ["amzon", "/cloud/aws"],
    ["aws", "/cloud/aws"],
    ["ec2", "/cloud/aws/by-service/ec2"],
    ["ec2 us-east-1", "/cloud/aws/by-service/ec2/us-east-1"],
    ["us-east-1 ec2 aws", "/cloud/aws/by-service/ec2/us-east-1"],
    ["useast1", "/cloud/aws/by-region/us-east-1"],
    ["us-east-1", "/cloud/aws/by-region/us-east-1"],
    ["frankfurt", "/cloud/aws/by-service/s3/eu-central-1"],
    ["s3 frankfrt", "/cloud/aws/by-service/s3/eu-central-1"],
    ["google", "/bot/google"],
    ["google cloud", "/cloud/gcp"],
    ["googel bot", "/bot/google"],
    ["google saas", "/saas/google"],
    ["googlebto", "/bot/google/googlebot"],
    ["workspace", "/saas/google/workspace"],
    ["zurich", "Zürich office"],
    ["ZÜRICH OFFICE", "Zürich office"],
    ["/cloud/aws/by-service/s3", "/cloud/aws/by-service/s3"],
    ["cdn", "/cdn"],
  ];
  for (const [text, id] of best) test(text, () => assert.equal(ids(text)[0], id));

  test("all words count; if no node has all of them, nodes with the most are found", () => {
    assert.deepEqual(ids("s3 eu"), ["/cloud/aws/by-service/s3/eu-central-1"]);
    assert.deepEqual(ids("s3 nonsense"), ids("s3"));
    assert.deepEqual(ids("nonsense"), []);
    assert.deepEqual(ids(""), []);
    assert.deepEqual(ids(" /-. "), []);
  });

  test("by type and up to a limit", () => {
    assert.deepEqual(ids("google", { type: "bot" }), ["/bot/google", "/bot/google/googlebot"]);
    assert.deepEqual(ids("google", { limit: 1 }), ["/bot/google"]);
    assert.deepEqual(ids("aws", { limit: 3 }), ids("aws", { limit: 1000 }).slice(0, 3));
    for (const limit of [0, -1, 1.5, Number.NaN]) assert.throws(() => ids("a", { limit }), RangeError);
  });

  test("long texts take no longer than a few words", () => {
    assert.deepEqual(ids(`cloudflare ${"x".repeat(1_000_000)}`), ["/cdn/cloudflare"]);
    assert.deepEqual(ids("y".repeat(1_000_000)), []);
  });

  test("a search leaves nothing behind", () => assert.deepEqual(ids("google cloud"), ids("google cloud")));
});

describe("search by address", () => {
  test("the nodes of its lookup, the most specific first", () => {
    assert.deepEqual(ids("52.95.1.1"), [
      "/cloud/aws/by-service/ec2-instance-connect/us-east-1",
      "/cloud/aws/by-service/s3/eu-central-1",
    ]);
    assert.deepEqual(ids(" 52.95.0.0/17 "), ["/cloud/aws/by-service/s3/eu-central-1"]);
    assert.deepEqual(ids("2001:DB8:1::1"), ["/bot/google/googlebot", "/saas/google/workspace"]);
    assert.deepEqual(ids("::ffff:1.1.1.1"), ["/cdn/cloudflare"]);
    assert.deepEqual(ids("2001:db8:1::1", { type: "saas" }), ["/saas/google/workspace"]);
    assert.deepEqual(ids("9.9.9.9"), []);
    assert.deepEqual(ids("::"), []);
  });

  test("a malformed address is an error, not a miss", () => {
    for (const text of [
      "1.1.1.256",
      "01.1.1.1",
      "1.1.1.1/33",
      "1.1.1.1/8",
      "1.1.1.1/",
      "2001:db8:::1",
      "2001:db8::/129",
      "::1.2.3",
    ]) {
      assert.throws(() => ids(text), { name: "AddressError" }, text);
    }
  });

  test("a number or a word of hexadecimal digits is searched as text", () => {
    for (const text of ["1.1", "10", "cafe", "de:", "a:b"]) assert.doesNotThrow(() => ids(text));
  });
});

/** The distance by its definition, with the full table. */
function distance(a: string, b: string): number {
  const rows = Array.from({ length: a.length + 1 }, (_, i) =>
    Array.from({ length: b.length + 1 }, (_, j) => (i === 0 ? j : j === 0 ? i : 0)),
  );
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const swap =
        i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? rows[i - 2]![j - 2]! + 1 : Infinity;
      rows[i]![j] = Math.min(
        rows[i - 1]![j]! + 1,
        rows[i]![j - 1]! + 1,
        rows[i - 1]![j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1),
        swap,
      );
    }
  }
  return rows[a.length]![b.length]!;
}

test("random words: the terms that begin with the word, otherwise those that do with few typos, equal to a linear search", () => {
  const words = fc.stringMatching(/^[abcé1]{1,12}$/);
  let typos = 0;
  fc.assert(
    fc.property(fc.uniqueArray(words, { maxLength: 30 }), words, fc.nat(), fc.nat(), (list, other, which, place) => {
      const terms = list.sort();
      // Half of the words are terms with a letter replaced or removed, so that typos are found too.
      const term = which % 2 === 0 ? terms[which % Math.max(terms.length, 1)] : undefined;
      const at = place % (term?.length ?? 1);
      const word =
        term === undefined || term.length < 2
          ? other
          : term.slice(0, at) + (place % 3 === 0 ? "" : "z") + term.slice(at + 1);
      const found = new TermTable(terms).match(word).map(({ term }) => terms[term]);
      const beginning = terms.filter((term) =>
        word.length === 1 && terms.includes(word) ? term === word : term.startsWith(word),
      );
      const most = word.length >= 8 ? 2 : word.length >= 4 ? 1 : 0;
      const similar = terms.filter(
        (term) =>
          most > 0 &&
          Array.from({ length: term.length + 1 }, (_, end) => distance(word, term.slice(0, end))).some(
            (typos) => typos <= most,
          ),
      );
      if (beginning.length === 0 && similar.length > 0) typos++;
      if (beginning.length === 0 && similar.length === 0) {
        const fronts = terms
          .filter((term) => term.length >= Math.max(4, word.length / 2) && word.startsWith(term))
          .sort((a, b) => b.length - a.length);
        assert.deepEqual(found, fronts.slice(0, 1));
      } else {
        assert.deepEqual(found, beginning.length > 0 ? beginning : similar);
      }
    }),
    { numRuns: 600 },
  );
  assert.ok(typos > 20, `only ${typos} runs had typos`);
});

test("random catalogues: every node is found by its own id and by its label", () => {
  fc.assert(
    fc.property(entries, (lines) => {
      const random = new SearchIndex(catalogueOf(lines));
      for (const node of random.catalogue.nodes) {
        for (const text of [node.id, node.label]) {
          if (!/[\p{L}\p{N}]/u.test(text) || /^\d+(\.\d+){3}/.test(text)) continue;
          assert.ok(random.search(text, { limit: 1000 }).includes(node), text);
        }
      }
    }),
    { numRuns: 100 },
  );
});

test("the bundled catalogue: the large providers come first", async () => {
  const bundled = new SearchIndex(await openCatalogue());
  for (const [text, id] of [
    ["cloudflare", "/cdn/cloudflare"],
    ["amazon web", "/cloud/aws"],
    ["microsft azure", "/cloud/azure"],
    ["zscalr", "/security/zscaler"],
    ["githb", "/saas/github"],
  ]) {
    assert.equal(bundled.search(text!)[0]?.id, id);
  }
  assert.equal(bundled.search("googlebot")[0]?.id, "/bot/google/googlebot");
  assert.deepEqual(bundled.search("googlexyzxyzw"), []);
});
