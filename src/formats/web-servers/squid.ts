import { formatPrefix } from "../../address/prefix.ts";
import { atLeast } from "../../sets/capability.ts";
import { WITHOUT_ZERO_LENGTH } from "../_cidr.ts";
import { withoutMapped } from "../_coverage.ts";
import { addressesOf } from "../_minimal.ts";
import type { Format } from "../format.ts";

/**
 * A file for `acl listed src "FILE"` of Squid, one prefix per line. Squid drops a prefix inside another one with a
 * warning, so no two overlap here: neither /0 of IPv4, which is inside some of IPv6, nor IPv6 around mapped IPv4.
 */
export const squid = {
  about: "for acl src",
  kinds: ["rules"],
  mediaType: "text/plain",
  comments: "#",
  expresses: WITHOUT_ZERO_LENGTH,
  *write(list) {
    const addresses = yield* addressesOf(list);
    for (const prefix of addresses.prefixes())
      for (const part of withoutMapped(prefix)) for (const half of atLeast(1, part)) yield `${formatPrefix(half)}\n`;
  },
} as const satisfies Format<"rules">;
