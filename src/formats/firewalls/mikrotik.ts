import { formatPrefix } from "../../address/prefix.ts";
import { timed } from "../_timeouts.ts";
import { inSections } from "../_sections.ts";
import type { RuleEntry, RuleList } from "../entry.ts";
import type { Format } from "../format.ts";
import { checkSetName } from "../set-name.ts";

const MENUS = { 4: "/ip", 6: "/ipv6" } as const;

/** The maximum of RouterOS, in seconds: 35w3d13:13:56, hundredths of a second in 31 bits. */
const MAX_TIMEOUT = 21_474_836;

/**
 * A script for `/import` of RouterOS, which replaces the address lists NAME of both families. It has timeouts only if
 * asked for: RouterOS forgets entries that have one when it restarts.
 * @throws RangeError for a name that no list can have
 */
export const mikrotik = {
  about: "RouterOS script",
  kinds: ["rules"],
  mediaType: "text/plain",
  comments: "entries",
  isNamed: true,
  longestTimeout: MAX_TIMEOUT,
  *write(list) {
    const name = checkSetName(list.name);
    const comment = list.comment === undefined ? "" : ` comment="${list.comment}"`;
    yield* inSections(list, {
      begin: (family) => `${MENUS[family]} firewall address-list\nremove [find list="${name}"]\n`,
      line: (entry) => `add list="${name}" address=${formatPrefix(entry.prefix)}${timeoutOf(entry, list)}${comment}\n`,
    });
  },
} as const satisfies Format<"rules">;

function timeoutOf(entry: RuleEntry, { now, hasTimeouts = false }: RuleList): string {
  const { timeout } = timed(entry, now, MAX_TIMEOUT);
  return hasTimeouts && timeout < Infinity ? ` timeout=${timeout}s` : "";
}
