import { formatPrefix } from "../../address/prefix.ts";
import type { Format } from "../format.ts";

/** The score of every listed address: the highest one. */
const SCORE = 127;

/**
 * A reputation file of Suricata: prefix, category, score. All are in category 1, which the file of categories names:
 * `iprep:src,NAME,>,100` then matches.
 */
export const suricataIprep = {
  about: "reputation list",
  kinds: ["rules"],
  mediaType: "text/csv",
  comments: "#",
  *write(list) {
    for (const { prefix } of list.entries()) yield `${formatPrefix(prefix)},1,${SCORE}\n`;
  },
} as const satisfies Format<"rules">;
