import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { readProviders } from "../../../data/providers.ts";
import { AWS_REGIONS, AWS_SERVICES, GOOGLE_REGIONS, ORACLE_SERVICES } from "../../../src/cbs/importers/_names.ts";
import { GENERIC_IMPORTERS, SOURCES } from "../../../src/cbs/importers/sources.ts";

test("every source has what is needed to identify and to fetch it", (context) => {
  const ids = new Set<string>();
  const paths = new Set<string>();
  const roots = new Set<string>();
  for (const { id, name, type, provider, tree, homepage, license, updateHours, files } of SOURCES) {
    assert.match(id, /^[a-z0-9-]+$/);
    assert.match(`/${type}/${provider}`, /^\/(bot|cdn|cloud|isp|saas|security)\/[a-z0-9-]+$/, id);
    assert.ok(
      name.trim() !== "" && license.endsWith(".") && homepage.startsWith("https://") && URL.canParse(homepage),
      id,
    );
    assert.match(tree, /^(plain|crossed)$/, id);
    assert.ok(updateHours >= 1 && updateHours <= 24 * 7 && files.length > 0, id);
    for (const { path, url, link, member, importer } of files) {
      assert.match(path, /^[a-z0-9-]+\/[A-Za-z0-9_.-]+$/);
      assert.ok(!paths.has(path), `${path} stands there twice`);
      paths.add(path);
      assert.ok(
        url === null || (url.startsWith("https://") && URL.canParse(url) && !/.\/[./]/.test(url.slice(8))),
        path,
      );
      assert.ok(typeof importer === "function" && (link === undefined || member === undefined), path);
    }
    assert.ok(!ids.has(id) && !roots.has(`/${type}/${provider}`), `${id} stands there twice`);
    ids.add(id);
    roots.add(`/${type}/${provider}`);
  }
  context.diagnostic(`${SOURCES.length} sources of ${paths.size} files`);
  for (const { id, minus } of SOURCES) assert.ok(minus === undefined || ids.has(minus), `${id} without ${minus}`);
});

test("the codes of a publisher have names, each its own", () => {
  for (const names of [AWS_REGIONS, AWS_SERVICES, GOOGLE_REGIONS, ORACLE_SERVICES].map((table) =>
    Object.values(table),
  )) {
    assert.ok(names.every((name) => name.trim() !== ""));
    assert.equal(new Set(names).size, names.length);
  }
});

test("all providers exist", () => {
  const wanted = [
    "aws",
    "google-cloud",
    "google",
    "azure",
    "azure-government",
    "azure-china",
    "oracle",
    "cloudflare",
    "fastly",
    "akamai",
    "imperva",
    "cdn77",
    "bunny",
    "cachefly",
    "digitalocean",
    "linode",
    "vultr",
    "starlink",
    "github",
    "atlassian",
    "microsoft365",
    "zscaler",
    "okta",
    "datadog",
    "salesforce",
    "stripe",
    "pagerduty",
    "new-relic",
    "ibm",
    "zoom",
    "circleci",
    "intercom",
    "grafana",
    "hcp-terraform",
    "sentry",
    "telegram",
    "exoscale",
    "scaleway",
    "googlebot",
    "bingbot",
    "applebot",
    "openai",
    "anthropic",
    "perplexity",
    "ahrefs",
    "apple-private-relay",
    "tor",
    "netflix",
    "meta",
    "gcore",
    "quic-cloud",
    "zendesk",
    "auth0",
    "svix",
    "databricks",
    "mollie",
    "onetrust",
    "automattic",
    "duckduckgo",
    "common-crawl",
    "mistral",
    "seznam",
    "onyphe",
    "modat",
    "uptimerobot",
    "pingdom",
    "better-stack",
    "checkly",
    "statuscake",
    "updown",
    "uptrends",
    "hetrixtools",
    "nodeping",
    "oh-dear",
    "check-host",
    "tenable",
    "mullvad",
  ];
  const ids = SOURCES.map(({ id }) => id);
  assert.deepEqual(
    wanted.filter((id) => !ids.includes(id)),
    [],
  );
  assert.deepEqual(Object.keys(GENERIC_IMPORTERS), ["text", "csv", "geofeed", "prefixes"]);
});

/** The rows of the table in docs/design/confirmed-sources.md: source, kind of copy, date, where it was. */
function confirmations(): string[][] {
  const page = readFileSync(new URL("../../../docs/design/confirmed-sources.md", import.meta.url), "utf8");
  const table = page.slice(page.indexOf("<!-- sources:begin -->"), page.indexOf("<!-- sources:end -->"));
  return table
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .map((line) => line.slice(2, -2).split(" | "));
}

test("each source has a row that says from which copy it was confirmed, and when", () => {
  const rows = confirmations();
  assert.deepEqual(
    rows.map(([id]) => id),
    SOURCES.map(({ id }) => `\`${id}\``),
  );
  for (const row of rows) {
    const [id, kind, date, from] = row;
    assert.equal(row.length, 4, id);
    assert.match(kind!, /^(text|part|values|code)$/, id);
    assert.match(date!, /^20\d\d(-\d\d-\d\d|, after \d\d-\d\d)?$/, id);
    assert.ok(from!.length > 3, id);
  }
});

test("a provider that is also in the map of AS numbers has the same id and name there", () => {
  const providers = new Map(readProviders().map(({ id, name }) => [id, name]));
  for (const { type, provider, name } of SOURCES) {
    const known = providers.get(`/${type}/${provider}`);
    if (known !== undefined) assert.equal(name, known, `/${type}/${provider}`);
  }
});

test("the weekly links of Microsoft's pages are distinguished", () => {
  const names = [
    "ServiceTags_Public_20260720.json",
    "ServiceTags_AzureGovernment_20260720.json",
    "ServiceTags_China_20260720.json",
  ];
  const links = SOURCES.flatMap(({ files }) => files.flatMap(({ link }) => link ?? []));
  for (const [at, link] of links.entries()) {
    assert.deepEqual(
      names.filter((name) => link.test(`https://download.microsoft.com/download/7/1/d/x/${name}`)),
      [names[at]],
    );
  }
  assert.equal(links.length, 3);
});
