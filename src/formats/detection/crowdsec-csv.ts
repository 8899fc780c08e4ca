import { addressBits } from "../../address/address.ts";
import { formatPrefix } from "../../address/prefix.ts";
import { timed } from "../_timeouts.ts";
import { type Format, UnexportableError } from "../format.ts";
import { checkSetName } from "../set-name.ts";

/**
 * Decisions must have an end. For rules without an expiry it is a year, in seconds: they are imported again long before
 * that.
 */
const MAX_TIMEOUT = 365 * 86_400;

/**
 * Decisions for `cscli decisions import`, with the list's name as their reason.
 * @throws UnexportableError for an allowlist, RangeError for a name with other characters than letters, digits and underscores
 */
export const crowdsecCsv = {
  about: "decisions",
  kinds: ["rules"],
  mediaType: "text/csv",
  isNamed: true,
  hasTimeouts: true,
  longestTimeout: MAX_TIMEOUT,
  needsTimeouts: true,
  *write(list) {
    const reason = checkSetName(list.name);
    if (list.purpose === "allowlist")
      throw new UnexportableError(reason, "CrowdSec's decisions only block; choose another format for an allowlist");
    yield "duration,scope,value,type,reason\n";
    for (const entry of list.entries()) {
      const { prefix, timeout } = timed(entry, list.now, MAX_TIMEOUT);
      const scope = prefix.length === addressBits(prefix.family) ? "ip" : "range";
      yield `${Math.min(timeout, MAX_TIMEOUT)}s,${scope},${formatPrefix(prefix)},ban,${reason}\n`;
    }
  },
} as const satisfies Format<"rules">;
