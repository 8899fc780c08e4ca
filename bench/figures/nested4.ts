import { compareLookups, FULL } from "./compare-lookups.ts";
import type { Part } from "./part.ts";

/** Only contenders that return which prefix matched: for others nesting makes no difference. */
const contenders = ["ipsieve", "ipsieve-kernel", "mmdb-lib", "longest-prefix-match"];

export const part: Part = () => compareLookups({ table: "nested4", contenders, ...FULL });
