import { apache } from "./apache.ts";
import { awsPrefixList } from "./aws-prefix-list.ts";
import { awsWaf } from "./aws-waf.ts";
import { azureIpGroup } from "./azure-ip-group.ts";
import { bird } from "./bird.ts";
import { caddy } from "./caddy.ts";
import { checkpoint } from "./checkpoint.ts";
import { cilium } from "./cilium.ts";
import { clickhouse } from "./clickhouse.ts";
import { cloudflareList } from "./cloudflare-list.ts";
import { crowdsecCsv } from "./crowdsec-csv.ts";
import { csv } from "./csv.ts";
import { dnsbl } from "./dnsbl.ts";
import type { ListKind } from "./entry.ts";
import { envoy } from "./envoy.ts";
import { exabgpFlowspec } from "./exabgp-flowspec.ts";
import { f5 } from "./f5.ts";
import { firewalld } from "./firewalld.ts";
import { gcpAddressGroup } from "./gcp-address-group.ts";
import { haproxy } from "./haproxy.ts";
import { ntop, sophos } from "./host-lists.ts";
import { ipset } from "./ipset.ts";
import { iptables } from "./iptables.ts";
import { jsonl, ndjson } from "./json-lines.ts";
import { json } from "./json.ts";
import { kubernetes } from "./kubernetes.ts";
import { mikrotik } from "./mikrotik.ts";
import { mmdb } from "./mmdb.ts";
import { nftables } from "./nftables.ts";
import { nginx } from "./nginx.ts";
import { postfix } from "./postfix.ts";
import { cisco, fortinet, juniper, opnsense, paloalto, pfsense, rspamd, sonicwall } from "./prefix-lists.ts";
import { rangesCsv } from "./ranges-csv.ts";
import { rpz } from "./rpz.ts";
import { squid } from "./squid.ts";
import { suricataIprep } from "./suricata-iprep.ts";
import { text } from "./text.ts";
import { traefik } from "./traefik.ts";
import { varnish } from "./varnish.ts";
import { zeekIntel } from "./zeek-intel.ts";

/** Every format, by name, in the order in which help and documents name them. */
export const FORMATS = {
  mmdb,
  clickhouse,
  text,
  csv,
  jsonl,
  ndjson,
  json,
  "ranges-csv": rangesCsv,
  nginx,
  haproxy,
  ipset,
  nftables,
  apache,
  "aws-prefix-list": awsPrefixList,
  "aws-waf": awsWaf,
  "azure-ip-group": azureIpGroup,
  bird,
  caddy,
  checkpoint,
  cilium,
  cisco,
  "cloudflare-list": cloudflareList,
  "crowdsec-csv": crowdsecCsv,
  dnsbl,
  envoy,
  "exabgp-flowspec": exabgpFlowspec,
  f5,
  firewalld,
  fortinet,
  "gcp-address-group": gcpAddressGroup,
  iptables,
  juniper,
  kubernetes,
  mikrotik,
  ntop,
  opnsense,
  paloalto,
  pfsense,
  postfix,
  rpz,
  rspamd,
  sonicwall,
  sophos,
  squid,
  "suricata-iprep": suricataIprep,
  traefik,
  varnish,
  "zeek-intel": zeekIntel,
} as const;

type Formats = typeof FORMATS;

/** The names of the formats for lists of a kind. */
export type FormatOf<Kind extends ListKind> = {
  [Name in keyof Formats]: Kind extends Formats[Name]["kinds"][number] ? Name : never;
}[keyof Formats];

export function formatsOf<Kind extends ListKind>(kind: Kind): readonly FormatOf<Kind>[] {
  const names = Object.keys(FORMATS) as (keyof Formats)[];
  return names.filter((name): name is FormatOf<Kind> => FORMATS[name].kinds.some((each) => each === kind));
}
