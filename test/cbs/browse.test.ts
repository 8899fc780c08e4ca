import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "fast-check";
import { browse, listProviders, listRegions, listServices } from "../../src/cbs/browse.ts";
import { parsePrefix } from "../../src/address/prefix.ts";
import { Catalogue } from "../../src/cbs/catalogue.ts";
import { CatalogueBuilder } from "../../src/cbs/catalogue-builder.ts";
import { CatalogueTree, ROOT } from "../../src/cbs/catalogue-tree.ts";
import { openCatalogue } from "../../src/datasets/open-catalogue.ts";
import { freeze } from "../../src/table/freeze.ts";
import { catalogueOf, CREATED, entries } from "./catalogues.ts";
import { extentOf, isBelow, prefixesWith } from "./tree-oracle.ts";
import { rounds } from "../rounds.ts";

const names = {
  "/cloud/aws": "Amazon Web Services",
  "/cloud/aws/by-region/us-east-1": "US East (N. Virginia)",
  "/cloud/aws/by-service/ec2": "EC2",
};
const tree = new CatalogueTree(
  catalogueOf(
    [
      ["52.0.0.0/8", "/cloud/aws"],
      ["52.94.0.0/16", "/cloud/aws/by-service/ec2/us-east-1", "/cloud/aws/by-region/us-east-1/ec2"],
      ["52.94.1.0/24", "/cloud/aws/by-service/s3/us-east-1", "/cloud/aws/by-region/us-east-1/s3"],
      ["52.95.0.0/16", "/cloud/aws/by-service/ec2/eu-west-1", "/cloud/aws/by-region/eu-west-1/ec2"],
      ["99.0.0.0/24", "/cloud/aws/by-service/cloudfront/GLOBAL"],
      ["2600:1f00::/24", "/cloud/aws/by-service/ec2/us-east-1"],
      ["192.0.2.0/24", "/saas/github/actions", "office"],
    ],
    names,
  ),
);

describe("browse", () => {
  test("the root", () => {
    const { children, ...root } = browse(tree);
    assert.deepEqual(root, {
      id: null,
      name: "Test",
      label: "",
      type: null,
      provider: null,
      service: null,
      region: null,
      parent: null,
      path: [],
      ipv4_count: 6,
      ipv6_count: 1,
      ipv4_addresses: 2 ** 24 + 512,
      updated_at: "2026-06-17T00:00:00.000Z",
      source_url: null,
      sources: [],
    });
    assert.deepEqual(children, [
      {
        id: "/cloud",
        name: "Cloud",
        ipv4_count: 5,
        ipv6_count: 1,
        ipv4_addresses: 2 ** 24 + 256,
        has_children: true,
        sources: [],
      },
      { id: "/saas", name: "SaaS", ipv4_count: 1, ipv6_count: 0, ipv4_addresses: 256, has_children: true, sources: [] },
      {
        id: "office",
        name: "office",
        ipv4_count: 1,
        ipv6_count: 0,
        ipv4_addresses: 256,
        has_children: false,
        sources: [],
      },
    ]);
  });

  test("a node, its path and children; a prefix in several children counts once in the parent", () => {
    const { children, ...node } = browse(tree, "/cloud/aws/by-region/us-east-1");
    assert.deepEqual(node, {
      id: "/cloud/aws/by-region/us-east-1",
      name: "US East (N. Virginia)",
      label: "Cloud > Amazon Web Services > By region > US East (N. Virginia)",
      type: "cloud",
      provider: "aws",
      service: null,
      region: "us-east-1",
      parent: "/cloud/aws/by-region",
      path: [
        { id: "/cloud", name: "Cloud" },
        { id: "/cloud/aws", name: "Amazon Web Services" },
        { id: "/cloud/aws/by-region", name: "By region" },
      ],
      ipv4_count: 2,
      ipv6_count: 0,
      ipv4_addresses: 65536,
      updated_at: "2026-06-17T00:00:00.000Z",
      source_url: null,
      sources: [],
    });
    assert.deepEqual(children, [
      {
        id: "/cloud/aws/by-region/us-east-1/ec2",
        name: "ec2",
        ipv4_count: 1,
        ipv6_count: 0,
        ipv4_addresses: 65536,
        has_children: false,
        sources: [],
      },
      {
        id: "/cloud/aws/by-region/us-east-1/s3",
        name: "s3",
        ipv4_count: 1,
        ipv6_count: 0,
        ipv4_addresses: 256,
        has_children: false,
        sources: [],
      },
    ]);
  });

  test("an unknown id", () => {
    for (const id of ["/cloud/asw", "", "/", "__proto__", "/cloud/"]) {
      assert.throws(() => browse(tree, id), { name: "CatalogueError", code: "unknown-id", value: id });
    }
  });

  test("an empty catalogue", () => {
    const { children, ipv4_count, ipv6_count, ipv4_addresses } = browse(new CatalogueTree(catalogueOf([])));
    assert.deepEqual(
      { children, ipv4_count, ipv6_count, ipv4_addresses },
      { children: [], ipv4_count: 0, ipv6_count: 0, ipv4_addresses: 0 },
    );
  });

  test("the whole address space", () => {
    const all = new CatalogueTree(
      catalogueOf([
        ["0.0.0.0/0", "a"],
        ["0.0.0.0/1", "a", "b"],
        ["128.0.0.0/1", "b"],
      ]),
    );
    const addresses = browse(all).children.map(({ ipv4_addresses }) => ipv4_addresses);
    assert.deepEqual(addresses, [2 ** 32, 2 ** 32]);
    assert.equal(all.extent(ROOT).ipv4_addresses, 2 ** 32);
  });
});

describe("flat lists", () => {
  const summary = (items: ReturnType<typeof listRegions>) =>
    items.map(({ type, provider, key, id, ipv4_count, ipv6_count }) => [
      type,
      provider,
      key,
      id,
      ipv4_count,
      ipv6_count,
    ]);

  test("regions, by-region and by-service united; global is not a region", () => {
    assert.deepEqual(summary(listRegions(tree)), [
      ["cloud", "aws", "eu-west-1", "/cloud/aws/by-region/eu-west-1", 1, 0],
      ["cloud", "aws", "us-east-1", "/cloud/aws/by-region/us-east-1", 2, 1],
    ]);
    assert.equal(listRegions(tree)[1]!.name, "US East (N. Virginia)");
  });

  test("services", () => {
    assert.deepEqual(summary(listServices(tree)), [
      ["cloud", "aws", "cloudfront", "/cloud/aws/by-service/cloudfront", 1, 0],
      ["cloud", "aws", "ec2", "/cloud/aws/by-service/ec2", 2, 1],
      ["cloud", "aws", "s3", "/cloud/aws/by-service/s3", 1, 0],
      ["saas", "github", "actions", "/saas/github/actions", 1, 0],
    ]);
  });

  test("providers; a label counts as one", () => {
    assert.deepEqual(summary(listProviders(tree)), [
      ["cloud", "aws", "aws", "/cloud/aws", 5, 1],
      ["list", "office", "office", "office", 1, 0],
      ["saas", "github", "github", "/saas/github", 1, 0],
    ]);
    assert.deepEqual(
      listProviders(tree).map(({ name }) => name),
      ["Amazon Web Services", "office", "github"],
    );
  });

  test("filters combine", () => {
    assert.deepEqual(summary(listRegions(tree, { service: "s3" })), [
      ["cloud", "aws", "us-east-1", "/cloud/aws/by-region/us-east-1/s3", 1, 0],
    ]);
    assert.deepEqual(summary(listServices(tree, { region: "eu-west-1", provider: "aws", type: "cloud" })), [
      ["cloud", "aws", "ec2", "/cloud/aws/by-region/eu-west-1/ec2", 1, 0],
    ]);
    assert.deepEqual(listServices(tree, { type: "cdn" }), []);
    assert.deepEqual(summary(listProviders(tree, { type: "saas" })), [
      ["saas", "github", "github", "/saas/github", 1, 0],
    ]);
  });
});

test("random catalogues: every node has the counts of the oracle", () => {
  fc.assert(
    fc.property(entries, (lines) => {
      const random = new CatalogueTree(catalogueOf(lines));
      const documents = [browse(random), ...random.catalogue.nodes.map(({ id }) => browse(random, id))];
      for (const { id, ipv4_count, ipv6_count, ipv4_addresses, children } of documents) {
        const expected = extentOf(prefixesWith(lines, (own) => isBelow(id ?? undefined, own)));
        assert.deepEqual({ ipv4_count, ipv6_count, ipv4_addresses }, expected, String(id));
        for (const child of children)
          assert.deepEqual({ ...child, ...extentOf(prefixesWith(lines, (own) => isBelow(child.id, own))) }, child);
      }
    }),
    { numRuns: rounds({ short: 100, long: 300 }) },
  );
});

const SOURCE_IDS = ["first", "second"] as const;
const urlOf = (id: string): string => `https://${id}.test/list.json`;

/** A catalogue whose lines come from two sources in turn. */
function sourcedOf(lines: Parameters<typeof catalogueOf>[0], sourceOf: (line: number) => string): Catalogue {
  const builder = new CatalogueBuilder();
  for (const [index, [prefix, ...ids]] of lines.entries())
    for (const id of ids) builder.add(parsePrefix(prefix, "mask"), id, sourceOf(index));
  const sources = SOURCE_IDS.map((id) => ({
    id,
    name: id,
    version: null,
    url: urlOf(id),
    license: null,
    attribution: null,
    publishedAt: null,
    fetchedAt: null,
    changedAt: null,
  }));
  const { trie, metadata } = builder.build({ title: "Test", createdAt: CREATED, sources });
  return new Catalogue(metadata, freeze(trie));
}

/**
 * Nodes whose `source_url` is not that of the only source that names something below them; with several sources it must
 * be null.
 */
function wrongSourceUrls(
  lines: Parameters<typeof catalogueOf>[0],
  sourceOf: (line: number) => string,
  urlAt: (tree: CatalogueTree, id?: string) => string | null,
): (string | undefined)[] {
  const random = new CatalogueTree(sourcedOf(lines, sourceOf));
  return [undefined, ...random.catalogue.nodes.map(({ id }) => id)].filter((id) => {
    const below = new Set(
      lines.flatMap(([, ...ids], index) => (ids.some((own) => isBelow(id, own)) ? [sourceOf(index)] : [])),
    );
    return urlAt(random, id) !== (below.size === 1 ? urlOf([...below][0]!) : null);
  });
}

test("random catalogues of two sources: a node with one source has its URL, and with both none", () => {
  const alternating = (line: number): string => SOURCE_IDS[line % 2]!;
  let controls = 0;
  fc.assert(
    fc.property(entries, (lines) => {
      for (const sourceOf of [alternating, () => "second"])
        assert.deepEqual(
          wrongSourceUrls(lines, sourceOf, (random, id) => browse(random, id).source_url),
          [],
        );
      const random = new CatalogueTree(sourcedOf(lines, alternating));
      for (const node of [undefined, ...random.catalogue.nodes.map(({ id }) => id)])
        for (const { id, sources } of browse(random, node).children)
          assert.deepEqual(
            sources,
            browse(random, id).sources.map(({ source }) => source),
          );
      controls += wrongSourceUrls(lines, alternating, () => null).length;
    }),
    { numRuns: rounds({ short: 60, long: 200 }) },
  );
  assert.ok(controls > 200, "negative control: a tree that never names a source is noticed");
});

function oracleOf(
  catalogue: Catalogue,
  member: "service" | "region" | "provider",
  lines: Parameters<typeof prefixesWith>[0],
): Map<string, unknown> {
  const groups = new Map<string, Set<string>>();
  for (const node of catalogue.nodes) {
    if (node[member] === null || node[member] === "") continue;
    const key = JSON.stringify([node.type, node.provider, node[member]]);
    groups.set(key, (groups.get(key) ?? new Set()).add(node.id));
  }
  return new Map([...groups].map(([key, ids]) => [key, extentOf(prefixesWith(lines, (id) => ids.has(id)))]));
}

test("random catalogues: the flat lists have the counts of the oracle", () => {
  fc.assert(
    fc.property(entries, (lines) => {
      const catalogue = catalogueOf(lines);
      const random = new CatalogueTree(catalogue);
      const lists = { provider: listProviders(random), service: listServices(random), region: listRegions(random) };
      for (const member of ["provider", "service", "region"] as const) {
        const found = lists[member].map(
          ({ type, provider, key, ipv4_count, ipv6_count, ipv4_addresses }): [string, unknown] => [
            JSON.stringify([type, provider, key]),
            { ipv4_count, ipv6_count, ipv4_addresses },
          ],
        );
        assert.deepEqual(new Map(found), oracleOf(catalogue, member, lines));
        assert.equal(found.length, new Map(found).size);
      }
    }),
    { numRuns: rounds({ short: 100, long: 300 }) },
  );
});

test("the bundled catalogue: counts add up, and every node is reachable", async () => {
  const bundled = new CatalogueTree(await openCatalogue());
  const { table, nodes } = bundled.catalogue;
  assert.deepEqual(
    [browse(bundled).ipv4_count, browse(bundled).ipv6_count],
    [table.prefixCount(4), table.prefixCount(6)],
  );
  const seen = new Set<string>();
  const visit = (id?: string): void => {
    for (const child of browse(bundled, id).children) {
      seen.add(child.id);
      visit(child.id);
    }
  };
  visit();
  assert.deepEqual([...seen].sort(), nodes.map(({ id }) => id).sort());
  assert.ok(listProviders(bundled, { type: "cdn" }).some(({ provider }) => provider === "cloudflare"));
});
