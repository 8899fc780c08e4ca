import type { Consumer } from "./consumer.ts";
import { crowdsec } from "./crowdsec.ts";
import { bind, rbldnsd, recursor } from "./name-servers.ts";
import { birdToGobgp, exabgpToGobgp } from "./routers.ts";
import { suricata } from "./suricata.ts";
import { bird, caddy, firewalld, iptables, postfix } from "./tables.ts";
import { apache, haproxy, nginx, squid, varnish } from "./web-servers.ts";

/** Every program that reads exported rules in the tests. */
export const CONSUMERS: readonly Consumer[] = [
  apache,
  bind,
  bird,
  birdToGobgp,
  caddy,
  crowdsec,
  exabgpToGobgp,
  firewalld,
  haproxy,
  iptables,
  nginx,
  postfix,
  rbldnsd,
  recursor,
  squid,
  suricata,
  varnish,
];
