import type { Deployment } from "./documents.ts";

export type Format = Deployment["firewall_format"];

/** What people need to know of a format before they choose it. */
interface FormatAbout {
  readonly title: string;
  /** The extension of its files. */
  readonly extension: string;
  /** What it cannot express: deployments leave it out, and an export of such rules fails. */
  readonly cannot?: string;
  /** Whether the file holds a name, which can be chosen. */
  readonly isNamed?: true;
  /** Whether rulesets cannot be exported in it. */
  readonly isOnlyDeployed?: true;
}

const ONE_FAMILY = "One family per file.";
const BLOCKLISTS = "Blocklists only.";
const IPV4 = "IPv4 only.";
const HOSTS = "Single IPv4 addresses only: prefixes up to /16 are written as all of their addresses.";

/** Every format in which rules are written, in the order in which lists offer them. */
export const FORMATS: Readonly<Record<Format, FormatAbout>> = {
  text: { title: "Text: one prefix per line", extension: "txt" },
  csv: { title: "CSV: with names and expiries", extension: "csv" },
  ndjson: { title: "NDJSON: one JSON document per line", extension: "ndjson" },
  json: { title: "JSON: one array", extension: "json" },
  "ranges-csv": { title: "CSV of ranges, for DuckDB and Spark", extension: "csv" },
  apache: { title: "Apache: Require lines", extension: "conf" },
  "aws-prefix-list": { title: "AWS managed prefix list", extension: "json", cannot: ONE_FAMILY },
  "aws-waf": { title: "AWS WAF: IP set", extension: "json", cannot: ONE_FAMILY },
  "azure-ip-group": { title: "Azure IP group", extension: "json", cannot: IPV4 },
  bird: { title: "BIRD: blackhole routes", extension: "conf", isNamed: true },
  caddy: { title: "Caddy: a matcher", extension: "caddy", isNamed: true },
  checkpoint: { title: "Check Point: intelligence feed", extension: "csv", cannot: IPV4, isNamed: true },
  cilium: { title: "Cilium: CiliumCIDRGroup", extension: "yaml", isNamed: true },
  cisco: { title: "Cisco: security intelligence feed", extension: "txt" },
  "cloudflare-list": {
    title: "Cloudflare: custom list",
    extension: "json",
    cannot: "No IPv6 prefixes from /65 to /127.",
  },
  "crowdsec-csv": { title: "CrowdSec: decisions", extension: "csv", cannot: BLOCKLISTS, isNamed: true },
  dnsbl: { title: "DNS blocklist for rbldnsd", extension: "zone" },
  envoy: { title: "Envoy: access control", extension: "yaml", isNamed: true },
  "exabgp-flowspec": { title: "ExaBGP: flow routes", extension: "txt", cannot: BLOCKLISTS },
  f5: { title: "F5 AFM: feed list", extension: "csv" },
  firewalld: { title: "firewalld: entries of an ipset", extension: "txt", cannot: ONE_FAMILY },
  fortinet: { title: "FortiGate: threat feed", extension: "txt" },
  "gcp-address-group": { title: "Google Cloud address group", extension: "json", cannot: ONE_FAMILY },
  haproxy: { title: "HAProxy: an acl", extension: "acl" },
  ipset: { title: "ipset: two sets", extension: "ipset", isNamed: true },
  iptables: { title: "iptables: a chain", extension: "rules", isNamed: true },
  juniper: { title: "Juniper SRX: dynamic address", extension: "txt" },
  kubernetes: { title: "Kubernetes: NetworkPolicy", extension: "yaml", isNamed: true },
  mmdb: { title: "MMDB: a MaxMind database", extension: "mmdb" },
  misp: { title: "MISP: a feed of events", extension: "json", isOnlyDeployed: true },
  mikrotik: { title: "MikroTik RouterOS: a script", extension: "rsc", isNamed: true },
  nftables: { title: "nftables: two sets", extension: "nft", isNamed: true },
  nginx: { title: "nginx: a geo block", extension: "conf" },
  ntop: { title: "ntopng: custom blacklist", extension: "txt", cannot: HOSTS },
  opnsense: { title: "OPNsense: URL table", extension: "txt" },
  paloalto: { title: "PAN-OS: external dynamic list", extension: "txt" },
  pfsense: { title: "pfSense: URL table", extension: "txt" },
  postfix: { title: "Postfix: a cidr table", extension: "cidr" },
  rpz: { title: "Response policy zone: Unbound, BIND", extension: "zone" },
  rspamd: { title: "Rspamd: a multimap", extension: "txt" },
  sonicwall: { title: "SonicWall: dynamic external group", extension: "txt" },
  sophos: { title: "Sophos Firewall: threat feed", extension: "txt", cannot: HOSTS },
  squid: { title: "Squid: an acl", extension: "acl" },
  "suricata-iprep": { title: "Suricata: a reputation list", extension: "list" },
  trie: { title: "Binary trie for edge components", extension: "bin", isOnlyDeployed: true },
  traefik: { title: "Traefik: ipAllowList", extension: "yaml", isNamed: true },
  varnish: { title: "Varnish: a VCL acl", extension: "vcl", isNamed: true },
  "zeek-intel": { title: "Zeek: intelligence", extension: "dat", isNamed: true },
};

/** Formats by name, with their titles, for a choice. */
export const FORMAT_TITLES: Readonly<Record<string, string>> = titlesOf(Object.entries(FORMATS));

/** The same of those in which rulesets can be exported. */
export const EXPORT_TITLES = titlesOf(Object.entries(FORMATS).filter(([, format]) => format.isOnlyDeployed !== true));

function titlesOf(formats: readonly (readonly [string, FormatAbout])[]): Readonly<Record<string, string>> {
  return Object.fromEntries(formats.map(([format, { title }]) => [format, title]));
}
