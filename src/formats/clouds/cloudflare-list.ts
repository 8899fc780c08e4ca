import { formatPrefix } from "../../address/prefix.ts";
import type { Prefix } from "../../address/address.ts";
import { atLeast } from "../../sets/capability.ts";
import { jsonItems } from "../_json-items.ts";
import type { EntryList } from "../entry.ts";
import type { Format } from "../format.ts";

/** The shortest prefix length of each family, and the longest of IPv6 besides that of a single address. */
const SHORTEST = { 4: 8, 6: 12 } as const;
const MAX_IPV6_LENGTH = 64;

/**
 * Items of a custom list of kind `ip`, for `PUT /accounts/ID/rules/lists/ID/items`. Prefixes that are too wide for it
 * are written as all of the widest ones in them.
 */
export const cloudflareList = {
  about: "items of a custom list",
  kinds: ["rules"],
  mediaType: "application/json",
  comments: "entries",
  expresses: {
    4: [{ widest: 0, from: SHORTEST[4], to: 32 }],
    6: [
      { widest: 0, from: SHORTEST[6], to: MAX_IPV6_LENGTH },
      { from: 128, to: 128 },
    ],
  },
  unprocessable: () => `it takes IPv6 prefixes of up to /${MAX_IPV6_LENGTH}, and single addresses`,
  *write(list) {
    const comment = list.comment === undefined ? "" : `,"comment":"${list.comment}"`;
    yield* jsonItems(prefixesOf(list).map((prefix) => `{"ip":"${formatPrefix(prefix)}"${comment}}`));
  },
} as const satisfies Format<"rules">;

function* prefixesOf(list: EntryList<"rules">): Generator<Prefix> {
  for (const { prefix } of list.entries()) yield* atLeast(SHORTEST[prefix.family], prefix);
}
