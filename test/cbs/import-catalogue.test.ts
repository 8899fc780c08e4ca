import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { formatPrefix } from "../../src/address/prefix.ts";
import { Catalogue } from "../../src/cbs/catalogue.ts";
import { identifyText } from "../../src/cbs/identify.ts";
import { importCatalogue, type ListTimes } from "../../src/cbs/import-catalogue.ts";
import { plainText } from "../../src/cbs/importers/plain-text.ts";
import { SOURCES } from "../../src/cbs/importers/sources.ts";
import { freeze } from "../../src/table/freeze.ts";
import { fullServiceName } from "../../src/cbs/lines-by.ts";
import { catalogueOf } from "./catalogues.ts";
import { noPublishedLists, readPublished } from "./published-lists.ts";

const ABOUT = { title: "Test", createdAt: new Date("2026-11-21T00:00:00Z") };

function importTexts(texts: Record<string, string>) {
  const imported = importCatalogue((path) => texts[path], ABOUT);
  const status = Object.fromEntries(
    imported.reports.filter((report) => report.status !== "absent").map((report) => [report.source.id, report.status]),
  );
  return { ...imported, status, catalogue: new Catalogue(imported.metadata, freeze(imported.trie)) };
}

const AWS = JSON.stringify({
  syncToken: "1",
  createDate: "2026-08-22-21-17-05",
  prefixes: [
    { ip_prefix: "64.252.64.0/18", region: "GLOBAL", service: "CLOUDFRONT" },
    { ip_prefix: "64.252.81.0/24", region: "sa-east-1", service: "CLOUDFRONT" },
    { ip_prefix: "64.252.81.0/24", region: "sa-east-1", service: "AMAZON" },
  ],
  ipv6_prefixes: [{ ipv6_prefix: "2600:1f14::/35", region: "us-west-2", service: "EC2" }],
});
const GOOG =
  '{"creationTime":"2026-08-21T01:05:42.583377","prefixes":[{"ipv4Prefix":"34.0.0.0/15"},{"ipv6Prefix":"2001:4860::/32"}]}';
const CLOUD =
  '{"prefixes":[{"ipv4Prefix":"34.1.0.0/16","service":"Google Cloud","scope":"us-central1"},{"ipv4Prefix":"34.0.0.0/17","service":"Google Cloud","scope":"global"}]}';
const GITHUB = '{"actions":["64.252.81.128/25"],"web":["64.252.81.128/25"]}';

describe("the catalogue of published lists", () => {
  test("clouds are divided by service and by region, one prefix in many nodes", () => {
    const { catalogue, metadata } = importTexts({ "aws/ip-ranges.json": AWS, "github/meta.json": GITHUB });
    const found = identifyText(catalogue, "64.252.81.200");
    assert.deepEqual(found.cbs_ids, [
      "/cloud/aws/by-region/sa-east-1/amazon",
      "/cloud/aws/by-region/sa-east-1/cloudfront",
      "/cloud/aws/by-service/amazon/sa-east-1",
      "/cloud/aws/by-service/cloudfront",
      "/cloud/aws/by-service/cloudfront/sa-east-1",
      "/saas/github/actions",
      "/saas/github/web",
    ]);
    assert.deepEqual(
      [found.cidr, found.providers, found.services, found.regions],
      ["64.252.81.128/25", ["aws", "github"], ["actions", "amazon", "cloudfront", "web"], ["sa-east-1"]],
    );
    assert.ok(
      found.labels.includes("Cloud > Amazon Web Services > By service > Amazon CloudFront > South America (São Paulo)"),
    );
    assert.ok(
      found.labels.includes("Cloud > Amazon Web Services > By region > South America (São Paulo) > Amazon CloudFront"),
    );
    assert.ok(found.labels.includes("SaaS > GitHub > Actions"));
    assert.equal(catalogue.nodes.length, new Set(catalogue.nodes.map(({ id }) => id)).size);
    assert.deepEqual(
      metadata.sources.map(({ name, version, url }) => [name, version, url]),
      [
        ["Amazon Web Services", "2026-08-22T21:17:05.000Z", "https://ip-ranges.amazonaws.com/ip-ranges.json"],
        ["GitHub", null, "https://api.github.com/meta"],
      ],
    );
  });

  test("a label does not repeat the provider's name", () => {
    const { catalogue } = importTexts({
      "google/cloud.json": CLOUD,
      "oracle/public_ip_ranges.json":
        '{"last_updated_timestamp":"2026-01-01T00:00:00.0","regions":[{"region":"eu-frankfurt-1","cidrs":[{"cidr":"129.146.0.0/21","tags":["OCI"]}]}]}',
      "zoom/ZoomMeetings.txt": "3.7.35.0/25\n",
    });
    const labels = catalogue.nodes.map(({ label }) => label);
    for (const label of [
      "Cloud > Google Cloud > By service > All services",
      "Cloud > Oracle Cloud > By service > Infrastructure",
      "SaaS > Zoom > Meetings",
    ])
      assert.ok(labels.includes(label), `${label}: ${labels.join("\n")}`);
    const names = new Map(catalogue.nodes.map(({ id, name }) => [id, name]));
    const full = (id: string) =>
      fullServiceName(
        catalogue.nodes.find((node) => node.id === id)!,
        names,
      );
    assert.deepEqual(
      ["/cloud/google/by-service/google-cloud", "/cloud/oracle/by-service/oci", "/saas/zoom/meetings"].map(full),
      ["Google Cloud All services", "Oracle Cloud Infrastructure", "Zoom Meetings"],
    );
    // Catalogues made before the rename give both nodes the same name.
    const old = catalogueOf(
      [
        ["10.0.0.0/8", "/cloud/google/by-service/google-cloud"],
        ["11.0.0.0/8", "/cloud/aws/by-service/ec2"],
      ],
      {
        "/cloud/google": "Google Cloud",
        "/cloud/google/by-service/google-cloud": "Google Cloud",
        "/cloud/aws": "Amazon Web Services",
        "/cloud/aws/by-service/ec2": "Amazon EC2",
      },
    );
    const oldNames = new Map(old.nodes.map(({ id, name }) => [id, name]));
    assert.deepEqual(
      old.nodes
        .filter(({ service }) => service !== null)
        .map((node) => fullServiceName(node, oldNames))
        .sort(),
      ["Amazon EC2", "Google Cloud"],
    );
  });

  test("global is not a region, neither as a node nor in a document", () => {
    const { catalogue } = importTexts({ "aws/ip-ranges.json": AWS });
    assert.deepEqual(
      catalogue.nodes.filter(({ id }) => /global/i.test(id)),
      [],
    );
    const { regions, cbs_ids } = identifyText(catalogue, "64.252.65.1");
    assert.deepEqual([regions, cbs_ids], [[], ["/cloud/aws/by-service/cloudfront"]]);
  });

  test("Google is without Google Cloud, by addresses", () => {
    const { trie, catalogue } = importTexts({ "google/goog.json": GOOG, "google/cloud.json": CLOUD });
    assert.deepEqual(
      [...trie].map(({ prefix }) => formatPrefix(prefix)),
      ["34.0.0.0/17", "34.0.128.0/17", "34.1.0.0/16", "2001:4860::/32"],
    );
    assert.deepEqual(identifyText(catalogue, "34.0.128.1").cbs_ids, ["/saas/google"]);
    assert.deepEqual(identifyText(catalogue, "34.0.1.1").cbs_ids, ["/cloud/google/by-service/google-cloud"]);
    assert.deepEqual(identifyText(catalogue, "34.1.1.1").regions, ["us-central1"]);
  });

  test("Google cannot be imported without the list of Google Cloud", () => {
    for (const cloud of [undefined, "{", '{"prefixes":[]}']) {
      const { reports, trie } = importTexts({
        "google/goog.json": GOOG,
        ...(cloud === undefined ? {} : { "google/cloud.json": cloud }),
      });
      const { status, error } = reports.find(({ source }) => source.id === "google")!;
      assert.deepEqual([status, trie.size], ["failed", 0]);
      assert.match(error!, /google-cloud/);
    }
  });

  test("a bad list excludes its whole source, and the error says where", () => {
    const { reports, status, catalogue } = importTexts({
      "cloudflare/ips-v4": "192.0.2.0/24\n",
      "cloudflare/ips-v6": "2001:db8::/32\n2001:db8:::/48\n",
      "github/meta.json": GITHUB,
    });
    assert.deepEqual(status, { cloudflare: "failed", github: "imported" });
    assert.match(
      reports.find(({ source }) => source.id === "cloudflare")!.error!,
      /^cloudflare\/ips-v6: line 2, column 11: "2001:db8:::\/48": /,
    );
    assert.equal(identifyText(catalogue, "192.0.2.1").found, false);
    assert.deepEqual(
      catalogue.nodes.filter(({ id }) => id.startsWith("/cdn")),
      [],
    );
  });

  test("the report counts entries and names missing files", () => {
    const { reports } = importTexts({ "cloudflare/ips-v4": "192.0.2.0/24\n192.0.2.1/24\n198.51.100.0/24" });
    const { files, missing, error } = reports.find(({ source }) => source.id === "cloudflare")!;
    assert.deepEqual(
      files.map(({ path, ipv4, ipv6, warningCounts }) => [path, ipv4, ipv6, warningCounts]),
      [["cloudflare/ips-v4", 3, 0, { "host-bits": 1 }]],
    );
    assert.deepEqual([missing, error], [["cloudflare/ips-v6"], null]);
    assert.equal(reports.length, SOURCES.length);
  });

  test("a source was published at the time of its newest file, fetched at that of its oldest, and changed at that of its last change", () => {
    const texts: Record<string, string> = {
      "cloudflare/ips-v4": "192.0.2.0/24",
      "cloudflare/ips-v6": "2001:db8::/32",
      "google/cloud.json": CLOUD,
      "google/goog.json": GOOG,
    };
    const day = (date: number): string => `2026-11-${date}T00:00:00.000Z`;
    const times: Record<string, ListTimes> = {
      "cloudflare/ips-v4": { publishedAt: day(11), fetchedAt: day(21), changedAt: day(12) },
      "cloudflare/ips-v6": { publishedAt: day(10), fetchedAt: day(20), changedAt: day(13) },
      "google/goog.json": { publishedAt: day(10), fetchedAt: day(20), changedAt: day(13) },
    };
    const { metadata } = importCatalogue(
      (path) => texts[path],
      ABOUT,
      SOURCES,
      (path) => times[path],
    );
    const timesById = Object.fromEntries(
      metadata.sources.map(({ id, publishedAt, fetchedAt, changedAt }) => [id, [publishedAt, fetchedAt, changedAt]]),
    );
    assert.deepEqual(timesById, {
      cloudflare: [day(11), day(20), day(13)],
      // The time in the list itself takes precedence.
      google: ["2026-08-21T01:05:42.583Z", day(20), day(13)],
      "google-cloud": [null, null, null],
    });
  });

  test("nodes do not depend on other imports or on the order in the lists", () => {
    const ids = (texts: Record<string, string>) =>
      importTexts(texts)
        .catalogue.nodes.map(({ id, name }) => `${id} ${name}`)
        .sort();
    const reversed = JSON.stringify({ ...JSON.parse(AWS), prefixes: JSON.parse(AWS).prefixes.reverse() });
    assert.deepEqual(ids({ "aws/ip-ranges.json": reversed }), ids({ "aws/ip-ranges.json": AWS }));
    const among = ids({ "aws/ip-ranges.json": AWS, "github/meta.json": GITHUB, "google/cloud.json": CLOUD });
    assert.deepEqual(
      ids({ "aws/ip-ranges.json": AWS }).filter((id) => !among.includes(id)),
      [],
    );
  });

  test("a source whose list names regions must be defined with regions", () => {
    const github = SOURCES.find(({ id }) => id === "github")!;
    const file = { ...github.files[0]!, importer: plainText({ region: "eu" }) };
    assert.throws(
      () => importCatalogue(() => "192.0.2.0/24", ABOUT, [{ ...github, files: [file] }]),
      /\/saas\/github names regions/,
    );
  });
});

test("the catalogue of the published lists", { skip: noPublishedLists }, (context) => {
  const { trie, metadata, reports } = importCatalogue(readPublished, ABOUT);
  const catalogue = new Catalogue(metadata, freeze(trie));
  catalogue.checkValues();
  const imported = reports.filter(({ status }) => status === "imported");
  context.diagnostic(
    `${imported.length} sources, ${trie.size} prefixes, ${catalogue.nodes.length} nodes, ${catalogue.table.matchCount} matches`,
  );
  assert.deepEqual(
    reports.filter(({ status }) => status === "failed"),
    [],
  );
  assert.ok(imported.length >= 35 && trie.size > 90_000);
  assert.deepEqual(
    catalogue.nodes.filter(({ id }) => !/^(\/[a-z0-9_.-]+){1,5}$/.test(id)),
    [],
  );
  // No Google Cloud address belongs to the Google node, and neither does any in Google's own list.
  const cloud = JSON.parse(readPublished("google/cloud.json")!) as { prefixes: Record<string, string>[] };
  for (const { ipv4Prefix, ipv6Prefix } of cloud.prefixes) {
    assert.equal(identifyText(catalogue, (ipv4Prefix ?? ipv6Prefix)!).cbs_ids.includes("/saas/google"), false);
  }
  assert.deepEqual(identifyText(catalogue, "8.8.8.8").cbs_ids, ["/saas/google"]);
});
