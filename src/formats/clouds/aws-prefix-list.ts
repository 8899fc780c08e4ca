import { cidr, WITHOUT_ZERO_LENGTH, withoutZeroLength } from "../_cidr.ts";
import { jsonItems } from "../_json-items.ts";
import type { Format } from "../format.ts";

/** Entries of a managed prefix list: `aws ec2 create-managed-prefix-list --entries file://FILE`. */
export const awsPrefixList = {
  about: "entries of a managed prefix list",
  kinds: ["rules"],
  mediaType: "application/json",
  isOneFamily: true,
  expresses: WITHOUT_ZERO_LENGTH,
  *write(list) {
    yield* jsonItems(withoutZeroLength(list).map((prefix) => `{"Cidr":"${cidr(prefix)}"}`));
  },
} as const satisfies Format<"rules">;
