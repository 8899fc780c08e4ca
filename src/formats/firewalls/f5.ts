import { formatAddress } from "../../address/format-address.ts";
import type { Format } from "../format.ts";

/** A feed list of F5's Advanced Firewall Manager: address, prefix length, `bl` or `wl`, and the category, left empty. */
export const f5 = {
  about: "AFM feed list",
  kinds: ["rules"],
  mediaType: "text/csv",
  *write(list) {
    const kind = list.purpose === "blocklist" ? "bl" : "wl";
    for (const { prefix } of list.entries()) yield `${formatAddress(prefix)},${prefix.length},${kind},\n`;
  },
} as const satisfies Format<"rules">;
