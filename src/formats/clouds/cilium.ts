import { formatAddress } from "../../address/format-address.ts";
import type { Format } from "../format.ts";
import { resourceNameOf } from "../set-name.ts";

/** A CiliumCIDRGroup, for the `cidrGroupRef` of network policies. */
export const cilium = {
  about: "CiliumCIDRGroup",
  kinds: ["rules"],
  mediaType: "application/yaml",
  comments: "#",
  isNamed: true,
  *write(list) {
    yield `apiVersion: cilium.io/v2alpha1\nkind: CiliumCIDRGroup\nmetadata:\n  name: ${resourceNameOf(list.name)}\nspec:\n`;
    let isEmpty = true;
    for (const { prefix } of list.entries()) {
      yield `${isEmpty ? "  externalCIDRs:\n" : ""}  - "${formatAddress(prefix)}/${prefix.length}"\n`;
      isEmpty = false;
    }
    if (isEmpty) yield "  externalCIDRs: []\n";
  },
} as const satisfies Format<"rules">;
