import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { parsePrefix } from "../../src/address/prefix.ts";
import { Catalogue } from "../../src/cbs/catalogue.ts";
import { CatalogueBuilder } from "../../src/cbs/catalogue-builder.ts";
import type { CatalogueErrorCode } from "../../src/cbs/catalogue-error.ts";
import * as fc from "fast-check";
import { freeze } from "../../src/table/freeze.ts";
import { PrefixTrie } from "../../src/trie/prefix-trie.ts";
import { catalogueOf, CREATED, entries } from "./catalogues.ts";
import type { MatchId } from "../../src/table/match-id.ts";

const PREFIX = parsePrefix("192.0.2.0/24");

function nodeOf(id: string, names: Record<string, string> = {}) {
  const node = catalogueOf([["192.0.2.0/24", id]], names).nodes.find((each) => each.id === id);
  assert.ok(node !== undefined);
  return node;
}

describe("the position of a node follows from its id", () => {
  const cases: [
    id: string,
    type: string,
    provider: string,
    service: string | null,
    region: string | null,
    label: string,
  ][] = [
    ["/cdn/cloudflare", "cdn", "cloudflare", null, null, "CDN > cloudflare"],
    ["/saas/github/actions", "saas", "github", "actions", null, "SaaS > github > actions"],
    ["/bot/google/googlebot", "bot", "google", "googlebot", null, "Web Crawlers & Bots > google > googlebot"],
    [
      "/cloud/aws/by-service/ec2/us-east-1",
      "cloud",
      "aws",
      "ec2",
      "us-east-1",
      "Cloud > aws > By service > ec2 > us-east-1",
    ],
    [
      "/cloud/aws/by-region/us-east-1/ec2",
      "cloud",
      "aws",
      "ec2",
      "us-east-1",
      "Cloud > aws > By region > us-east-1 > ec2",
    ],
    ["/cloud/aws/by-service/s3", "cloud", "aws", "s3", null, "Cloud > aws > By service > s3"],
    ["/cloud/aws/by-region/eu-west-1", "cloud", "aws", null, "eu-west-1", "Cloud > aws > By region > eu-west-1"],
    [
      "/cloud/aws/by-service/cloudfront/GLOBAL",
      "cloud",
      "aws",
      "cloudfront",
      null,
      "Cloud > aws > By service > cloudfront > GLOBAL",
    ],
    ["/cloud/aws/by-region/global", "cloud", "aws", null, null, "Cloud > aws > By region > global"],
    ["/security/zscaler", "security", "zscaler", null, null, "Security > zscaler"],
    ["/isp/starlink", "isp", "starlink", null, null, "ISP > starlink"],
    ["/vpn/mullvad", "vpn", "mullvad", null, null, "vpn > mullvad"],
    ["my blocklist", "list", "my blocklist", null, null, "my blocklist"],
    ["feeds/spamhaus", "list", "feeds/spamhaus", null, null, "feeds/spamhaus"],
  ];
  for (const [id, type, provider, service, region, label] of cases) {
    test(id, () =>
      assert.deepEqual(nodeOf(id), {
        id,
        name: nodeOf(id).name,
        type,
        provider,
        providerName: provider,
        service,
        region,
        label,
      }),
    );
  }
});

test("a node has the names of its ancestors, whichever was named first", () => {
  const id = "/cloud/aws/by-service/ec2";
  const names = { [id]: "Elastic Compute Cloud", "/cloud/aws": "Amazon Web Services" };
  const node = nodeOf(id, names);
  assert.equal(node.label, "Cloud > Amazon Web Services > By service > Elastic Compute Cloud");
  assert.equal(node.providerName, "Amazon Web Services");
  assert.deepEqual(nodeOf(id, Object.fromEntries(Object.entries(names).reverse())), node);
});

test("ancestors are nodes too; a value of the table is a claim about a node", () => {
  const catalogue = catalogueOf([["192.0.2.0/24", "/cloud/aws/by-service/ec2"]]);
  assert.deepEqual(
    catalogue.nodes.map((node) => node.id),
    ["/cloud", "/cloud/aws", "/cloud/aws/by-service", "/cloud/aws/by-service/ec2"],
  );
  assert.equal(catalogue.node(4).id, "/cloud/aws/by-service/ec2");
  const values = catalogue.table.values(catalogue.table.lookup("192.0.2.1"));
  assert.deepEqual(
    values.map((value) => [catalogue.numberOf(value), catalogue.sourceOf(value)]),
    [[4, 0]],
  );
  assert.deepEqual(
    { ...catalogue.nodes[0] },
    {
      id: "/cloud",
      name: "Cloud",
      type: "cloud",
      provider: "",
      providerName: "",
      service: null,
      region: null,
      label: "Cloud",
    },
  );
});

test("nodesOf unites the whole chain, sorted, each once", () => {
  const catalogue = catalogueOf([
    ["10.0.0.0/8", "z", "/cloud/aws"],
    ["10.1.0.0/16", "a", "z"],
    ["10.1.2.0/24", "/cdn/x"],
  ]);
  const ids = (address: string) => catalogue.nodesOf(catalogue.table.lookup(address)).map((node) => node.id);
  assert.deepEqual(ids("10.1.2.3"), ["/cdn/x", "/cloud/aws", "a", "z"]);
  assert.deepEqual(ids("10.1.3.3"), ["/cloud/aws", "a", "z"]);
  assert.deepEqual(ids("10.2.3.3"), ["/cloud/aws", "z"]);
  assert.deepEqual(ids("11.2.3.3"), []);
});

describe("the builder rejects", () => {
  const refusals: [id: string, why: RegExp][] = [
    ["", /empty/],
    ["/", /each slash must be followed/],
    ["//aws", /each slash must be followed/],
    ["/cloud/", /each slash must be followed/],
    ["/cloud//ec2", /each slash must be followed/],
    ["a\tb", /control characters/],
    ["a\nb", /control characters/],
    ["a\0", /control characters/],
    ["a\x7fb", /control characters/],
    ["a\x85b", /control characters/],
    ["a\u2028b", /control characters/],
    ["a,b", /commas/],
    [" a", /white space/],
    ["a ", /white space/],
    ["a\ud800", /surrogate/],
    [`/${"a/".repeat(100_000)}b`, /16 parts/],
  ];
  for (const [id, why] of refusals) {
    test(`the id ${JSON.stringify(id.slice(0, 20))}`, () => {
      const builder = new CatalogueBuilder();
      assert.throws(() => builder.add(PREFIX, id), { name: "CatalogueError", code: "bad-id", value: id, message: why });
      assert.throws(() => builder.addNode(id, "name"), { code: "bad-id" });
      assert.deepEqual(builder.build({ title: "", createdAt: CREATED, sources: [] }).metadata.nodes, {
        texts: "",
        places: new Uint8Array(),
      });
    });
  }

  test("a prefix in a type", () => {
    assert.throws(() => new CatalogueBuilder().add(PREFIX, "/cloud"), { code: "bad-id", message: /\/cloud\/PROVIDER/ });
  });

  test("names that are not one line of text", () => {
    for (const name of ["", "  ", "a\nb", "a\0b", "\x7f", "\udc00"]) {
      assert.throws(() => new CatalogueBuilder().addNode("/cloud/aws", name), { code: "bad-name", value: name });
    }
  });

  test("two names for one node, but not the same one twice", () => {
    const builder = new CatalogueBuilder();
    builder.add(PREFIX, "/cloud/aws");
    const value = builder.addNode("/cloud/aws", "Amazon");
    assert.equal(builder.addNode("/cloud/aws", "Amazon"), value);
    assert.throws(() => builder.addNode("/cloud/aws", "Amazonas"), {
      code: "node-conflict",
      message: /"Amazon" and "Amazonas"/,
    });
  });
});

test("a prefix that is added to a node twice is contained once", () => {
  const builder = new CatalogueBuilder();
  assert.equal(builder.add(PREFIX, "a"), true);
  assert.equal(builder.add(PREFIX, "b"), true);
  assert.equal(builder.add(PREFIX, "a"), false);
  assert.deepEqual(builder.build({ title: "", createdAt: CREATED, sources: [] }).trie.values(PREFIX), [1, 2]);
});

test("appended prefixes yield the same table as added ones, even with expiries and repetitions", () => {
  const about = { title: "", createdAt: CREATED, sources: [] };
  const [wide, narrow] = [parsePrefix("10.0.0.0/8"), parsePrefix("10.1.0.0/16")];
  type Change = (builder: CatalogueBuilder, add: (prefix: typeof wide, id: string) => void) => void;
  const cases: Record<string, Change> = {
    "appended alone": (_, add) => [wide, narrow, wide].forEach((prefix) => add(prefix, "a")),
    "two nodes": (_, add) => ["b", "a", "b"].forEach((id) => add(wide, id)),
    "after what was added": (builder, add) => {
      builder.add(wide, "a");
      add(narrow, "b");
    },
    "before what expires": (builder, add) => {
      add(wide, "a");
      builder.add(wide, "a", null, 1000);
      builder.add(narrow, "a", null, 1000);
    },
    "after what expires": (builder, add) => {
      builder.add(wide, "a", null, 1000);
      add(wide, "a");
      add(narrow, "b");
    },
  };
  for (const [name, change] of Object.entries(cases)) {
    const [added, appended] = [new CatalogueBuilder(), new CatalogueBuilder()];
    change(added, (prefix, id) => void added.add(prefix, id));
    change(appended, (prefix, id) => appended.append(prefix, id));
    const expected = new Catalogue(added.freeze(about).metadata, added.freeze(about).table);
    const { table, metadata } = appended.freeze(about);
    const found = new Catalogue(metadata, table);
    for (const now of [0, 2000])
      for (const text of ["10.0.0.1", "10.1.0.1", "11.0.0.1"])
        assert.deepEqual(
          table
            .chain(table.lookup(text))
            .map((match) => [
              table.prefixLength(match),
              table.activeValues(match, now).map((value) => found.idOf(found.numberOf(value))),
            ]),
          expected.table
            .chain(expected.table.lookup(text))
            .map((match) => [
              expected.table.prefixLength(match),
              expected.table.activeValues(match, now).map((value) => expected.idOf(expected.numberOf(value))),
            ]),
          `${name}, ${text} at ${now}`,
        );
    // Frozen again, and built as a trie.
    assert.deepEqual(new Uint8Array(appended.freeze(about).table.buffer), new Uint8Array(table.buffer), name);
    assert.equal(appended.build(about).trie.size, table.prefixCount(4), name);
    const finished = new CatalogueBuilder();
    change(finished, (prefix, id) => finished.append(prefix, id));
    assert.deepEqual(new Uint8Array(finished.finish(about).table.buffer), new Uint8Array(table.buffer), name);
  }
  assert.throws(() => new CatalogueBuilder().append(wide, "/cloud"), { code: "bad-id" });
});

/**
 * Nodes as they are stored: the texts, and for each node the value of its parent, its part and its name, as indexes of
 * texts.
 */
function stored(
  texts: readonly string[],
  ...nodes: readonly (readonly [parent: number, part: number, name: number])[]
) {
  return {
    texts: texts.map((text) => `${text}\n`).join(""),
    places: new Uint8Array(Uint32Array.from(nodes.flat()).buffer),
  };
}

test("nodes are stored with each text once", () => {
  const { metadata } = catalogueOf([["192.0.2.0/24", "/cloud/aws/by-region/eu/aws", "a/b"]], { "/cloud/aws": "eu" });
  assert.deepEqual(
    metadata.nodes,
    stored(
      ["/cloud", "Cloud", "aws", "eu", "by-region", "By region", "a/b"],
      [0, 0, 1],
      [1, 2, 3],
      [2, 4, 5],
      [3, 3, 3],
      [4, 2, 2],
      [0, 6, 6],
    ),
  );
});

describe("metadata from a hostile file", () => {
  const table = freeze(new PrefixTrie());
  const source = { name: "s", version: null, url: null, license: null, attribution: null };
  const good = {
    format: 2,
    title: "t",
    createdAt: "2026-06-17T00:00:00.000Z",
    sources: [source],
    nodes: stored(["/cloud", "aws"], [0, 0, 0], [1, 1, 1]),
  };
  const change = (member: string, value: unknown) => ({ ...good, [member]: value });
  const nodes = (...given: Parameters<typeof stored>) => change("nodes", stored(...given));
  const id = (text: string) => nodes([text, "x"], [0, 0, 1]);
  const below = (part: string) => nodes(["/cloud", part, "x"], [0, 0, 2], [1, 1, 2]);
  const path = (parts: number) =>
    nodes(["/a", "a"], ...Array.from({ length: parts }, (_, i) => [i, i === 0 ? 0 : 1, 1] as const));
  const cases: [what: string, metadata: unknown, code: CatalogueErrorCode][] = [
    ["null", null, "bad-metadata"],
    ["a text", "catalogue", "bad-metadata"],
    ["an array", [good], "bad-metadata"],
    ["an empty object", {}, "bad-metadata"],
    ["another format", change("format", 1), "bad-metadata"],
    ["no title", change("title", undefined), "bad-metadata"],
    ["a date that is none", change("createdAt", "yesterday-ish"), "bad-metadata"],
    ["a number for a date", change("createdAt", 1), "bad-metadata"],
    ["no sources", change("sources", null), "bad-metadata"],
    ["a source that is a text", change("sources", ["s"]), "bad-metadata"],
    ["a source without a member", change("sources", [{ name: "s" }]), "bad-metadata"],
    [
      "a source with a time that is none",
      change("sources", [{ ...source, fetchedAt: "yesterday-ish" }]),
      "bad-metadata",
    ],
    ["a source with a number for a time", change("sources", [{ ...source, changedAt: 1 }]), "bad-metadata"],
    ["a source with a number for an id", change("sources", [{ ...source, id: 1 }]), "bad-metadata"],
    ["no nodes", change("nodes", undefined), "bad-metadata"],
    ["nodes in an array", change("nodes", [{ id: "/cloud", name: "Cloud" }]), "bad-metadata"],
    ["texts that are bytes", change("nodes", { ...good.nodes, texts: new Uint8Array() }), "bad-metadata"],
    ["texts without a line end", change("nodes", { ...good.nodes, texts: "/cloud\naws" }), "bad-metadata"],
    ["places that are an array", change("nodes", { ...good.nodes, places: [0, 0, 0] }), "bad-metadata"],
    ["half a node", change("nodes", { ...good.nodes, places: good.nodes.places.subarray(0, 18) }), "bad-metadata"],
    ["a part that is not there", nodes(["a"], [0, 1, 0]), "bad-metadata"],
    ["a name that is not there", nodes(["a"], [0, 0, 2 ** 32 - 1]), "bad-metadata"],
    ["a node twice", nodes(["a"], [0, 0, 0], [0, 0, 0]), "bad-metadata"],
    ["two nodes below one by one name", nodes(["/a", "b"], [0, 0, 0], [1, 1, 1], [1, 1, 0]), "bad-metadata"],
    ["two texts that are the same, in one place", nodes(["a", "a"], [0, 0, 0], [0, 1, 0]), "bad-metadata"],
    ["a node above itself", nodes(["/a", "b"], [1, 0, 0]), "bad-metadata"],
    ["a node in front of the one above it", nodes(["/a", "b"], [0, 0, 0], [3, 1, 1], [1, 1, 1]), "bad-metadata"],
    ["a node above all that is a path below one", id("/cloud/aws"), "bad-metadata"],
    ["a part that is two", below("a/b"), "bad-metadata"],
    ["a node below a label", nodes(["label", "x"], [0, 0, 1], [1, 1, 1]), "bad-metadata"],
    ["a node below a label that is not plain", nodes(["é", "x"], [0, 0, 1], [1, 1, 1]), "bad-metadata"],
    ["no id", id(""), "bad-id"],
    ["a path of nothing", id("/"), "bad-id"],
    ["an empty part", below(""), "bad-id"],
    ["an id that breaks rows", id("a\tb"), "bad-id"],
    ["a part that breaks rows", below("a\x85b"), "bad-id"],
    ["an id that would be a hole", id("a\0\xff"), "bad-id"],
    ["an id with a comma", id("a,b"), "bad-id"],
    ["a part with a comma", below("a,b"), "bad-id"],
    ["a part with white space behind it", below("a\u3000"), "bad-id"],
    ["half a surrogate pair", below("\ud800"), "bad-id"],
    ["a path of 17 parts", path(17), "bad-id"],
    ["an endless path", path(10_000), "bad-id"],
    ["an endless label", id("a".repeat(1001)), "bad-id"],
    ["an endless part", below("a".repeat(1_000_000)), "bad-id"],
    ["a name that breaks rows", nodes(["a", "x\x7f255\x7f"], [0, 0, 1]), "bad-name"],
    ["an empty name", nodes(["a", ""], [0, 0, 1]), "bad-name"],
    ["an endless name", nodes(["a", "x".repeat(1001)], [0, 0, 1]), "bad-name"],
  ];
  for (const [what, metadata, code] of cases) {
    test(what, () => assert.throws(() => new Catalogue(metadata, table), { name: "CatalogueError", code }));
    // Only a comparison of all nodes shows that two are equal.
    if (!/twice|two nodes|two texts/.test(what))
      test(`${what}, when its nodes are read`, () =>
        assert.throws(() => new Catalogue(metadata, table, 0, "on demand").nodes, { name: "CatalogueError" }));
  }
  test("a valid node beside an invalid one can be read", () => {
    const catalogue = new Catalogue(nodes(["/cloud", "a,b"], [0, 0, 0], [1, 1, 1]), table, 0, "on demand");
    assert.deepEqual([catalogue.node(1).id, catalogue.nodeCount], ["/cloud", 2]);
    assert.throws(() => catalogue.node(2), { code: "bad-id" });
  });
  test("the metadata that they are all made from is valid", () =>
    assert.deepEqual(
      new Catalogue(good, table).nodes.map((node) => node.id),
      ["/cloud", "/cloud/aws"],
    ));
  test("so are 16 parts, 1000 characters, values that are not plain, and an unused text", () => {
    for (const fine of [
      path(16),
      id("a".repeat(1000)),
      id(`/${"a".repeat(999)}`),
      below("a".repeat(993)),
      id("http://é"),
      below("é 💡"),
      below(" a"),
      nodes(["a", "\0"], [0, 0, 0]),
    ]) {
      assert.deepEqual(new Catalogue(fine, table, 0, "on demand").nodes, new Catalogue(fine, table).nodes);
    }
  });

  test("a text of a million characters in ten thousand nodes is rejected quickly", () => {
    const long = "é".repeat(1_000_000);
    const many = Array.from({ length: 10_000 }, (_, i) => [i === 0 ? 0 : 1, i === 0 ? 0 : i, 0] as const);
    assert.throws(
      () =>
        new Catalogue(
          nodes(
            ["/a", ...many.keys().map((i) => `${i}é`), long],
            ...many,
            [2, many.length + 1, 0],
            [2, many.length + 1, 0],
          ),
          table,
        ),
      { code: "bad-id" },
    );
  });

  test("stored nodes equal those passed to the builder", () => {
    fc.assert(
      fc.property(entries, (lines) => {
        const { metadata, table, nodes: all } = catalogueOf(lines);
        assert.deepEqual(new Catalogue(metadata, table, 0, "on demand").nodes, all);
        const ids = new Set(
          lines
            .flatMap(([, ...ids]) => ids)
            .flatMap((id) =>
              id.startsWith("/")
                ? id
                    .split("/")
                    .slice(1)
                    .map((_, i, parts) => `/${parts.slice(0, i + 1).join("/")}`)
                : [id],
            ),
        );
        assert.deepEqual(new Catalogue(metadata, table).nodes.map((node) => node.id).sort(), [...ids].sort());
      }),
      { seed: 1 },
    );
  });

  test("sources of the first versions have neither an id nor times; those of later ones keep theirs", () => {
    const times = { publishedAt: "2026-11-20T00:00:00.000Z", fetchedAt: "2026-11-21T00:00:00.000Z", changedAt: null };
    assert.deepEqual(new Catalogue(good, table).metadata.sources, [
      { ...source, id: null, publishedAt: null, fetchedAt: null, changedAt: null },
    ]);
    assert.deepEqual(new Catalogue(change("sources", [{ ...source, id: "aws", ...times }]), table).metadata.sources, [
      { ...source, id: "aws", ...times },
    ]);
  });

  test("ids such as __proto__ are ordinary", () => {
    const catalogue = catalogueOf([["192.0.2.0/24", "__proto__", "constructor", "/cloud/toString"]]);
    assert.deepEqual(
      catalogue.nodesOf(1 as MatchId).map((node) => node.id),
      ["/cloud/toString", "__proto__", "constructor"],
    );
  });

  test("a value without a node", () => {
    const trie = new PrefixTrie();
    trie.insert(PREFIX, 3);
    const catalogue = new Catalogue(good, freeze(trie));
    const expected = { name: "CatalogueError", code: "unknown-value", value: 3 };
    assert.throws(() => catalogue.nodesOf(catalogue.table.lookup("192.0.2.1")), expected);
    assert.throws(() => catalogue.checkValues(), expected);
    catalogueOf([["192.0.2.0/24", "a"]]).checkValues();
  });
});
