import { formatAddress } from "../../address/format-address.ts";
import type { Format } from "../format.ts";
import { checkSetName } from "../set-name.ts";

const TYPE = "type.googleapis.com/envoy.extensions.filters.http.rbac.v3.RBAC";

/**
 * An HTTP filter of Envoy for role-based access control, which denies or allows the listed addresses. A policy must
 * have a principal, so an empty list has none: then nothing is denied, or nothing is allowed.
 * @throws RangeError for a name with other characters than letters, digits and underscores
 */
export const envoy = {
  about: "an HTTP filter for access control",
  kinds: ["rules"],
  mediaType: "application/yaml",
  comments: "#",
  isNamed: true,
  *write(list) {
    const policy = `    policies:\n      ${checkSetName(list.name)}:\n        permissions:\n        - any: true\n        principals:\n`;
    yield `name: envoy.filters.http.rbac\ntyped_config:\n  "@type": "${TYPE}"\n  rules:\n`;
    yield `    action: ${list.purpose === "blocklist" ? "DENY" : "ALLOW"}\n`;
    let isEmpty = true;
    for (const { prefix } of list.entries()) {
      const address = `address_prefix: "${formatAddress(prefix)}", prefix_len: ${prefix.length}`;
      yield `${isEmpty ? policy : ""}        - remote_ip: { ${address} }\n`;
      isEmpty = false;
    }
    if (isEmpty) yield "    policies: {}\n";
  },
} as const satisfies Format<"rules">;
