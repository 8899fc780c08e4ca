import { compareLookups, FULL } from "./compare-lookups.ts";
import type { Part } from "./part.ts";

const contenders = ["ipsieve", "ipsieve-kernel", "set", "net-block-list", "ip-set", "mmdb-lib"];

export const part: Part = () => compareLookups({ table: "blocklist4", contenders, ...FULL });
