import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readAsnTable } from "../../data/asn-table.ts";
import { buildCatalogue, prefixAt } from "../../data/build-catalogue.ts";
import { providerErrors, readProviders } from "../../data/providers.ts";
import { parseAddress } from "../../src/address/parse-address.ts";
import { Catalogue } from "../../src/cbs/catalogue.ts";
import { identifyText } from "../../src/cbs/identify.ts";
import { freeze } from "../../src/table/freeze.ts";

const table = readAsnTable();
const providers = readProviders();
const { trie, metadata } = buildCatalogue(table, providers);
const catalogue = new Catalogue(metadata, freeze(trie));

describe("the map of providers", () => {
  test("has the same organisation for every AS number as the table", (context) => {
    assert.deepEqual(providerErrors(providers, table.organisations), []);
    const asns = providers.flatMap((provider) => provider.asns ?? []);
    context.diagnostic(`${providers.length} providers, ${asns.length} AS numbers`);
    // The README states 450.
    assert.ok(providers.filter((provider) => provider.asns !== undefined).length >= 450 && asns.length > 1000);
  });

  test("has every type, a name and a homepage everywhere, and nothing else", () => {
    const types = new Set(providers.map((provider) => provider.id.split("/")[1]));
    assert.deepEqual([...types].sort(), ["bot", "cdn", "cloud", "isp", "saas", "security"]);
    const members = new Set(["id", "name", "asns", "asName", "homepage", "note"]);
    for (const provider of providers) {
      assert.match(provider.id, /^\/(bot|cdn|cloud|isp|saas|security)(\/[a-z0-9-]+)+$/);
      assert.ok(URL.canParse(provider.homepage) && provider.name !== "", provider.id);
      assert.deepEqual(
        Object.keys(provider).filter((member) => !members.has(member)),
        [],
        provider.id,
      );
    }
  });

  test("negative control: errors are detected", () => {
    const aws = { id: "/cloud/aws", name: "AWS", asns: [16509], asName: "^Amazon", homepage: "https://aws.amazon.com" };
    const errors = (...entries: Partial<typeof aws>[]) =>
      providerErrors(
        entries.map((entry) => ({ ...aws, ...entry })),
        table.organisations,
      );
    assert.deepEqual(errors({}), []);
    assert.match(errors({ asns: [16510] })[0]!, /AS16510 of \/cloud\/aws/);
    assert.match(errors({ asns: [13335] })[0]!, /belongs to Cloudflare, Inc\., which does not match \^Amazon/);
    assert.match(errors({ asns: [4_200_000_000] })[0]!, /announces nothing/);
    assert.match(errors({ asName: "" })[0]!, /which organisation/);
    assert.match(errors({}, { id: "/cloud/b" })[0]!, /both \/cloud\/aws and \/cloud\/b/);
    assert.match(errors({}, { asns: [] })[0]!, /twice/);
    assert.throws(() => buildCatalogue(table, [{ ...aws, asns: [13335] }]), /does not fit the table/);
  });
});

test("the catalogue holds every prefix of the map's AS numbers and no other", (context) => {
  catalogue.checkValues();
  const owners = new Map(providers.flatMap(({ id, asns = [] }) => asns.map((asn): [number, string] => [asn, id])));
  let owned = 0;
  for (const prefixes of [table.ipv4, table.ipv6]) {
    for (let at = 0; at < prefixes.count; at += 7) {
      const match = catalogue.table.get(prefixAt(prefixes, at));
      const owner = owners.get(prefixes.asns[at]!);
      assert.deepEqual(
        catalogue.ownNodesOf(match).map((node) => node.id),
        owner === undefined ? [] : [owner],
      );
      owned += Number(owner !== undefined);
    }
  }
  context.diagnostic(
    `${owned} prefixes compared, ${trie.size} in the catalogue, ${catalogue.table.matchCount} matches, ${catalogue.nodes.length} nodes`,
  );
  assert.ok(owned > 30_000);
});

describe("well-known addresses", () => {
  const cases: [address: string, id: string, label: string][] = [
    ["1.1.1.1", "/cdn/cloudflare", "CDN > Cloudflare"],
    ["2606:4700:4700::1111", "/cdn/cloudflare", "CDN > Cloudflare"],
    ["8.8.8.8", "/saas/google", "SaaS > Google"],
    ["9.9.9.9", "/security/quad9", "Security > Quad9"],
    ["17.253.144.10", "/saas/apple", "SaaS > Apple"],
    ["151.101.1.140", "/cdn/fastly", "CDN > Fastly"],
    ["140.82.121.3", "/saas/github", "SaaS > GitHub"],
    ["208.67.222.222", "/security/cisco/umbrella", "Security > Cisco > Umbrella (OpenDNS)"],
    ["208.80.154.224", "/saas/wikimedia", "SaaS > Wikimedia"],
    ["13.107.42.14", "/cloud/azure", "Cloud > Microsoft Azure"],
    ["157.240.1.35", "/saas/meta", "SaaS > Meta"],
    ["207.241.224.2", "/bot/internet-archive", "Web Crawlers & Bots > Internet Archive"],
  ];
  for (const [address, id, label] of cases) {
    test(address, () => {
      const document = identifyText(catalogue, address);
      assert.deepEqual([document.cbs_ids, document.labels], [[id], [label]]);
    });
  }
  test("addresses without an owner", () => {
    for (const address of ["10.0.0.1", "127.0.0.1", "192.0.2.1", "224.0.0.1", "::1", "2001:db8::1", "fe80::1"]) {
      assert.equal(catalogue.table.lookupAddress(parseAddress(address)), 0, address);
    }
  });
});

test("the metadata has the origin, the license and the date of the data", () => {
  assert.equal(metadata.createdAt, "2026-06-17T19:00:00.000Z");
  const [asn] = metadata.sources;
  assert.deepEqual([asn?.name, asn?.version, asn?.license], ["@ip-location-db/asn", table.version, "CC-BY-4.0"]);
  for (const owed of ["routeviews.org", "nro.net", "db-ip.com"]) assert.ok(asn?.attribution?.includes(owed), owed);
});
