import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "fast-check";
import { CatalogueTree } from "../../src/cbs/catalogue-tree.ts";
import { parsePrefix } from "../../src/address/prefix.ts";
import { rangesOf } from "../../src/cbs/ranges.ts";
import { prefixBits } from "../oracle/prefix-oracle.ts";
import { catalogueOf, entries } from "./catalogues.ts";
import { extentOf, isBelow, prefixesWith } from "./tree-oracle.ts";

const tree = new CatalogueTree(
  catalogueOf([
    ["10.0.0.0/9", "/cloud/aws"],
    ["10.128.0.0/9", "/cloud/aws/by-service/ec2", "office"],
    ["10.1.0.0/16", "/cloud/aws/by-service/ec2", "/cloud/aws/by-region/eu-1"],
    ["192.0.2.0/24", "office"],
    ["2001:db8::/32", "/cloud/aws/by-service/ec2"],
  ]),
);
const cidrs = (...args: Parameters<typeof rangesOf> extends [unknown, ...infer Rest] ? Rest : never) =>
  rangesOf(tree, ...args).items.map(({ cidr }) => cidr);

describe("ranges of a node", () => {
  test("each prefix once, in order, with all its nodes", () => {
    assert.deepEqual(rangesOf(tree, "/cloud/aws"), {
      count: 4,
      items: [
        { cidr: "10.0.0.0/9", cbs_ids: ["/cloud/aws"], sources: [] },
        { cidr: "10.1.0.0/16", cbs_ids: ["/cloud/aws/by-region/eu-1", "/cloud/aws/by-service/ec2"], sources: [] },
        { cidr: "10.128.0.0/9", cbs_ids: ["/cloud/aws/by-service/ec2", "office"], sources: [] },
        { cidr: "2001:db8::/32", cbs_ids: ["/cloud/aws/by-service/ec2"], sources: [] },
      ],
    });
    assert.equal(rangesOf(tree, undefined).count, 5);
    assert.deepEqual(cidrs("office"), ["10.128.0.0/9", "192.0.2.0/24"]);
    assert.deepEqual(cidrs("/cloud/aws/by-service"), ["10.1.0.0/16", "10.128.0.0/9", "2001:db8::/32"]);
  });

  test("by family and aggregated", () => {
    assert.deepEqual(cidrs("/cloud/aws", { family: 6 }), ["2001:db8::/32"]);
    assert.deepEqual(rangesOf(tree, "/cloud/aws", { family: 4, aggregate: true }), {
      count: 1,
      items: [{ cidr: "10.0.0.0/8", cbs_ids: ["/cloud/aws"], sources: [] }],
    });
    assert.deepEqual(cidrs(undefined, { aggregate: true }), ["10.0.0.0/8", "192.0.2.0/24", "2001:db8::/32"]);
  });

  test("by page; after the last one there is nothing", () => {
    for (const aggregate of [false, true]) {
      const all = rangesOf(tree, undefined, { aggregate });
      const pages = [0, 2, 4, 6, 8].map((offset) => rangesOf(tree, undefined, { aggregate, offset, limit: 2 }));
      assert.deepEqual(
        pages.flatMap(({ items }) => items),
        all.items,
      );
      assert.ok(pages.every(({ count }) => count === all.count));
    }
    assert.deepEqual(rangesOf(tree, "office", { limit: 0 }), { items: [], count: 2 });
  });

  test("bad arguments", () => {
    assert.throws(() => rangesOf(tree, "/cloud/nothing"), { code: "unknown-id" });
    for (const bad of [-1, 0.5, Number.NaN]) {
      assert.throws(() => rangesOf(tree, "office", { offset: bad }), RangeError);
      assert.throws(() => rangesOf(tree, "office", { limit: bad }), RangeError);
    }
    assert.throws(() => rangesOf(tree, "office", { offset: Infinity }), RangeError);
  });
});

test("random catalogues: the ranges of every node equal the oracle's, and aggregated they contain the same addresses", () => {
  fc.assert(
    fc.property(entries, (lines) => {
      const random = new CatalogueTree(catalogueOf(lines));
      for (const id of [undefined, ...random.catalogue.nodes.map((node) => node.id)]) {
        const expected = prefixesWith(lines, (own) => isBelow(id, own));
        assert.deepEqual(
          rangesOf(random, id).items.map(({ cidr }) => cidr),
          expected,
        );
        const merged = rangesOf(random, id, { aggregate: true }).items.map(({ cidr }) => cidr);
        assert.equal(extentOf(merged).ipv4_addresses, extentOf(expected).ipv4_addresses);
        const bits = merged.map((text) => prefixBits(parsePrefix(text)));
        for (const text of expected)
          assert.equal(bits.filter((each) => prefixBits(parsePrefix(text)).startsWith(each)).length, 1);
      }
    }),
    { numRuns: 200 },
  );
});
