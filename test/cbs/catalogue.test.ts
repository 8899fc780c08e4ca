import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { parsePrefix } from "../../src/address/prefix.ts";
import { Catalogue, CatalogueBuilder } from "../../src/cbs/catalogue.ts";
import type { CatalogueErrorCode } from "../../src/cbs/catalogue-error.ts";
import { freeze } from "../../src/table/freeze.ts";
import { PrefixTrie } from "../../src/trie/prefix-trie.ts";
import { catalogueOf, CREATED } from "./catalogues.ts";

const PREFIX = parsePrefix("192.0.2.0/24");

function nodeOf(id: string, names: Record<string, string> = {}) {
  const node = catalogueOf([["192.0.2.0/24", id]], names).nodes.find((each) => each.id === id);
  assert.ok(node !== undefined);
  return node;
}

describe("the place of a node follows from its id", () => {
  const cases: [id: string, type: string, provider: string, service: string | null, region: string | null, label: string][] = [
    ["/cdn/cloudflare", "cdn", "cloudflare", null, null, "CDN > cloudflare"],
    ["/saas/github/actions", "saas", "github", "actions", null, "SaaS > github > actions"],
    ["/bot/google/googlebot", "bot", "google", "googlebot", null, "Web Crawlers & Bots > google > googlebot"],
    ["/cloud/aws/by-service/ec2/us-east-1", "cloud", "aws", "ec2", "us-east-1", "Cloud > aws > By service > ec2 > us-east-1"],
    ["/cloud/aws/by-region/us-east-1/ec2", "cloud", "aws", "ec2", "us-east-1", "Cloud > aws > By region > us-east-1 > ec2"],
    ["/cloud/aws/by-service/s3", "cloud", "aws", "s3", null, "Cloud > aws > By service > s3"],
    ["/cloud/aws/by-region/eu-west-1", "cloud", "aws", null, "eu-west-1", "Cloud > aws > By region > eu-west-1"],
    ["/cloud/aws/by-service/cloudfront/GLOBAL", "cloud", "aws", "cloudfront", null, "Cloud > aws > By service > cloudfront > GLOBAL"],
    ["/cloud/aws/by-region/global", "cloud", "aws", null, null, "Cloud > aws > By region > global"],
    ["/security/zscaler", "security", "zscaler", null, null, "Security > zscaler"],
    ["/isp/starlink", "isp", "starlink", null, null, "ISP > starlink"],
    ["/vpn/mullvad", "vpn", "mullvad", null, null, "vpn > mullvad"],
    ["my blocklist", "list", "my blocklist", null, null, "my blocklist"],
    ["feeds/spamhaus", "list", "feeds/spamhaus", null, null, "feeds/spamhaus"],
  ];
  for (const [id, type, provider, service, region, label] of cases) {
    test(id, () => assert.deepEqual(nodeOf(id), { id, name: nodeOf(id).name, type, provider, providerName: provider, service, region, label }));
  }
});

test("a node carries the names of those above it, whichever was named first", () => {
  const id = "/cloud/aws/by-service/ec2";
  const names = { [id]: "Elastic Compute Cloud", "/cloud/aws": "Amazon Web Services" };
  const node = nodeOf(id, names);
  assert.equal(node.label, "Cloud > Amazon Web Services > By service > Elastic Compute Cloud");
  assert.equal(node.providerName, "Amazon Web Services");
  assert.deepEqual(nodeOf(id, Object.fromEntries(Object.entries(names).reverse())), node);
});

test("ancestors are nodes too, and a value id is a node's place plus one", () => {
  const catalogue = catalogueOf([["192.0.2.0/24", "/cloud/aws/by-service/ec2"]]);
  assert.deepEqual(catalogue.nodes.map((node) => node.id), ["/cloud", "/cloud/aws", "/cloud/aws/by-service", "/cloud/aws/by-service/ec2"]);
  assert.equal(catalogue.node(4).id, "/cloud/aws/by-service/ec2");
  assert.deepEqual(catalogue.table.values(catalogue.table.lookup("192.0.2.1")), [4]);
  assert.deepEqual({ ...catalogue.nodes[0] }, { id: "/cloud", name: "Cloud", type: "cloud", provider: "", providerName: "", service: null, region: null, label: "Cloud" });
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

describe("the builder refuses", () => {
  const refusals: [id: string, why: RegExp][] = [
    ["", /empty/],
    ["/", /after each slash/],
    ["//aws", /after each slash/],
    ["/cloud/", /after each slash/],
    ["/cloud//ec2", /after each slash/],
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
      assert.deepEqual(builder.build({ title: "", createdAt: CREATED, sources: [] }).metadata.nodes, []);
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
    assert.throws(() => builder.addNode("/cloud/aws", "Amazonas"), { code: "node-conflict", message: /"Amazon" and "Amazonas"/ });
  });
});

test("a prefix that is added to a node twice is there once", () => {
  const builder = new CatalogueBuilder();
  assert.equal(builder.add(PREFIX, "a"), true);
  assert.equal(builder.add(PREFIX, "b"), true);
  assert.equal(builder.add(PREFIX, "a"), false);
  assert.deepEqual(builder.build({ title: "", createdAt: CREATED, sources: [] }).trie.values(PREFIX), [1, 2]);
});

describe("metadata from a hostile file", () => {
  const table = freeze(new PrefixTrie());
  const source = { name: "s", version: null, url: null, license: null, attribution: null };
  const good = { format: 1, title: "t", createdAt: "2026-06-17T00:00:00.000Z", sources: [source], nodes: [{ id: "/cloud", name: "Cloud" }, { id: "/cloud/aws", name: "AWS" }] };
  const change = (member: string, value: unknown) => ({ ...good, [member]: value });
  const cases: [what: string, metadata: unknown, code: CatalogueErrorCode][] = [
    ["null", null, "bad-metadata"],
    ["a text", "catalogue", "bad-metadata"],
    ["an array", [good], "bad-metadata"],
    ["an empty object", {}, "bad-metadata"],
    ["another format", change("format", 2), "bad-metadata"],
    ["no title", change("title", undefined), "bad-metadata"],
    ["a date that is none", change("createdAt", "yesterday-ish"), "bad-metadata"],
    ["a number for a date", change("createdAt", 1), "bad-metadata"],
    ["no sources", change("sources", null), "bad-metadata"],
    ["a source that is a text", change("sources", ["s"]), "bad-metadata"],
    ["a source without a member", change("sources", [{ name: "s" }]), "bad-metadata"],
    ["a source with a time that is none", change("sources", [{ ...source, fetchedAt: "yesterday-ish" }]), "bad-metadata"],
    ["a source with a number for a time", change("sources", [{ ...source, changedAt: 1 }]), "bad-metadata"],
    ["a source with a number for an id", change("sources", [{ ...source, id: 1 }]), "bad-metadata"],
    ["nodes in an object", change("nodes", { 0: { id: "/cloud", name: "Cloud" }, length: 1 }), "bad-metadata"],
    ["a node that is null", change("nodes", [null]), "bad-metadata"],
    ["a hole among the nodes", change("nodes", Object.assign([], { length: 2 })), "bad-metadata"],
    ["an id that is a number", change("nodes", [{ id: 1, name: "x" }]), "bad-metadata"],
    ["a node twice", change("nodes", [good.nodes[0], good.nodes[0]]), "bad-metadata"],
    ["a missing ancestor", change("nodes", [good.nodes[1]]), "bad-metadata"],
    ["an id that breaks rows", change("nodes", [{ id: "a\nb", name: "x" }]), "bad-id"],
    ["an id that would be a hole", change("nodes", [{ id: "a\0\xff", name: "x" }]), "bad-id"],
    ["an endless path", change("nodes", [{ id: "/a".repeat(1_000_000), name: "x" }]), "bad-id"],
    ["a name that breaks rows", change("nodes", [{ id: "a", name: "x\x7f255\x7f" }]), "bad-name"],
    ["no name", change("nodes", [{ id: "a" }]), "bad-metadata"],
  ];
  for (const [what, metadata, code] of cases) {
    test(what, () => assert.throws(() => new Catalogue(metadata, table), { name: "CatalogueError", code }));
  }
  test("the one they are all made from is fine", () => assert.equal(new Catalogue(good, table).nodes.length, 2));

  test("sources of the first versions have neither an id nor times; those of later ones keep theirs", () => {
    const times = { publishedAt: "2026-11-20T00:00:00.000Z", fetchedAt: "2026-11-21T00:00:00.000Z", changedAt: null };
    assert.deepEqual(new Catalogue(good, table).metadata.sources, [{ ...source, id: null, publishedAt: null, fetchedAt: null, changedAt: null }]);
    assert.deepEqual(new Catalogue(change("sources", [{ ...source, id: "aws", ...times }]), table).metadata.sources, [{ ...source, id: "aws", ...times }]);
  });

  test("ids such as __proto__ are ordinary", () => {
    const catalogue = catalogueOf([["192.0.2.0/24", "__proto__", "constructor", "/cloud/toString"]]);
    assert.deepEqual(catalogue.nodesOf(1).map((node) => node.id), ["/cloud/toString", "__proto__", "constructor"]);
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
