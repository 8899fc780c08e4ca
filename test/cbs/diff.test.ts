import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { formatPrefix, parsePrefix } from "../../src/address/prefix.ts";
import { CatalogueTree } from "../../src/cbs/catalogue-tree.ts";
import { diffCatalogues } from "../../src/cbs/diff.ts";
import { catalogueStats } from "../../src/cbs/stats.ts";
import { catalogueOf, entries } from "./catalogues.ts";
import { extentOf, isBelow, type Line, prefixesWith } from "./tree-oracle.ts";

const treeOf = (lines: readonly Line[], names: Record<string, string> = {}) =>
  new CatalogueTree(catalogueOf(lines, names));

test("nodes and prefixes added, removed, moved, renamed; addresses", () => {
  const before = treeOf(
    [
      ["10.0.0.0/8", "/cloud/a"],
      ["10.1.0.0/16", "/cloud/a/web", "x"],
      ["192.0.2.0/24", "/cdn/gone"],
      ["2001:db8::/32", "/cloud/a"],
    ],
    { "/cloud/a": "A" },
  );
  const after = treeOf(
    [
      ["10.0.0.0/8", "/cloud/a"],
      ["10.1.0.0/16", "/cloud/a/web", "/cdn/new"],
      ["11.0.0.0/8", "/cloud/a"],
      ["2001:db8::/33", "/cloud/a"],
    ],
    { "/cloud/a": "Aye" },
  );
  const diff = diffCatalogues(before, after);
  assert.deepEqual(diff, {
    before: { ipv4_count: 3, ipv6_count: 1, ipv4_addresses: 2 ** 24 + 256 },
    after: { ipv4_count: 3, ipv6_count: 1, ipv4_addresses: 2 ** 25 },
    nodes_added: ["/cdn/new"],
    nodes_removed: ["/cdn/gone", "x"],
    nodes_renamed: [{ id: "/cloud/a", before: "A", after: "Aye" }],
    prefixes_added: 2,
    prefixes_removed: 2,
    prefixes_moved: 1,
    nodes: [
      {
        id: "/cdn/gone",
        ipv4_added: 0,
        ipv4_removed: 1,
        ipv6_added: 0,
        ipv6_removed: 0,
        ipv4_addresses_before: 256,
        ipv4_addresses_after: 0,
      },
      {
        id: "/cdn/new",
        ipv4_added: 1,
        ipv4_removed: 0,
        ipv6_added: 0,
        ipv6_removed: 0,
        ipv4_addresses_before: 0,
        ipv4_addresses_after: 65536,
      },
      {
        id: "/cloud/a",
        ipv4_added: 1,
        ipv4_removed: 0,
        ipv6_added: 1,
        ipv6_removed: 1,
        ipv4_addresses_before: 2 ** 24,
        ipv4_addresses_after: 2 ** 25,
      },
      {
        id: "x",
        ipv4_added: 0,
        ipv4_removed: 1,
        ipv6_added: 0,
        ipv6_removed: 0,
        ipv4_addresses_before: 65536,
        ipv4_addresses_after: 0,
      },
    ],
    prefixes: [
      { cidr: "10.1.0.0/16", added: ["/cdn/new"], removed: ["x"] },
      { cidr: "11.0.0.0/8", added: ["/cloud/a"], removed: [] },
      { cidr: "192.0.2.0/24", added: [], removed: ["/cdn/gone"] },
      { cidr: "2001:db8::/32", added: [], removed: ["/cloud/a"] },
      { cidr: "2001:db8::/33", added: ["/cloud/a"], removed: [] },
    ],
  });
});

/** `prefix node` for each pair. */
function pairsOf(lines: readonly Line[]): Set<string> {
  return new Set(
    lines.flatMap(([prefix, ...ids]) => ids.map((id) => `${formatPrefix(parsePrefix(prefix, "mask"))} ${id}`)),
  );
}

test("random catalogues: applied to the first, the difference gives the second", () => {
  fc.assert(
    fc.property(entries, entries, fc.nat({ max: 12 }), (first, more, kept) => {
      const second = [...first.slice(0, kept), ...more];
      const diff = diffCatalogues(treeOf(first), treeOf(second));
      const pairs = pairsOf(first);
      for (const { cidr, added, removed } of diff.prefixes) {
        for (const id of removed) assert.ok(pairs.delete(`${cidr} ${id}`));
        for (const id of added) assert.ok(!pairs.has(`${cidr} ${id}`));
        for (const id of added) pairs.add(`${cidr} ${id}`);
      }
      assert.deepEqual([...pairs].sort(), [...pairsOf(second)].sort());
      assert.equal(diff.prefixes_added + diff.prefixes_removed + diff.prefixes_moved, diff.prefixes.length);
      const sum = (member: "ipv4_added" | "ipv6_added" | "ipv4_removed" | "ipv6_removed") =>
        diff.nodes.reduce((total, node) => total + node[member], 0);
      assert.equal(sum("ipv4_added") + sum("ipv6_added"), diff.prefixes.flatMap(({ added }) => added).length);
      assert.equal(sum("ipv4_removed") + sum("ipv6_removed"), diff.prefixes.flatMap(({ removed }) => removed).length);
      for (const { id, ipv4_addresses_before, ipv4_addresses_after } of diff.nodes) {
        const addresses = [first, second].map(
          (lines) => extentOf(prefixesWith(lines, (own) => isBelow(id, own))).ipv4_addresses,
        );
        assert.deepEqual([ipv4_addresses_before, ipv4_addresses_after], addresses);
      }
    }),
    { numRuns: 200 },
  );
});

test("a catalogue does not differ from itself, nor an empty one", () => {
  for (const lines of [
    [],
    [
      ["10.0.0.0/8", "a"],
      ["::/0", "/cdn/b"],
    ],
  ] as Line[][]) {
    const { nodes, prefixes, nodes_added, nodes_removed, nodes_renamed } = diffCatalogues(
      treeOf(lines),
      treeOf([...lines].reverse()),
    );
    assert.deepEqual([nodes, prefixes, nodes_added, nodes_removed, nodes_renamed], [[], [], [], [], []]);
  }
});

test("stats by type", () => {
  const stats = catalogueStats(
    treeOf([
      ["10.0.0.0/8", "/cloud/a", "label"],
      ["10.1.0.0/16", "/cloud/b"],
      ["2001:db8::/32", "/cdn/c"],
    ]),
  );
  assert.deepEqual(stats, {
    title: "Test",
    created_at: "2026-06-17T00:00:00.000Z",
    sources: 0,
    nodes: 6,
    ipv4_count: 2,
    ipv6_count: 1,
    ipv4_addresses: 2 ** 24,
    types: [
      { type: "cdn", name: "CDN", nodes: 2, ipv4_count: 0, ipv6_count: 1, ipv4_addresses: 0 },
      { type: "cloud", name: "Cloud", nodes: 3, ipv4_count: 2, ipv6_count: 0, ipv4_addresses: 2 ** 24 },
      { type: "list", name: "list", nodes: 1, ipv4_count: 1, ipv6_count: 0, ipv4_addresses: 2 ** 24 },
    ],
  });
});
