import { formatPrefix } from "../address/prefix.ts";
import { inSections } from "./_sections.ts";
import type { Format } from "./format.ts";
import { checkSetName } from "./set-name.ts";

const MENUS = { 4: "/ip", 6: "/ipv6" } as const;

/**
 * A script for `/import` of RouterOS, which replaces the address lists NAME of both families. It has no timeouts:
 * RouterOS forgets entries that have one when it restarts.
 * @throws RangeError for a name that no list can have
 */
export const mikrotik = {
  about: "RouterOS script",
  kinds: ["rules"],
  mediaType: "text/plain",
  comments: "entries",
  isNamed: true,
  *write(list) {
    const name = checkSetName(list.name);
    const comment = list.comment === undefined ? "" : ` comment="${list.comment}"`;
    yield* inSections(list, {
      begin: (family) => `${MENUS[family]} firewall address-list\nremove [find list="${name}"]\n`,
      line: (prefix) => `add list="${name}" address=${formatPrefix(prefix)}${comment}\n`,
    });
  },
} as const satisfies Format<"rules">;
