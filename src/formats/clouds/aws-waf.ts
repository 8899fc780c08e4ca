import { cidr, WITHOUT_ZERO_LENGTH, withoutZeroLength } from "../_cidr.ts";
import { jsonItems } from "../_json-items.ts";
import type { Format } from "../format.ts";

/** The addresses of an IP set of AWS WAF: `aws wafv2 update-ip-set --addresses file://FILE`. It takes no /0. */
export const awsWaf = {
  about: "addresses of an IP set of AWS WAF",
  kinds: ["rules"],
  mediaType: "application/json",
  isOneFamily: true,
  expresses: WITHOUT_ZERO_LENGTH,
  *write(list) {
    yield* jsonItems(withoutZeroLength(list).map((prefix) => `"${cidr(prefix)}"`));
  },
} as const satisfies Format<"rules">;
