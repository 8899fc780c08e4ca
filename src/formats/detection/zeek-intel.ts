import { addressBits } from "../../address/address.ts";
import { formatPrefix } from "../../address/prefix.ts";
import type { Format } from "../format.ts";
import { checkSetName } from "../set-name.ts";

/**
 * A file of Zeek's intelligence framework, tab-separated, with the list's name as its source.
 * @throws RangeError for a name with other characters than letters, digits and underscores
 */
export const zeekIntel = {
  about: "intelligence framework",
  kinds: ["rules"],
  mediaType: "text/tab-separated-values",
  isNamed: true,
  *write(list) {
    const source = checkSetName(list.name);
    yield "#fields\tindicator\tindicator_type\tmeta.source\n";
    for (const { prefix } of list.entries()) {
      const type = prefix.length === addressBits(prefix.family) ? "Intel::ADDR" : "Intel::SUBNET";
      yield `${formatPrefix(prefix)}\t${type}\t${source}\n`;
    }
  },
} as const satisfies Format<"rules">;
