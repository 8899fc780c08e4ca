import { addressObjects } from "./address-objects.ts";
import { atlassian } from "./atlassian.ts";
import { aws, tenable } from "./aws.ts";
import { azure } from "./azure.ts";
import { csv } from "./csv.ts";
import { databricks } from "./databricks.ts";
import { datadog } from "./datadog.ts";
import { geofeed } from "./geofeed.ts";
import { github } from "./github.ts";
import { googleCloud } from "./google-cloud.ts";
import { hostAddresses } from "./host-addresses.ts";
import { ibm } from "./ibm.ts";
import type { Importer } from "./imported-list.ts";
import { arrayOrFamilies, bareArray, keyedLists, objectList } from "./keyed-lists.ts";
import { microsoft365 } from "./microsoft365.ts";
import { oracle } from "./oracle.ts";
import { plainText } from "./plain-text.ts";
import { anyPrefixesJson, prefixesJson } from "./prefixes-json.ts";
import { salesforce } from "./salesforce.ts";
import { torExits } from "./tor.ts";
import { vultr } from "./vultr.ts";
import { zscalerCenr } from "./zscaler.ts";

/** What kind of service a publisher runs. */
export type SourceType = "cloud" | "cdn" | "saas" | "bot" | "security" | "isp";

/** One file that a publisher offers. */
export interface SourceFile {
  /** Below the folder of all lists: `aws/ip-ranges.json`. */
  readonly path: string;
  /** The official URL; null if the publisher offers none. `{uuid}` stands for any UUID. */
  readonly url: string | null;
  /** The URL is that of a page, which links to the list under another name every week. */
  readonly link?: RegExp;
  /** The URL is that of a ZIP archive; this is the name of its member. */
  readonly member?: string;
  /** It may be a gzip file. */
  readonly isGzip?: true;
  readonly importer: Importer;
}

/** What one publisher says about its addresses. */
export interface Source {
  readonly id: string;
  readonly name: string;
  readonly type: SourceType;
  /** The second part of the node ids: `aws` in `/cloud/aws`. */
  readonly provider: string;
  /**
   * Where the nodes of services and regions are in the tree. "crossed": under `by-service` and `by-region`, each below
   * the other, for lists that name both; "plain": services below the provider itself, `/saas/github/actions`. Never
   * changed: node ids are stable.
   */
  readonly tree: "plain" | "crossed";
  readonly homepage: string;
  readonly license: string;
  readonly updateHours: number;
  readonly files: readonly SourceFile[];
  /** The id of a source whose addresses are taken out of this one's. */
  readonly minus?: string;
  /**
   * The list names all of the provider's own network. An address that it does not name, but another publisher's list
   * does, is then not the provider's, whatever AS number announces it: a customer's that it carries, or another part of
   * the same company.
   */
  readonly isWhole?: boolean;
}

const UNSTATED = "No licence stated; published by the provider for allow-lists and firewalls.";
const MICROSOFT = "Microsoft download terms; published for firewalls and routing.";
const GEOFEED = "No licence stated; a self-published geofeed (RFC 8805), meant to be fetched by anyone.";
const CRAWLER = "No licence stated; published so that sites can verify the crawler.";
const MONITORING = "No licence stated; published so that sites can let the probes in.";
const SCANNER = "No licence stated; published so that networks can recognise the scanner.";

const HOURLY = 1;
const DAILY = 24;
const WEEKLY = 168;

/** All sources. To add a provider, add a line here, and a file beside this one if its format is new. */
export const SOURCES: readonly Source[] = [
  // Clouds
  wholeNetwork(
    source("aws", "Amazon Web Services", "/cloud/aws", "crossed", "https://aws.amazon.com", UNSTATED, HOURLY, [
      file("aws/ip-ranges.json", "https://ip-ranges.amazonaws.com/ip-ranges.json", aws),
    ]),
  ),
  wholeNetwork(
    source("google-cloud", "Google Cloud", "/cloud/google", "crossed", "https://cloud.google.com", UNSTATED, DAILY, [
      file("google/cloud.json", "https://www.gstatic.com/ipranges/cloud.json", googleCloud),
    ]),
  ),
  {
    ...source("google", "Google", "/saas/google", "plain", "https://about.google", UNSTATED, DAILY, [
      file("google/goog.json", "https://www.gstatic.com/ipranges/goog.json", prefixesJson()),
    ]),
    minus: "google-cloud",
    isWhole: true,
  },
  wholeNetwork(
    source("azure", "Microsoft Azure", "/cloud/azure", "crossed", "https://azure.microsoft.com", MICROSOFT, WEEKLY, [
      serviceTags("azure/ServiceTags_Public.json", 56519, /\/ServiceTags_Public_\d{8}\.json$/),
    ]),
  ),
  wholeNetwork(
    source(
      "azure-government",
      "Microsoft Azure Government",
      "/cloud/azure-government",
      "crossed",
      "https://azure.microsoft.com",
      MICROSOFT,
      WEEKLY,
      [serviceTags("azure/ServiceTags_AzureGovernment.json", 57063, /\/ServiceTags_AzureGovernment_\d{8}\.json$/)],
    ),
  ),
  wholeNetwork(
    source(
      "azure-china",
      "Microsoft Azure China (21Vianet)",
      "/cloud/azure-china",
      "crossed",
      "https://www.azure.cn",
      MICROSOFT,
      WEEKLY,
      [serviceTags("azure/ServiceTags_China.json", 57062, /\/ServiceTags_China_\d{8}\.json$/)],
    ),
  ),
  wholeNetwork(
    source("oracle", "Oracle Cloud", "/cloud/oracle", "crossed", "https://www.oracle.com/cloud/", UNSTATED, DAILY, [
      file("oracle/public_ip_ranges.json", "https://docs.oracle.com/en-us/iaas/tools/public_ip_ranges.json", oracle),
    ]),
  ),
  source("ibm", "IBM Cloud", "/cloud/ibm", "crossed", "https://www.ibm.com/cloud", UNSTATED, WEEKLY, [
    file("ibm/ips.md", "https://raw.githubusercontent.com/ibm-cloud-docs/infrastructure-hub/HEAD/ips.md", ibm),
  ]),
  wholeNetwork(
    source(
      "digitalocean",
      "DigitalOcean",
      "/cloud/digitalocean",
      "crossed",
      "https://www.digitalocean.com",
      GEOFEED,
      DAILY,
      [file("digitalocean/google.csv", "https://digitalocean.com/geo/google.csv", geofeed())],
    ),
  ),
  wholeNetwork(
    source("linode", "Linode (Akamai Cloud)", "/cloud/linode", "crossed", "https://www.linode.com", GEOFEED, DAILY, [
      file("linode/geofeed.csv", "https://geoip.linode.com/", geofeed()),
    ]),
  ),
  wholeNetwork(
    source("vultr", "Vultr", "/cloud/vultr", "crossed", "https://www.vultr.com", GEOFEED, DAILY, [
      file("vultr/geofeed.json", "https://geofeed.constant.com/?json", vultr),
    ]),
  ),
  wholeNetwork(
    source("exoscale", "Exoscale", "/cloud/exoscale", "crossed", "https://www.exoscale.com", UNSTATED, DAILY, [
      file(
        "exoscale/exoscale_prefixes.json",
        "https://exoscale-prefixes.sos-ch-dk-2.exo.io/exoscale_prefixes.json",
        prefixesJson({ ipv4: "IPv4Prefix", ipv6: "IPv6Prefix", regionMember: "zone" }),
      ),
    ]),
  ),
  // Scaleway publishes no list: this one is what its AS number announces.
  source(
    "scaleway",
    "Scaleway",
    "/cloud/scaleway",
    "crossed",
    "https://www.scaleway.com",
    "Routing data (AS12876), no list of the provider's own.",
    WEEKLY,
    [file("scaleway/as12876.json", null, keyedLists({ only: ["IPv4Prefixes", "IPv6Prefixes"] }))],
  ),

  // Content delivery
  source("cloudflare", "Cloudflare", "/cdn/cloudflare", "plain", "https://www.cloudflare.com", UNSTATED, DAILY, [
    file("cloudflare/ips-v4", "https://www.cloudflare.com/ips-v4", plainText()),
    file("cloudflare/ips-v6", "https://www.cloudflare.com/ips-v6", plainText()),
  ]),
  source("fastly", "Fastly", "/cdn/fastly", "plain", "https://www.fastly.com", UNSTATED, DAILY, [
    file(
      "fastly/public-ip-list.json",
      "https://api.fastly.com/public-ip-list",
      keyedLists({ only: ["addresses", "ipv6_addresses"] }),
    ),
  ]),
  source("akamai", "Akamai", "/cdn/akamai", "plain", "https://www.akamai.com", UNSTATED, WEEKLY, [
    akamaiFile("akamai_ipv4_CIDRs.txt"),
    akamaiFile("akamai_ipv6_CIDRs.txt"),
  ]),
  source("cdn77", "CDN77", "/cdn/cdn77", "plain", "https://www.cdn77.com", UNSTATED, DAILY, [
    file(
      "cdn77/cdn77.json",
      "https://prefixlists.tools.cdn77.com/public_lmax_prefixes.json",
      prefixesJson({ either: "prefix" }),
    ),
  ]),
  source("bunny", "bunny.net", "/cdn/bunny", "plain", "https://bunny.net", UNSTATED, DAILY, [
    file("bunny/edgeserverlist.json", "https://api.bunny.net/system/edgeserverlist", arrayOrFamilies()),
    file("bunny/edgeserverlist-ipv6.json", "https://api.bunny.net/system/edgeserverlist/ipv6", arrayOrFamilies()),
  ]),
  source("cachefly", "CacheFly", "/cdn/cachefly", "plain", "https://www.cachefly.com", UNSTATED, WEEKLY, [
    file("cachefly/cachefly.txt", "https://cachefly.cachefly.net/ips/rproxy.txt", plainText()),
  ]),
  source("gcore", "Gcore", "/cdn/gcore", "plain", "https://gcore.com", UNSTATED, DAILY, [
    file(
      "gcore/public-ip-list.json",
      "https://api.gcore.com/cdn/public-ip-list",
      keyedLists({ only: ["addresses", "addresses_v6"], withoutPrivate: true }),
    ),
  ]),
  source("quic-cloud", "QUIC.cloud", "/cdn/quic-cloud", "plain", "https://www.quic.cloud", UNSTATED, DAILY, [
    file("quic-cloud/ips.txt", "https://www.quic.cloud/ips?ln", plainText()),
  ]),

  // Software as a service
  source("github", "GitHub", "/saas/github", "plain", "https://github.com", UNSTATED, DAILY, [
    file("github/meta.json", "https://api.github.com/meta", github),
  ]),
  source("atlassian", "Atlassian", "/saas/atlassian", "crossed", "https://www.atlassian.com", UNSTATED, DAILY, [
    file("atlassian/ip-ranges.json", "https://ip-ranges.atlassian.com/", atlassian),
  ]),
  source(
    "microsoft365",
    "Microsoft 365",
    "/saas/microsoft365",
    "plain",
    "https://www.microsoft.com/microsoft-365",
    MICROSOFT,
    DAILY,
    [
      file(
        "microsoft365/worldwide.json",
        "https://endpoints.office.com/endpoints/worldwide?clientrequestid={uuid}",
        microsoft365,
      ),
    ],
  ),
  source("okta", "Okta", "/saas/okta", "plain", "https://www.okta.com", UNSTATED, DAILY, [
    file(
      "okta/ip_ranges.json",
      "https://s3.amazonaws.com/okta-ip-ranges/ip_ranges.json",
      keyedLists({ keys: "service", inner: "ip_ranges" }),
    ),
  ]),
  source("datadog", "Datadog", "/saas/datadog", "crossed", "https://www.datadoghq.com", UNSTATED, DAILY, [
    file("datadog/ip-ranges.json", "https://ip-ranges.datadoghq.com/", datadog),
  ]),
  source("salesforce", "Salesforce", "/saas/salesforce", "crossed", "https://www.salesforce.com", UNSTATED, DAILY, [
    file("salesforce/ip-ranges.json", "https://ip-ranges.salesforce.com/ip-ranges.json", salesforce),
  ]),
  source("stripe", "Stripe", "/saas/stripe", "plain", "https://stripe.com", UNSTATED, DAILY, [
    file("stripe/ips_api.json", "https://stripe.com/files/ips/ips_api.json", keyedLists({ keys: "service" })),
    file("stripe/ips_webhooks.json", "https://stripe.com/files/ips/ips_webhooks.json", keyedLists({ keys: "service" })),
    file(
      "stripe/ips_armada_gator.json",
      "https://stripe.com/files/ips/ips_armada_gator.json",
      keyedLists({ keys: "service" }),
    ),
  ]),
  source("pagerduty", "PagerDuty", "/saas/pagerduty", "crossed", "https://www.pagerduty.com", UNSTATED, DAILY, [
    pagerdutyFile("us"),
    pagerdutyFile("eu"),
  ]),
  source("new-relic", "New Relic", "/saas/new-relic", "crossed", "https://newrelic.com", UNSTATED, DAILY, [
    file(
      "newrelic/synthetics-ip-ranges.json",
      "https://s3.amazonaws.com/nr-synthetics-assets/nat-ip-dnsname/production/ip-ranges.json",
      keyedLists({ keys: "region", service: { id: "synthetics", name: "Synthetics" } }),
    ),
  ]),
  source("zoom", "Zoom", "/saas/zoom", "plain", "https://www.zoom.com", UNSTATED, DAILY, [
    file("zoom/Zoom.txt", "https://assets.zoom.us/docs/ipranges/Zoom.txt", plainText()),
    zoomFile("Meetings"),
    zoomFile("Phone"),
    zoomFile("CRC"),
    zoomFile("CDN"),
  ]),
  source("circleci", "CircleCI", "/saas/circleci", "plain", "https://circleci.com", UNSTATED, DAILY, [
    file(
      "circleci/ip-ranges-list.json",
      "https://circleci.com/docs/ip-ranges-list.json",
      keyedLists({ keys: "service", within: ["IPRanges"] }),
    ),
  ]),
  source("intercom", "Intercom", "/saas/intercom", "crossed", "https://www.intercom.com", UNSTATED, DAILY, [
    intercomFile("us"),
    intercomFile("eu"),
    intercomFile("au"),
  ]),
  source("grafana", "Grafana Cloud", "/saas/grafana", "plain", "https://grafana.com", UNSTATED, DAILY, [
    grafanaFile("hosted-alerts", "Hosted Alerts"),
    grafanaFile("hosted-grafana", "Hosted Grafana"),
    grafanaFile("hosted-metrics", "Hosted Metrics"),
    grafanaFile("hosted-traces", "Hosted Traces"),
    grafanaFile("hosted-logs", "Hosted Logs"),
    grafanaFile("hosted-profiles", "Hosted Profiles"),
    grafanaFile("hosted-otlp", "Hosted OTLP"),
    file(
      "grafana/synthetics.json",
      "https://allowlists.grafana.com/synthetics",
      keyedLists({
        within: ["all"],
        only: ["ipv4", "ipv6"],
        service: { id: "synthetics", name: "Synthetic monitoring" },
      }),
    ),
  ]),
  source(
    "hcp-terraform",
    "HCP Terraform",
    "/saas/hcp-terraform",
    "plain",
    "https://www.hashicorp.com/products/terraform",
    UNSTATED,
    DAILY,
    [
      file(
        "hcp-terraform/ip-ranges.json",
        "https://app.terraform.io/api/meta/ip-ranges",
        keyedLists({ keys: "service" }),
      ),
    ],
  ),
  source("sentry", "Sentry", "/saas/sentry", "plain", "https://sentry.io", UNSTATED, DAILY, [
    file(
      "sentry/uptime-ips.txt",
      "https://sentry.io/api/0/uptime-ips/",
      plainText({ service: { id: "uptime", name: "Uptime monitoring" } }),
    ),
  ]),
  source("telegram", "Telegram", "/saas/telegram", "plain", "https://telegram.org", UNSTATED, DAILY, [
    file("telegram/cidr.txt", "https://core.telegram.org/resources/cidr.txt", plainText()),
  ]),
  source("meta", "Meta", "/saas/meta", "crossed", "https://www.meta.com", GEOFEED, DAILY, [
    file("meta/geofeed.csv", "https://www.facebook.com/peering/geofeed", geofeed()),
  ]),
  source("netflix", "Netflix", "/saas/netflix", "crossed", "https://www.netflix.com", GEOFEED, DAILY, [
    file("netflix/geofeed.csv", "https://raw.githubusercontent.com/Netflix/nflx-geofeed/HEAD/geofeed.csv", geofeed()),
  ]),
  // "specific" in the list repeats a part of "all", and may disappear, says the documentation.
  source("zendesk", "Zendesk", "/saas/zendesk", "plain", "https://www.zendesk.com", UNSTATED, DAILY, [
    file(
      "zendesk/ips.json",
      "https://support.zendesk.com/ips",
      keyedLists({ within: ["ips"], inner: "all", keys: "service" }),
    ),
  ]),
  source("auth0", "Auth0", "/saas/auth0", "crossed", "https://auth0.com", UNSTATED, DAILY, [
    file(
      "auth0/ip-ranges.json",
      "https://cdn.auth0.com/ip-ranges.json",
      keyedLists({ within: ["regions"], inner: "ipv4_cidrs", keys: "region" }),
    ),
  ]),
  source("svix", "Svix", "/saas/svix", "crossed", "https://www.svix.com", UNSTATED, DAILY, [
    file(
      "svix/webhook-ips.json",
      "https://docs.svix.com/webhook-ips.json",
      keyedLists({ keys: "region", service: { id: "webhooks", name: "Webhooks" } }),
    ),
  ]),
  source("databricks", "Databricks", "/saas/databricks", "crossed", "https://www.databricks.com", UNSTATED, DAILY, [
    file("databricks/ip-ranges.json", "https://www.databricks.com/networking/v1/ip-ranges.json", databricks),
  ]),
  source("mollie", "Mollie", "/saas/mollie", "plain", "https://www.mollie.com", UNSTATED, DAILY, [
    file(
      "mollie/ips.txt",
      "https://ip-ranges.mollie.com/ips.txt",
      plainText({ service: { id: "webhooks", name: "Webhooks" } }),
    ),
  ]),
  source("onetrust", "OneTrust", "/saas/onetrust", "plain", "https://www.onetrust.com", UNSTATED, DAILY, [
    file(
      "onetrust/webscanner-ips.txt",
      "https://my.onetrust.com/s/sfsites/c/resource/platform/hosting/webscanner-ips.txt",
      plainText({ service: { id: "web-scanner", name: "Web scanner" } }),
    ),
  ]),
  source(
    "automattic",
    "Automattic (WordPress.com)",
    "/saas/automattic",
    "plain",
    "https://automattic.com",
    UNSTATED,
    DAILY,
    [
      file(
        "automattic/jetpack-ips-v4.json",
        "https://jetpack.com/ips-v4.json",
        bareArray({ service: { id: "jetpack", name: "Jetpack" } }),
      ),
    ],
  ),

  // Web crawlers and bots
  source(
    "googlebot",
    "Google",
    "/bot/google",
    "plain",
    "https://developers.google.com/search/docs/crawling-indexing",
    CRAWLER,
    DAILY,
    [
      googleCrawler("googlebot", "Googlebot", "common-crawlers"),
      googleCrawler("special-crawlers", "Special crawlers"),
      googleCrawler("user-triggered-fetchers", "User-triggered fetchers"),
      googleCrawler("user-triggered-fetchers-google", "Google's own user-triggered fetchers"),
      googleCrawler("user-triggered-agents", "User-triggered agents"),
    ],
  ),
  source("bingbot", "Microsoft", "/bot/microsoft", "plain", "https://www.bing.com/webmasters", CRAWLER, DAILY, [
    crawler("bingbot/bingbot.json", "https://www.bing.com/toolbox/bingbot.json", "bingbot", "Bingbot"),
  ]),
  source("applebot", "Apple", "/bot/apple", "plain", "https://support.apple.com/119829", CRAWLER, DAILY, [
    crawler("applebot/applebot.json", "https://search.developer.apple.com/applebot.json", "applebot", "Applebot"),
  ]),
  source("openai", "OpenAI", "/bot/openai", "plain", "https://platform.openai.com/docs/bots", CRAWLER, DAILY, [
    crawler("openai/gptbot.json", "https://openai.com/gptbot.json", "gptbot", "GPTBot"),
    crawler("openai/searchbot.json", "https://openai.com/searchbot.json", "searchbot", "OAI-SearchBot"),
    crawler("openai/chatgpt-user.json", "https://openai.com/chatgpt-user.json", "chatgpt-user", "ChatGPT-User"),
    crawler("openai/adsbot.json", "https://openai.com/adsbot.json", "adsbot", "OAI-AdsBot"),
  ]),
  source("anthropic", "Anthropic", "/bot/anthropic", "plain", "https://www.anthropic.com", CRAWLER, DAILY, [
    file("anthropic/anthropic.json", "https://claude.com/crawling/bots.json", prefixesJson()),
  ]),
  source("perplexity", "Perplexity", "/bot/perplexity", "plain", "https://www.perplexity.ai", CRAWLER, DAILY, [
    crawler(
      "perplexity/perplexitybot.json",
      "https://www.perplexity.ai/perplexitybot.json",
      "perplexitybot",
      "PerplexityBot",
    ),
    crawler(
      "perplexity/perplexity-user.json",
      "https://www.perplexity.ai/perplexity-user.json",
      "perplexity-user",
      "Perplexity-User",
    ),
  ]),
  source("ahrefs", "Ahrefs", "/bot/ahrefs", "plain", "https://ahrefs.com", CRAWLER, DAILY, [
    file("ahrefs/crawler-ips.json", "https://api.ahrefs.com/v3/public/crawler-ips", objectList("ips", "ip_address")),
  ]),
  source(
    "duckduckgo",
    "DuckDuckGo",
    "/bot/duckduckgo",
    "plain",
    "https://duckduckgo.com/duckduckgo-help-pages/results/duckduckbot",
    CRAWLER,
    DAILY,
    [
      crawler("duckduckgo/duckduckbot.json", "https://duckduckgo.com/duckduckbot.json", "duckduckbot", "DuckDuckBot"),
      crawler(
        "duckduckgo/duckassistbot.json",
        "https://duckduckgo.com/duckassistbot.json",
        "duckassistbot",
        "DuckAssistBot",
      ),
    ],
  ),
  source(
    "common-crawl",
    "Common Crawl",
    "/bot/common-crawl",
    "plain",
    "https://commoncrawl.org/ccbot",
    CRAWLER,
    DAILY,
    [crawler("common-crawl/ccbot.json", "https://index.commoncrawl.org/ccbot.json", "ccbot", "CCBot")],
  ),
  source("mistral", "Mistral AI", "/bot/mistral", "plain", "https://docs.mistral.ai/robots", CRAWLER, DAILY, [
    crawler(
      "mistral/mistralai-user-ips.json",
      "https://mistral.ai/mistralai-user-ips.json",
      "mistralai-user",
      "MistralAI-User",
    ),
    crawler(
      "mistral/mistralai-index-ips.json",
      "https://mistral.ai/mistralai-index-ips.json",
      "mistralai-index",
      "MistralAI-Index",
    ),
  ]),
  source("seznam", "Seznam", "/bot/seznam", "plain", "https://www.seznam.cz", CRAWLER, DAILY, [
    crawler("seznam/seznambot.json", "https://search.seznam.cz/ipranges/seznambot.json", "seznambot", "SeznamBot"),
  ]),

  // Scanners of the internet
  source("onyphe", "Onyphe", "/bot/onyphe", "plain", "https://www.onyphe.io", SCANNER, DAILY, [
    file("onyphe/ip-ranges.txt", "https://www.onyphe.io/ip-ranges.txt", plainText()),
  ]),
  source("modat", "Modat", "/bot/modat", "plain", "https://www.modat.io", SCANNER, DAILY, [
    file("modat/ipv4.txt", "https://scanner.modat.io/ipv4.txt", plainText()),
  ]),

  // Monitoring of web sites
  source("uptimerobot", "UptimeRobot", "/bot/uptimerobot", "plain", "https://uptimerobot.com", MONITORING, DAILY, [
    file("uptimerobot/IPv4andIPv6.txt", "https://uptimerobot.com/inc/files/ips/IPv4andIPv6.txt", plainText()),
  ]),
  source("pingdom", "Pingdom", "/bot/pingdom", "plain", "https://www.pingdom.com", MONITORING, DAILY, [
    file("pingdom/probes-ipv4.txt", "https://my.pingdom.com/probes/ipv4", plainText()),
    file("pingdom/probes-ipv6.txt", "https://my.pingdom.com/probes/ipv6", plainText()),
  ]),
  source("better-stack", "Better Stack", "/bot/better-stack", "plain", "https://betterstack.com", MONITORING, DAILY, [
    file("better-stack/ips.txt", "https://uptime.betterstack.com/ips.txt", plainText()),
  ]),
  source("checkly", "Checkly", "/bot/checkly", "plain", "https://www.checklyhq.com", MONITORING, DAILY, [
    file("checkly/static-ips.json", "https://api.checklyhq.com/v1/static-ips", bareArray()),
    file("checkly/static-ipv6s.json", "https://api.checklyhq.com/v1/static-ipv6s", bareArray()),
  ]),
  source("statuscake", "StatusCake", "/bot/statuscake", "plain", "https://www.statuscake.com", MONITORING, DAILY, [
    file(
      "statuscake/locations.json",
      "https://app.statuscake.com/Workfloor/Locations.php?format=json",
      addressObjects({ ipv4: "ip", ipv6: "ipv6" }),
    ),
  ]),
  source("updown", "updown.io", "/bot/updown", "plain", "https://updown.io", MONITORING, DAILY, [
    file("updown/nodes.json", "https://updown.io/api/nodes", addressObjects({ ipv4: "ip", ipv6: "ip6" })),
  ]),
  source("uptrends", "Uptrends", "/bot/uptrends", "plain", "https://www.uptrends.com", MONITORING, DAILY, [
    uptrendsFile(4),
    uptrendsFile(6),
  ]),
  source("hetrixtools", "HetrixTools", "/bot/hetrixtools", "plain", "https://hetrixtools.com", MONITORING, DAILY, [
    file(
      "hetrixtools/uptime-monitor-only-ips.txt",
      "https://hetrixtools.com/resources/uptime-monitor-only-ips.txt",
      plainText(),
    ),
  ]),
  source("nodeping", "NodePing", "/bot/nodeping", "plain", "https://nodeping.com", MONITORING, DAILY, [
    file("nodeping/pinghosts.txt", "https://nodeping.com/content/txt/pinghosts.txt", hostAddresses),
  ]),
  source("oh-dear", "Oh Dear", "/bot/oh-dear", "plain", "https://ohdear.app", MONITORING, DAILY, [
    file("oh-dear/used-ips.txt", "https://ohdear.app/used-ips", plainText()),
  ]),
  source("check-host", "Check-Host", "/bot/check-host", "plain", "https://check-host.net", MONITORING, DAILY, [
    file("check-host/nodes.json", "https://check-host.net/nodes/ips", keyedLists({ only: ["nodes"] })),
  ]),

  // Security and privacy
  source("imperva", "Imperva (Incapsula)", "/security/imperva", "plain", "https://www.imperva.com", UNSTATED, DAILY, [
    file(
      "imperva/ips.json",
      "https://my.incapsula.com/api/integration/v1/ips?resp_format=json",
      keyedLists({ only: ["ipRanges", "ipv6Ranges"] }),
    ),
  ]),
  source("zscaler", "Zscaler", "/security/zscaler", "crossed", "https://www.zscaler.com", UNSTATED, DAILY, [
    file("zscaler/cenr.json", "https://config.zscaler.com/api/zscaler.net/cenr/json", zscalerCenr),
    file(
      "zscaler/hubs-cidr-recommended.json",
      "https://config.zscaler.com/api/zscaler.net/hubs/cidr/json/recommended",
      keyedLists({ only: ["hubPrefixes"], service: { id: "hubs", name: "Hubs" } }),
    ),
  ]),
  source(
    "apple-private-relay",
    "iCloud Private Relay",
    "/security/apple-private-relay",
    "crossed",
    "https://developer.apple.com/icloud/prepare-your-network-for-icloud-private-relay/",
    GEOFEED,
    DAILY,
    [file("apple-private-relay/egress-ip-ranges.csv", "https://mask-api.icloud.com/egress-ip-ranges.csv", geofeed())],
  ),
  source("tor", "Tor", "/security/tor", "plain", "https://www.torproject.org", "CC0-1.0 (The Tor Project).", HOURLY, [
    file("tor/exits.txt", "https://check.torproject.org/torbulkexitlist", torExits),
  ]),
  source("tenable", "Tenable", "/security/tenable", "crossed", "https://www.tenable.com", SCANNER, DAILY, [
    file("tenable/data.json", "https://docs.tenable.com/ip-ranges/data.json", tenable),
  ]),
  // What its AS numbers announce is known by the name of the network.
  source("mullvad", "31173 Services (Mullvad)", "/security/mullvad", "plain", "https://mullvad.net", UNSTATED, DAILY, [
    file(
      "mullvad/relays.json",
      "https://api.mullvad.net/www/relays/all/",
      addressObjects({ ipv4: "ipv4_addr_in", ipv6: "ipv6_addr_in", service: { id: "relays", name: "VPN servers" } }),
    ),
  ]),

  // Access providers
  source("starlink", "Starlink", "/isp/starlink", "crossed", "https://www.starlink.com", GEOFEED, DAILY, [
    file("starlink/feed.csv", "https://geoip.starlinkisp.net/feed.csv", geofeed()),
  ]),
];

/**
 * Importers for lists that belong to no particular publisher: plain text, CSV, geofeeds (RFC 8805), JSON arrays of
 * prefixes.
 */
export const GENERIC_IMPORTERS: Readonly<Record<string, Importer>> = {
  text: plainText({}, "reject"),
  csv: csv(),
  geofeed: geofeed(),
  prefixes: anyPrefixesJson(),
};

function source(
  id: string,
  name: string,
  node: `/${SourceType}/${string}`,
  tree: Source["tree"],
  homepage: string,
  license: string,
  updateHours: number,
  files: readonly SourceFile[],
): Source {
  const [, type, provider] = node.split("/") as [string, SourceType, string];
  return { id, name, type, provider, tree, homepage, license, updateHours, files };
}

function wholeNetwork(of: Source): Source {
  return { ...of, isWhole: true };
}

function file(path: string, url: string | null, importer: Importer): SourceFile {
  return { path, url, importer };
}

function serviceTags(path: string, download: number, link: RegExp): SourceFile {
  return { path, url: `https://www.microsoft.com/en-us/download/details.aspx?id=${download}`, link, importer: azure };
}

function akamaiFile(member: string): SourceFile {
  return {
    path: `akamai/${member}`,
    url: "https://techdocs.akamai.com/property-manager/pdfs/akamai_ipv4_ipv6_CIDRs-txt.zip",
    member,
    importer: plainText(),
  };
}

function crawler(path: string, url: string, id: string, name: string): SourceFile {
  return file(path, url, prefixesJson({ service: { id, name } }));
}

/** `list`: the name of the file that the publisher offers. */
function googleCrawler(id: string, name: string, list = id): SourceFile {
  const url = `https://developers.google.com/static/crawling/ipranges/${list}.json`;
  return crawler(`googlebot/${id}.json`, url, id, name);
}

function pagerdutyFile(region: string): SourceFile {
  const name = `webhooks-${region}-service-region`;
  const importer = bareArray({
    service: { id: "webhooks", name: "Webhooks" },
    region: { id: region, name: region.toUpperCase() },
  });
  return file(`pagerduty/${name}.json`, `https://docs.pagerduty.com/ip-safelists/${name}-json`, importer);
}

function zoomFile(what: string): SourceFile {
  return file(
    `zoom/Zoom${what}.txt`,
    `https://assets.zoom.us/docs/ipranges/Zoom${what}.txt`,
    plainText({ service: { id: what, name: `Zoom ${what}` } }),
  );
}

function intercomFile(region: string): SourceFile {
  const importer = prefixesJson({
    items: "ip_ranges",
    either: "range",
    serviceMember: "service",
    regionMember: "region",
  });
  return file(
    `intercom/intercom-ip-ranges-${region}.json`,
    `https://static.intercomcdn.com/intercom-ips/${region}/intercom-ip-ranges.json`,
    importer,
  );
}

function uptrendsFile(family: 4 | 6): SourceFile {
  return file(
    `uptrends/ipv${family}.json`,
    `https://api.uptrends.com/v4/Checkpoint/Server/Ipv${family}`,
    keyedLists({ only: ["Data"] }),
  );
}

function grafanaFile(id: string, name: string): SourceFile {
  return file(`grafana/${id}.json`, `https://grafana.com/api/${id}/source-ips`, bareArray({ service: { id, name } }));
}
