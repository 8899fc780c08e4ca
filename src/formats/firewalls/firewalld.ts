import { formatPrefix } from "../../address/prefix.ts";
import { addressesOf } from "../_minimal.ts";
import { atLeast } from "../../sets/capability.ts";
import { WITHOUT_ZERO_LENGTH } from "../_cidr.ts";
import type { Format } from "../format.ts";

/**
 * Entries of an ipset of firewalld, of type hash:net: `firewall-cmd --ipset=NAME --add-entries-from-file=FILE`. It
 * rejects prefixes that overlap, so no two do here, and /0, of which the two halves stand here.
 */
export const firewalld = {
  about: "entries of an ipset",
  kinds: ["rules"],
  mediaType: "text/plain",
  comments: "#",
  isOneFamily: true,
  expresses: WITHOUT_ZERO_LENGTH,
  *write(list) {
    const addresses = yield* addressesOf(list);
    for (const prefix of addresses.prefixes()) for (const part of atLeast(1, prefix)) yield `${formatPrefix(part)}\n`;
  },
} as const satisfies Format<"rules">;
