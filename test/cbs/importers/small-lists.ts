/** Strings of a list that are prefixes, and distinct ones, by family. */
export interface Counts {
  readonly ipv4: number;
  readonly ipv6: number;
  readonly distinct4: number;
  readonly distinct6: number;
}

/**
 * A list of a few rows, written by hand in the format of these files, with its counts. Every list repeats a prefix, as
 * published lists do.
 */
export interface SmallList {
  readonly paths: readonly string[];
  readonly text: string;
  readonly counts: Counts;
}

const three = { ipv4: 3, ipv6: 2, distinct4: 2, distinct6: 2 };
const only4 = { ipv4: 3, ipv6: 0, distinct4: 2, distinct6: 0 };
const only6 = { ipv4: 0, ipv6: 3, distinct4: 0, distinct6: 2 };
const [A, B, C, D] = ["192.0.2.0/24", "198.51.100.7", "2001:db8::/48", "2001:db8:1::/64"] as const;

const json = (value: unknown): string => JSON.stringify(value, null, 2);
const prefixes = (member4: string, member6: string, more: object = {}): string => {
  return json({
    creationTime: "2026-08-20T14:46:45.000000",
    prefixes: [A, `${B}/32`, A, C, D].map((text) => ({ [text.includes(":") ? member6 : member4]: text, ...more })),
  });
};
const serviceTags = json({
  changeNumber: 398,
  cloud: "Public",
  values: [
    ["Storage.WestEurope", "westeurope", "AzureStorage", [A, C]],
    ["AzureCloud", "", "", [A, `${B}/32`, D]],
  ].map(([name, region, systemService, addressPrefixes]) => ({
    name,
    id: name,
    properties: {
      changeNumber: 1,
      region,
      regionId: 0,
      platform: "Azure",
      systemService,
      addressPrefixes,
      networkFeatures: ["API", "NSG"],
    },
  })),
});
const geofeed = `# ip_prefix, alpha2code, region, city, postal_code\n${A},NL,NL-NH,Amsterdam,\n${B}/32,NL,NL-NH,Amsterdam,\n${A},NL,NL-NH,Amsterdam,\n\n${C},US,US-TX,Dallas,\n${D},US,,,\n`;
const scanner = (member: string, prefix: string): object => ({
  [member]: prefix,
  region: "eu-west-1",
  network_border_group: "eu-west-1",
  service: "scanners",
  sensor_group: "EU Cloud Scanners",
});
const intercom = (range: string, service: string): object => ({ range, region: "US", service });

export const SMALL_LISTS: readonly SmallList[] = [
  {
    paths: ["aws/ip-ranges.json"],
    text: json({
      syncToken: "1",
      createDate: "2026-08-22-21-17-05",
      prefixes: [
        [A, "AMAZON"],
        [A, "EC2"],
        [`${B}/32`, "S3"],
      ].map(([ip_prefix, service]) => ({ ip_prefix, region: "eu-west-1", service, network_border_group: "eu-west-1" })),
      ipv6_prefixes: [
        [C, "EC2"],
        [D, "EC2"],
      ].map(([ipv6_prefix, service]) => ({ ipv6_prefix, region: "GLOBAL", service, network_border_group: "GLOBAL" })),
    }),
    counts: three,
  },
  {
    paths: ["google/cloud.json"],
    text: prefixes("ipv4Prefix", "ipv6Prefix", { service: "Google Cloud", scope: "europe-west4" }),
    counts: three,
  },
  {
    paths: [
      "google/goog.json",
      "googlebot/googlebot.json",
      "googlebot/special-crawlers.json",
      "googlebot/user-triggered-fetchers.json",
      "googlebot/user-triggered-fetchers-google.json",
      "googlebot/user-triggered-agents.json",
      "bingbot/bingbot.json",
      "applebot/applebot.json",
      "openai/gptbot.json",
      "openai/searchbot.json",
      "openai/chatgpt-user.json",
      "openai/adsbot.json",
      "anthropic/anthropic.json",
      "perplexity/perplexitybot.json",
      "perplexity/perplexity-user.json",
      "duckduckgo/duckduckbot.json",
      "duckduckgo/duckassistbot.json",
      "mistral/mistralai-user-ips.json",
      "mistral/mistralai-index-ips.json",
      "seznam/seznambot.json",
    ],
    text: prefixes("ipv4Prefix", "ipv6Prefix"),
    counts: three,
  },
  {
    paths: ["common-crawl/ccbot.json"],
    text: json({
      synctoken: "20260811134000",
      creationTime: "2026-08-11T13:40:00Z",
      notes: "Ranges of the crawler.",
      prefixes: [{ ipv4Prefix: A }, { ipv4Prefix: `${B}/32` }, { ipv4Prefix: A }, { ipv6Prefix: C }, { ipv6Prefix: D }],
    }),
    counts: three,
  },
  {
    paths: ["exoscale/exoscale_prefixes.json"],
    text: prefixes("IPv4Prefix", "IPv6Prefix", { zone: "ch-gva-2" }),
    counts: three,
  },
  {
    paths: ["cdn77/cdn77.json"],
    text: json({
      updated_at: "2026-07-27T14:00:04.173594+00:00",
      prefixes: [A, `${B}/32`, A, C, D].map((prefix) => ({ prefix })),
    }),
    counts: three,
  },
  {
    paths: ["azure/ServiceTags_Public.json", "azure/ServiceTags_AzureGovernment.json", "azure/ServiceTags_China.json"],
    text: serviceTags,
    counts: three,
  },
  {
    paths: ["oracle/public_ip_ranges.json"],
    text: json({
      last_updated_timestamp: "2026-07-27T06:55:33.696145",
      regions: [
        {
          region: "eu-frankfurt-1",
          cidrs: [
            { cidr: A, tags: ["OCI"] },
            { cidr: `${B}/32`, tags: ["OSN", "OBJECT_STORAGE"] },
          ],
        },
        {
          region: "eu-zurich-1",
          cidrs: [
            { cidr: A, tags: ["OSN"] },
            { cidr: C, tags: ["OCI"] },
            { cidr: D, tags: ["OCI"] },
          ],
        },
      ],
    }),
    counts: three,
  },
  {
    paths: ["ibm/ips.md"],
    text: `# IP ranges\n\n## Front-end (public) network\n\n|Data center|City|IP range|\n|---|---|---|\n|ams03|Amsterdam |${A}|\n|che01|Chennai |${B}/32|\n\n## Legacy networks\n\n|Data center|City|IP range|\n|---|---|---|\n|ams03|Amsterdam|${A}|\n\n## SSL VPN data centers\n\n|Data center|City|IP range|\n|---|---|---|\n|ams03|Amsterdam|10.2.220.0/24|\n`,
    counts: only4,
  },
  {
    paths: [
      "digitalocean/google.csv",
      "linode/geofeed.csv",
      "meta/geofeed.csv",
      "netflix/geofeed.csv",
      "apple-private-relay/egress-ip-ranges.csv",
      "starlink/feed.csv",
    ],
    text: geofeed,
    counts: three,
  },
  {
    paths: ["vultr/geofeed.json"],
    text: json({
      updated: "2026-08-20T00:00:00Z",
      subnets: [A, `${B}/32`, A, C, D].map((ip_prefix) => ({
        ip_prefix,
        alpha2code: "NL",
        region: "NL-NH",
        city: "Amsterdam",
        postal_code: "",
      })),
    }),
    counts: three,
  },
  {
    paths: ["scaleway/as12876.json"],
    text: json({ IPv4Prefixes: [A, `${B}/32`, A], IPv6Prefixes: [C, D] }),
    counts: three,
  },
  {
    paths: [
      "cloudflare/ips-v4",
      "akamai/akamai_ipv4_CIDRs.txt",
      "cachefly/cachefly.txt",
      "zoom/Zoom.txt",
      "zoom/ZoomMeetings.txt",
      "zoom/ZoomPhone.txt",
      "zoom/ZoomCRC.txt",
      "zoom/ZoomCDN.txt",
      "sentry/uptime-ips.txt",
      "tor/exits.txt",
      "quic-cloud/ips.txt",
      "mollie/ips.txt",
      "onetrust/webscanner-ips.txt",
      "modat/ipv4.txt",
      "pingdom/probes-ipv4.txt",
      "hetrixtools/uptime-monitor-only-ips.txt",
    ],
    text: `${A}\n${B}\n${A}\n`,
    counts: only4,
  },
  {
    paths: ["cloudflare/ips-v6", "akamai/akamai_ipv6_CIDRs.txt", "pingdom/probes-ipv6.txt"],
    text: `${C}\r\n${D}\r\n${C}`,
    counts: only6,
  },
  {
    paths: ["uptimerobot/IPv4andIPv6.txt", "better-stack/ips.txt", "oh-dear/used-ips.txt"],
    text: `${A}\n${C}\n${B}\n${D}\n${A}`,
    counts: three,
  },
  { paths: ["onyphe/ip-ranges.txt"], text: `# Scanners\n${A}\n${B}/32\n${A}\n${C}\n${D}\n`, counts: three },
  {
    paths: ["nodeping/pinghosts.txt"],
    text: [C, A, B, D, A].map((address, at) => `pinghost${at}.example.net ${address}\n`).join(""),
    counts: three,
  },
  { paths: ["telegram/cidr.txt"], text: `${A}\n${B}/32\n${A}\n${C}\n${D}\n`, counts: three },
  {
    paths: ["fastly/public-ip-list.json"],
    text: json({ addresses: [A, `${B}/32`, A], ipv6_addresses: [C, D] }),
    counts: three,
  },
  {
    paths: ["gcore/public-ip-list.json"],
    text: json({ addresses: [A, "172.31.0.7/32", `${B}/32`, A], addresses_v6: [C, D] }),
    counts: three,
  },
  {
    paths: ["bunny/edgeserverlist.json", "bunny/edgeserverlist-ipv6.json"],
    text: json({ ipv4: [A, B, A], ipv6: [C, D] }),
    counts: three,
  },
  {
    paths: ["github/meta.json"],
    text: json({
      verifiable_password_authentication: false,
      ssh_keys: ["x"],
      domains: { website: ["*.github.com"] },
      hooks: [A, C],
      web: [A, `${B}/32`, D],
    }),
    counts: three,
  },
  {
    paths: ["atlassian/ip-ranges.json"],
    text: json({
      creationDate: "2026-06-17T04:08:46.684598",
      syncToken: 1781669326,
      items: [A, `${B}/32`, A, C, D].map((cidr) => ({
        network: cidr.split("/")[0],
        mask_len: Number(cidr.split("/")[1]),
        cidr,
        mask: "255.255.252.0",
        region: ["eu-west-1"],
        product: ["jira", "bitbucket"],
        direction: ["egress"],
      })),
    }),
    counts: three,
  },
  {
    paths: ["microsoft365/worldwide.json"],
    text: json([
      {
        id: 1,
        serviceArea: "Exchange",
        serviceAreaDisplayName: "Exchange Online",
        urls: ["outlook.office.com"],
        ips: [A, C],
        tcpPorts: "80,443",
        expressRoute: true,
        category: "Optimize",
        required: true,
      },
      {
        id: 2,
        serviceArea: "Skype",
        serviceAreaDisplayName: "Microsoft Teams",
        ips: [A, `${B}/32`, D],
        udpPorts: "3478",
        expressRoute: true,
        category: "Optimize",
        required: true,
      },
      {
        id: 3,
        serviceArea: "Common",
        serviceAreaDisplayName: "Common",
        urls: ["login.example"],
        expressRoute: false,
        category: "Default",
        required: true,
      },
    ]),
    counts: three,
  },
  {
    paths: ["okta/ip_ranges.json"],
    text: json({ us_cell_1: { ip_ranges: [A, `${B}/32`, C] }, emea_cell_1: { ip_ranges: [A, D] } }),
    counts: three,
  },
  {
    paths: ["datadog/ip-ranges.json"],
    text: json({
      version: 62,
      modified: "2026-02-24-00-00-00",
      agents: { prefixes_ipv4: [A, `${B}/32`], prefixes_ipv6: [C] },
      api: { prefixes_ipv4: [A], prefixes_ipv6: [D] },
    }),
    counts: three,
  },
  {
    paths: ["salesforce/ip-ranges.json"],
    text: json({
      syncToken: "1",
      createDate: "2026-07-06-09-00-00",
      prefixes: [
        { region: "af-south-1", provider: "aws", ip_prefix: [A, `${B}/32`] },
        { region: "eu-west-1", provider: "aws", ip_prefix: [A] },
      ],
    }),
    counts: only4,
  },
  { paths: ["stripe/ips_api.json"], text: json({ API: [A, B, A] }), counts: only4 },
  { paths: ["stripe/ips_webhooks.json"], text: json({ WEBHOOKS: [A, B, A] }), counts: only4 },
  { paths: ["stripe/ips_armada_gator.json"], text: json({ ARMADA_GATOR: [A, B, A] }), counts: only4 },
  {
    paths: [
      "pagerduty/webhooks-us-service-region.json",
      "pagerduty/webhooks-eu-service-region.json",
      "grafana/hosted-alerts.json",
      "grafana/hosted-grafana.json",
      "grafana/hosted-metrics.json",
      "grafana/hosted-traces.json",
      "grafana/hosted-logs.json",
      "grafana/hosted-profiles.json",
      "grafana/hosted-otlp.json",
      "automattic/jetpack-ips-v4.json",
      "checkly/static-ips.json",
    ],
    text: json([A, B, A]),
    counts: only4,
  },
  { paths: ["checkly/static-ipv6s.json"], text: json([C, D, C]), counts: only6 },
  {
    paths: ["grafana/synthetics.json"],
    text: json({
      all: { ipv4: [A, `${B}/32`, A], ipv6: [C, D] },
      locations: { calgary: { ipv4: [A], ipv6: [C] }, dublin: { ipv4: [`${B}/32`], ipv6: [D] } },
    }),
    counts: three,
  },
  {
    paths: ["statuscake/locations.json"],
    text: json({
      1: { guid: "27", servercode: "NL4", title: "Netherlands", ip: A, ipv6: C, countryiso: "NLD", status: "Up" },
      2: { guid: "76", servercode: "US1", title: "United States", ip: B, ipv6: "", countryiso: "USA", status: "Up" },
      3: { guid: "77", servercode: "US2", title: "United States", ip: A, ipv6: D, countryiso: "USA", status: "Up" },
    }),
    counts: three,
  },
  {
    paths: ["updown/nodes.json"],
    text: json({
      ams: { ip: A, ip6: C, city: "Amsterdam", country: "Netherlands", country_code: "nl", lat: 52.3, lng: 4.9 },
      dal: { ip: B, ip6: D, city: "Dallas", country: "US", country_code: "us", lat: 32.7, lng: -96.7 },
      old: { ip: A, city: "Amsterdam", country: "Netherlands", country_code: "nl", lat: 52.3, lng: 4.9 },
    }),
    counts: three,
  },
  {
    paths: ["mullvad/relays.json"],
    text: json(
      [
        [A, C],
        [B, null],
        [A, D],
      ].map(([ipv4_addr_in, ipv6_addr_in], at) => ({
        hostname: `nl-ams-wg-${at}`,
        country_code: "nl",
        active: true,
        ipv4_addr_in,
        ipv6_addr_in,
        type: "wireguard",
      })),
    ),
    counts: three,
  },
  {
    paths: ["uptrends/ipv4.json", "uptrends/ipv6.json"],
    text: json({ Data: [A, B, A, C, D], Links: { Self: "/Checkpoint/Server" } }),
    counts: three,
  },
  { paths: ["check-host/nodes.json"], text: json({ nodes: [A, B, A] }), counts: only4 },
  {
    paths: ["zendesk/ips.json"],
    text: json({
      ips: { ingress: { all: [A, `${B}/32`], specific: [A] }, egress: { all: [A], specific: [`${B}/32`] } },
    }),
    counts: only4,
  },
  {
    paths: ["auth0/ip-ranges.json"],
    text: json({
      last_updated_at: "2026-01-08T12:06:22Z",
      regions: { US: { ipv4_cidrs: [A, `${B}/32`] }, EU: { ipv4_cidrs: [A] } },
      changelog: [{ date: "2026-01-08", region: "US", action: "add", ipv4_cidrs: [`${B}/32`] }],
    }),
    counts: only4,
  },
  { paths: ["svix/webhook-ips.json"], text: json({ us: [A, C], "us-east": [B, D], eu: [A] }), counts: three },
  {
    paths: ["databricks/ip-ranges.json"],
    text: json({
      timestampSeconds: 1770871875,
      schemaVersion: "1.0",
      prefixes: [
        ["aws", "eu-west-1", "inbound", [A, `${B}/32`], [C]],
        ["azure", "westeurope", "outbound", [A], [D]],
      ].map(([platform, region, type, ipv4Prefixes, ipv6Prefixes]) => ({
        platform,
        region,
        service: "Databricks",
        type,
        ipv4Prefixes,
        ipv6Prefixes,
      })),
    }),
    counts: three,
  },
  {
    paths: ["tenable/data.json"],
    text: json({
      syncToken: "1774955404.950218",
      createDate: "2026-03-31 11:10:04.950218+00:00",
      prefixes: [scanner("ip_prefix", A)],
      ipv6_prefixes: [scanner("ipv6_prefix", C)],
      additionalFedRAMPInfo: "Please add the cloud.",
      fedramp_prefixes: [scanner("ip_prefix", `${B}/32`), scanner("ip_prefix", A)],
      fedramp_ipv6_prefixes: [scanner("ipv6_prefix", D)],
    }),
    counts: three,
  },
  {
    paths: ["newrelic/synthetics-ip-ranges.json"],
    text: json({ "Washington, DC, USA": [A, `${B}/32`], "Columbus, OH, USA": [A] }),
    counts: only4,
  },
  {
    paths: ["circleci/ip-ranges-list.json"],
    text: json({ IPRanges: { macOS: [A, `${B}/32`], jobs: [A] } }),
    counts: only4,
  },
  {
    paths: [
      "intercom/intercom-ip-ranges-us.json",
      "intercom/intercom-ip-ranges-eu.json",
      "intercom/intercom-ip-ranges-au.json",
    ],
    text: json({
      date: "2026-01-29",
      ip_ranges: [
        intercom(A, "INTERCOM-OUTBOUND"),
        intercom(`${B}/32`, "INTERCOM-OUTBOUND"),
        intercom(A, "INTERCOM-INBOUND"),
      ],
    }),
    counts: only4,
  },
  { paths: ["hcp-terraform/ip-ranges.json"], text: json({ api: [A, `${B}/32`], sentinel: [A] }), counts: only4 },
  {
    paths: ["ahrefs/crawler-ips.json"],
    text: json({ ips: [A, B, A].map((ip_address) => ({ ip_address })) }),
    counts: only4,
  },
  {
    paths: ["imperva/ips.json"],
    text: json({
      ipRanges: [A, `${B}/32`, A],
      ipv6Ranges: [C, D],
      res: 0,
      res_message: "OK",
      debug_info: { "id-info": "999999" },
    }),
    counts: three,
  },
  {
    paths: ["zscaler/cenr.json"],
    text: json({
      "zscaler.net": {
        "continent : EMEA": {
          "city : Abu Dhabi II": [
            { range: C, vpn: "", gre: "", ext: "", hostname: "", latitude: "24.4", longitude: "54.3" },
          ],
          "city : Amsterdam II": [
            { range: A, vpn: "", gre: B, ext: "", hostname: "", latitude: "52.3", longitude: "4.9" },
            { range: A, vpn: "", gre: "", ext: "", hostname: "", latitude: "52.3", longitude: "4.9" },
          ],
        },
        "continent : Americas": {
          "city : Dallas": [
            { range: D, vpn: "", gre: "", ext: "", hostname: "", latitude: "32.7", longitude: "-96.7" },
          ],
        },
      },
    }),
    counts: three,
  },
  {
    paths: ["zscaler/hubs-cidr-recommended.json"],
    text: json({ cloudName: "zscaler.net", type: "recommended", hubPrefixes: [A, `${B}/32`, A] }),
    counts: only4,
  },
];
