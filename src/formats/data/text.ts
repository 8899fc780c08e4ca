import { prefixLines } from "../_prefix-lines.ts";
import type { Format } from "../format.ts";

/** One prefix per line and nothing else, as firewalls read external dynamic lists. */
export const text = {
  about: "one prefix per line",
  kinds: ["rules"],
  mediaType: "text/plain",
  comments: "#",
  write: prefixLines,
} as const satisfies Format<"rules">;
