import { formatPrefix } from "../../address/prefix.ts";
import { addressesOf } from "../_minimal.ts";
import type { Format } from "../format.ts";

/**
 * A file for `acl listed src "FILE"` of Squid, one prefix per line. Squid drops a prefix inside another one with a
 * warning, so no two overlap here.
 */
export const squid = {
  about: "for acl src",
  kinds: ["rules"],
  mediaType: "text/plain",
  comments: "#",
  *write(list) {
    const addresses = yield* addressesOf(list);
    for (const prefix of addresses.prefixes()) yield `${formatPrefix(prefix)}\n`;
  },
} as const satisfies Format<"rules">;
