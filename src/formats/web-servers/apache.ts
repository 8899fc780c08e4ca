import { formatPrefix } from "../../address/prefix.ts";
import type { Format } from "../format.ts";

/**
 * Lines for a `<RequireAll>` of Apache's mod_authz_host, to be included in one. The block denies everything unless
 * something in it grants access, so a blocklist needs `Require all granted` first:
 *
 *     <RequireAll>
 *       Require all granted
 *       Include blocklist.conf
 *     </RequireAll>
 */
export const apache = {
  about: "Require lines",
  kinds: ["rules"],
  mediaType: "text/plain",
  comments: "#",
  *write(list) {
    const directive = list.purpose === "blocklist" ? "Require not ip" : "Require ip";
    for (const { prefix } of list.entries()) yield `${directive} ${formatPrefix(prefix)}\n`;
  },
} as const satisfies Format<"rules">;
