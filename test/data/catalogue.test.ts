import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { readAsnTable } from "../../data/asn-table.ts";
import { buildCatalogue, buildNetworkCatalogue, prefixAt } from "../../data/build-catalogue.ts";
import { providerErrors, readProviders } from "../../data/providers.ts";
import { readTable, writeTable } from "../../data/official/official-table.ts";
import { listText, officialSources, readTables, tablePath } from "../../data/official/tables.ts";
import { formatPrefix, parsePrefix } from "../../src/address/prefix.ts";
import { importCatalogue } from "../../src/cbs/import-catalogue.ts";
import { segmentOf } from "../../src/cbs/importers/imported-list.ts";
import { SOURCES } from "../../src/cbs/importers/sources.ts";
import { impossibleList } from "../../src/update/guard-list.ts";
import { parseAddress } from "../../src/address/parse-address.ts";
import { AS_SOURCE, Catalogue } from "../../src/cbs/catalogue.ts";
import { identifyText } from "../../src/cbs/identify.ts";
import { freeze } from "../../src/table/freeze.ts";
import { onlyLong } from "../rounds.ts";

const table = readAsnTable();
const providers = readProviders();
const { trie, metadata: networkMetadata } = buildNetworkCatalogue(table, providers);
const networks = new Catalogue(networkMetadata, freeze(trie));
const tables = readTables();
const built = buildCatalogue(table, providers, tables);
const { metadata } = built;
const catalogue = new Catalogue(metadata, built.table);

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
    assert.throws(() => buildNetworkCatalogue(table, [{ ...aws, asns: [13335] }]), /does not fit the table/);
  });
});

test("the layer of AS numbers holds every prefix of the map's AS numbers and no other", (context) => {
  networks.checkValues();
  const owners = new Map(providers.flatMap(({ id, asns = [] }) => asns.map((asn): [number, string] => [asn, id])));
  let owned = 0;
  for (const prefixes of [table.ipv4, table.ipv6]) {
    for (let at = 0; at < prefixes.count; at += 7) {
      const match = networks.table.get(prefixAt(prefixes, at));
      const owner = owners.get(prefixes.asns[at]!);
      assert.deepEqual(
        networks.ownNodesOf(match).map((node) => node.id),
        owner === undefined ? [] : [owner],
      );
      owned += Number(owner !== undefined);
    }
  }
  context.diagnostic(
    `${owned} prefixes compared, ${trie.size} in the layer, ${networks.table.matchCount} matches, ${networks.nodes.length} nodes`,
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
    ["52.96.1.1", "/cloud/azure", "Cloud > Microsoft Azure"],
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
  assert.equal(metadata.createdAt, "2026-10-26T00:00:00.000Z");
  const asn = metadata.sources.find(({ id }) => id === AS_SOURCE);
  assert.deepEqual([asn?.name, asn?.version, asn?.license], ["@ip-location-db/asn", table.version, "CC-BY-4.0"]);
  for (const owed of ["routeviews.org", "nro.net", "db-ip.com"]) assert.ok(asn?.attribution?.includes(owed), owed);
});

describe("the official lists", () => {
  test("each has publisher, date, origin and licence, also in the catalogue", (context) => {
    for (const [path, { publisher, list, date, origin, licence }] of tables) {
      assert.ok(publisher !== "" && URL.canParse(list), path);
      assert.match(date, /^20\d\d-\d\d-\d\d$/, path);
      assert.match(origin, /^PyPI [a-z-]+ \d+\.\d+\.\d+$/, path);
      assert.match(licence, /^(MIT|CC0-1\.0) /, path);
    }
    for (const { id, files, license } of officialSources(tables)) {
      const source = metadata.sources.find((known) => known.id === id);
      assert.ok(source !== undefined, id);
      const dates = files.map(({ path }) => `${tables.get(path)!.date}T00:00:00.000Z`).sort();
      assert.deepEqual([source.publishedAt, source.license], [dates.at(-1), license], id);
      assert.match(source.attribution!, /^copied from PyPI /, id);
    }
    context.diagnostic(`${tables.size} lists, ${metadata.sources.length} sources`);
  });

  test("pass the guards of updates", () => {
    for (const { files } of officialSources(tables))
      for (const { path, importer } of files)
        assert.equal(impossibleList(importer(listText(tables, path)!)), undefined);
  });

  test("are sorted, each prefix once per place, and written as they are read", () => {
    for (const file of SOURCES.flatMap(({ files }) => files).filter(({ path }) => tables.has(path))) {
      const url = tablePath(file);
      assert.equal(writeTable(readTable(readFileSync(url, "utf8"), file.path)), readFileSync(url, "utf8"), file.path);
    }
    const about =
      "# publisher: A\n# list: https://a.test\n# date: 2026-10-01\n# origin: PyPI a 1\n# licence: MIT\n# copy: whole\n";
    assert.throws(() => readTable(`${about}10.0.0.0/8\n?`, "a.txt"), /a\.txt:8/);
    assert.throws(() => readTable("10.0.0.0/8\n", "a.txt"), /a\.txt: its head does not name publisher/);
  });

  test("name every prefix that is in them, under the ids that their publishers' lists have", (context) => {
    let compared = 0;
    for (const source of officialSources(tables).filter(({ minus }) => minus === undefined)) {
      for (const { path } of source.files) {
        for (const { service, region, prefixes } of tables.get(path)!.places) {
          for (const text of prefixes.filter((_, at) => at % 11 === 0)) {
            const ids = catalogue
              .claimsOf(catalogue.table.get(parsePrefix(text)))
              .filter((claim) => claim.source?.id === source.id);
            assert.ok(ids.length > 0, `${text} of ${path}`);
            const [code, ...more] = (region ?? "").split(" ");
            const isThere = ids.some(
              ({ node }) =>
                (service === null || node.service === segmentOf(service)) &&
                (code === "" || /global/i.test(code ?? "") || node.region === segmentOf(more[0] ?? code ?? "")),
            );
            assert.ok(isThere, `${text} of ${path} is not in ${service} ${region}`);
            compared++;
          }
        }
      }
    }
    context.diagnostic(`${compared} prefixes`);
    assert.ok(compared > 10_000);
  });

  test("newer lists are laid over the same AS numbers, as if these had come alone", { skip: onlyLong() }, (context) => {
    const newer = new Map(
      [...tables].map(([path, of]) => [
        path,
        { ...of, places: of.places.filter((_, at) => at % 5 !== 0 || of.places.length < 5) },
      ]),
    );
    const over = (base: Catalogue): string[] => {
      const about = { title: "Test", createdAt: new Date(0) };
      const { trie, metadata } = importCatalogue(
        (path) => listText(newer, path),
        about,
        officialSources(newer),
        undefined,
        base,
      );
      const result = new Catalogue(metadata, freeze(trie));
      const lines: string[] = metadata.sources.map(({ id, name }) => `${id} ${name}`).sort();
      for (const { prefix, values } of trie)
        for (const value of values) {
          const { node, source } = result.claim(value);
          lines.push(`${formatPrefix(prefix)} ${node.id} ${node.name} ${source?.id}`);
        }
      return lines.sort();
    };
    const [alone, together] = [over(networks), over(catalogue)];
    context.diagnostic(`${alone.length} claims`);
    assert.ok(alone.length > 300_000);
    assert.deepEqual(together.filter((line, at) => line !== alone[at]).slice(0, 5), []);
    assert.equal(together.length, alone.length);
  });

  test("a list that is not fetched stays in use, with its date", () => {
    const without = officialSources(tables).filter(({ id }) => id !== "aws" && id !== "tor");
    const { metadata: updated, trie } = importCatalogue(
      (path) => listText(tables, path),
      { title: "Test", createdAt: new Date(0) },
      without,
      undefined,
      catalogue,
    );
    const result = new Catalogue(updated, freeze(trie));
    assert.equal(updated.sources.find(({ id }) => id === "aws")?.publishedAt, "2026-10-26T00:00:00.000Z");
    for (const address of ["52.47.1.1", "185.220.101.1", "66.249.66.1", "20.42.65.92"])
      assert.deepEqual(
        identifyText(result, address).matches.map(({ cbs_id, cidr, source }) => [cbs_id, cidr, source]),
        identifyText(catalogue, address).matches.map(({ cbs_id, cidr, source }) => [cbs_id, cidr, source]),
        address,
      );
  });
});
