import { compareLookups } from "./compare-lookups.ts";
import type { Part } from "./part.ts";

/** A hundred prefixes, with contenders that try one prefix after the other. */
const contenders = [
  "ipsieve",
  "ipsieve-kernel",
  "net-block-list",
  "ip-set",
  "mmdb-lib",
  "netparser",
  "longest-prefix-match",
  "ipaddr-js",
  "ip-matching",
  "cidr-tools",
];

export const part: Part = () =>
  compareLookups({ table: "small4", contenders, rounds: 5, milliseconds: 60, singleCount: 10_000 });
