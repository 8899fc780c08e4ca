import { formatAddress } from "../../address/format-address.ts";
import type { Format } from "../format.ts";
import { checkSetName } from "../set-name.ts";

/**
 * An access control list of Varnish, to be included in VCL: `if (client.ip ~ NAME) { return (synth(403)); }`.
 * @throws RangeError for a name that no list can have
 */
export const varnish = {
  about: "VCL acl",
  kinds: ["rules"],
  mediaType: "text/plain",
  comments: "#",
  isNamed: true,
  *write(list) {
    yield `acl ${checkSetName(list.name)} {\n`;
    for (const { prefix } of list.entries()) yield `"${formatAddress(prefix)}"/${prefix.length};\n`;
    yield "}\n";
  },
} as const satisfies Format<"rules">;
