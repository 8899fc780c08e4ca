import { formatPrefix } from "../address/prefix.ts";
import type { Format } from "./format.ts";

/** A prefix a line and nothing else, as firewalls read external dynamic lists. */
export const text = {
  about: "a prefix a line",
  kinds: ["rules"],
  mediaType: "text/plain",
  *write(list) {
    for (const { prefix } of list.entries()) yield `${formatPrefix(prefix)}\n`;
  },
} as const satisfies Format<"rules">;
