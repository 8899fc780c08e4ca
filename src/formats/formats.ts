import { apache } from "./apache.ts";
import { bird } from "./bird.ts";
import { caddy } from "./caddy.ts";
import { cilium } from "./cilium.ts";
import { clickhouse } from "./clickhouse.ts";
import { crowdsecCsv } from "./crowdsec-csv.ts";
import { csv } from "./csv.ts";
import { dnsbl } from "./dnsbl.ts";
import type { ListKind } from "./entry.ts";
import { f5 } from "./f5.ts";
import { haproxy } from "./haproxy.ts";
import { ipset } from "./ipset.ts";
import { iptables } from "./iptables.ts";
import { jsonl, ndjson } from "./json-lines.ts";
import { kubernetes } from "./kubernetes.ts";
import { mikrotik } from "./mikrotik.ts";
import { mmdb } from "./mmdb.ts";
import { nftables } from "./nftables.ts";
import { nginx } from "./nginx.ts";
import { postfix } from "./postfix.ts";
import { rpz } from "./rpz.ts";
import { squid } from "./squid.ts";
import { suricataIprep } from "./suricata-iprep.ts";
import { text } from "./text.ts";
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
  nginx,
  haproxy,
  ipset,
  nftables,
  apache,
  bird,
  caddy,
  cilium,
  "crowdsec-csv": crowdsecCsv,
  dnsbl,
  f5,
  iptables,
  kubernetes,
  mikrotik,
  postfix,
  rpz,
  squid,
  "suricata-iprep": suricataIprep,
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
