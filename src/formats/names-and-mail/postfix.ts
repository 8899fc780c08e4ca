import { formatPrefix } from "../../address/prefix.ts";
import type { Format } from "../format.ts";

/** A table for `check_client_access cidr:FILE` of Postfix. The first line that matches decides, and all say the same. */
export const postfix = {
  about: "cidr table",
  kinds: ["rules"],
  mediaType: "text/plain",
  comments: "#",
  *write(list) {
    const action = list.purpose === "blocklist" ? "REJECT" : "OK";
    for (const { prefix } of list.entries()) yield `${formatPrefix(prefix)} ${action}\n`;
  },
} as const satisfies Format<"rules">;
