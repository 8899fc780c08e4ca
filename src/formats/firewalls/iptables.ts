import { formatPrefix } from "../../address/prefix.ts";
import type { Format } from "../format.ts";
import { checkSetName } from "../set-name.ts";

/**
 * A chain for `iptables-restore --noflush` and `ip6tables-restore --noflush`: each takes the lines of its own family
 * (`-4`, `-6`) and skips the others. The chain is replaced at once; `iptables -A INPUT -j NAME` sends packets there.
 * @throws RangeError for a name that no chain can have
 */
export const iptables = {
  about: "a chain for iptables-restore",
  kinds: ["rules"],
  mediaType: "text/plain",
  comments: "#",
  isNamed: true,
  *write(list) {
    const chain = checkSetName(list.name);
    const target = list.purpose === "blocklist" ? "DROP" : "ACCEPT";
    yield `*filter\n:${chain} - [0:0]\n`;
    for (const { prefix } of list.entries())
      yield `-${prefix.family} -A ${chain} -s ${formatPrefix(prefix)} -j ${target}\n`;
    yield "COMMIT\n";
  },
} as const satisfies Format<"rules">;
