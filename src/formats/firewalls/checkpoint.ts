import { addressBits } from "../../address/address.ts";
import { formatAddress } from "../../address/format-address.ts";
import { lastAddress } from "../../address/range.ts";
import type { Format } from "../format.ts";
import { checkSetName } from "../set-name.ts";

/**
 * Indicators of Check Point's custom intelligence feeds (sk132193), which know IPv4 only: addresses, and ranges for
 * prefixes. An indicator is named after its prefix, so its name stays when others come and go.
 * @throws RangeError for a name with other characters than letters, digits and underscores
 */
export const checkpoint = {
  about: "custom intelligence feed",
  kinds: ["rules"],
  mediaType: "text/csv",
  comments: "entries",
  isNamed: true,
  expresses: { 4: [{ from: 0, to: 32 }] },
  unprocessable: () => "its indicators are IPv4 addresses and ranges only",
  *write(list) {
    const name = checkSetName(list.name);
    yield "#UNIQ-NAME,VALUE,TYPE,CONFIDENCE,SEVERITY,PRODUCT,COMMENT\n";
    for (const { prefix } of list.entries()) {
      const first = formatAddress(prefix);
      const isHost = prefix.length === addressBits(prefix.family);
      const value = isHost ? `${first},IP` : `${first}-${formatAddress(lastAddress(prefix))},IP Range`;
      yield `${name}_${first}_${prefix.length},${value},high,high,AB,${list.comment ?? ""}\n`;
    }
  },
} as const satisfies Format<"rules">;
