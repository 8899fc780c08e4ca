import { compareLookups, FULL } from "./compare-lookups.ts";
import type { Part } from "./part.ts";

const contenders = [
  "ipsieve",
  "ipsieve-kernel",
  "net-block-list",
  "ip-set",
  "mmdb-lib",
  "maxmind",
  "netparser",
  "longest-prefix-match",
];

export const part: Part = () => compareLookups({ table: "routed4", contenders, ...FULL });
