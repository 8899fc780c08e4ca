import { compareLookups, FULL } from "./compare-lookups.ts";
import type { Part } from "./part.ts";

/** The /128 hosts of IPv6, in routed prefixes. */
const contenders = ["ipsieve", "ipsieve-kernel", "net-block-list", "mmdb-lib"];

export const part: Part = () => compareLookups({ table: "hosts6", contenders, ...FULL });
