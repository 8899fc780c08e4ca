import { apache } from "./web-servers/apache.ts";
import { awsPrefixList } from "./clouds/aws-prefix-list.ts";
import { awsWaf } from "./clouds/aws-waf.ts";
import { azureIpGroup } from "./clouds/azure-ip-group.ts";
import { bird } from "./routers/bird.ts";
import { caddy } from "./web-servers/caddy.ts";
import { checkpoint } from "./firewalls/checkpoint.ts";
import { cilium } from "./clouds/cilium.ts";
import { clickhouse } from "./data/clickhouse.ts";
import { cloudflareList } from "./clouds/cloudflare-list.ts";
import { crowdsecCsv } from "./detection/crowdsec-csv.ts";
import { csv } from "./data/csv.ts";
import { dnsbl } from "./names-and-mail/dnsbl.ts";
import type { ListKind } from "./entry.ts";
import { envoy } from "./web-servers/envoy.ts";
import { exabgpFlowspec } from "./routers/exabgp-flowspec.ts";
import { f5 } from "./firewalls/f5.ts";
import { firewalld } from "./firewalls/firewalld.ts";
import { gcpAddressGroup } from "./clouds/gcp-address-group.ts";
import { haproxy } from "./web-servers/haproxy.ts";
import { ntop, sophos } from "./firewalls/host-lists.ts";
import { ipset } from "./firewalls/ipset.ts";
import { iptables } from "./firewalls/iptables.ts";
import { jsonl, ndjson } from "./data/json-lines.ts";
import { json } from "./data/json.ts";
import { kubernetes } from "./clouds/kubernetes.ts";
import { mikrotik } from "./firewalls/mikrotik.ts";
import { mmdb } from "./data/mmdb.ts";
import { nftables } from "./firewalls/nftables.ts";
import { nginx } from "./web-servers/nginx.ts";
import { postfix } from "./names-and-mail/postfix.ts";
import { cisco, fortinet, juniper, opnsense, paloalto, pfsense, rspamd, sonicwall } from "./firewalls/prefix-lists.ts";
import { rangesCsv } from "./data/ranges-csv.ts";
import { rpz } from "./names-and-mail/rpz.ts";
import { squid } from "./web-servers/squid.ts";
import { suricataIprep } from "./detection/suricata-iprep.ts";
import { text } from "./data/text.ts";
import { traefik } from "./web-servers/traefik.ts";
import { varnish } from "./web-servers/varnish.ts";
import { zeekIntel } from "./detection/zeek-intel.ts";

/** Every format, by name, in the order in which help and documents name them. */
export const FORMATS = {
  clickhouse,
  text,
  csv,
  jsonl,
  ndjson,
  json,
  "ranges-csv": rangesCsv,
  mmdb,
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

/** What a response with a file in the format says that it is. */
export function contentTypeOf(format: keyof Formats): string {
  const { mediaType } = FORMATS[format];
  return "isBinary" in FORMATS[format] ? mediaType : `${mediaType}; charset=utf-8`;
}

type Formats = typeof FORMATS;

/** The names of the formats for lists of a kind. */
export type FormatOf<Kind extends ListKind> = {
  [Name in keyof Formats]: Kind extends Formats[Name]["kinds"][number] ? Name : never;
}[keyof Formats];

export function formatsOf<Kind extends ListKind>(kind: Kind): readonly FormatOf<Kind>[] {
  const names = Object.keys(FORMATS) as (keyof Formats)[];
  return names.filter((name): name is FormatOf<Kind> => FORMATS[name].kinds.some((each) => each === kind));
}
