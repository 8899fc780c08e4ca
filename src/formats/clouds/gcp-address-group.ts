import { cidr } from "../_cidr.ts";
import { jsonItems } from "../_json-items.ts";
import type { Format } from "../format.ts";

/** The body of a request that sets the items of an address group: `PATCH .../addressGroups/NAME?updateMask=items`. */
export const gcpAddressGroup = {
  about: "items of an address group",
  kinds: ["rules"],
  mediaType: "application/json",
  isOneFamily: true,
  *write(list) {
    yield '{"items":';
    yield* jsonItems(Iterator.from(list.entries()).map(({ prefix }) => `"${cidr(prefix)}"`));
    yield "}\n";
  },
} as const satisfies Format<"rules">;
