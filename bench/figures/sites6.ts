import { compareLookups, FULL } from "./compare-lookups.ts";
import type { Part } from "./part.ts";

/** The /64 sites of IPv6, in routed prefixes. */
const contenders = ["ipsieve", "ipsieve-kernel", "net-block-list", "mmdb-lib"];

export const part: Part = () => compareLookups({ table: "sites6", contenders, ...FULL });
