import { formatPrefix } from "../../address/prefix.ts";
import { jsonItems } from "../_json-items.ts";
import type { Format } from "../format.ts";

/** The `ipAddresses` of an IP group: `az network ip-group update --ip-addresses FILE`. */
export const azureIpGroup = {
  about: "addresses of an IP group",
  kinds: ["rules"],
  mediaType: "application/json",
  expresses: { 4: [{ from: 0, to: 32 }] },
  unprocessable: () => "its IP groups are documented for IPv4 only",
  *write(list) {
    yield* jsonItems(Iterator.from(list.entries()).map(({ prefix }) => `"${formatPrefix(prefix)}"`));
  },
} as const satisfies Format<"rules">;
