import { formatPrefix } from "../../address/prefix.ts";
import { WITHOUT_ZERO_LENGTH, withoutZeroLength } from "../_cidr.ts";
import type { Format } from "../format.ts";

/**
 * Lines for a `<RequireAll>` of Apache's mod_authz_host, to be included in one. The block denies everything unless
 * something in it grants access, so a blocklist needs `Require all granted` first:
 *
 *     <RequireAll>
 *       Require all granted
 *       Include blocklist.conf
 *     </RequireAll>
 *
 * It takes no /0.
 */
export const apache = {
  about: "Require lines",
  kinds: ["rules"],
  mediaType: "text/plain",
  comments: "#",
  expresses: WITHOUT_ZERO_LENGTH,
  *write(list) {
    const directive = list.purpose === "blocklist" ? "Require not ip" : "Require ip";
    for (const prefix of withoutZeroLength(list)) yield `${directive} ${formatPrefix(prefix)}\n`;
  },
} as const satisfies Format<"rules">;
