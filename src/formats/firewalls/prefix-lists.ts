import { formatPrefix } from "../../address/prefix.ts";
import { prefixLines } from "../_prefix-lines.ts";
import type { EntryList } from "../entry.ts";

/** A list of one prefix per line, as most products fetch them from a URL; each has limits of its own. */
function prefixList(about: string) {
  return { about, kinds: ["rules"], mediaType: "text/plain", write: prefixLines } as const;
}

/** One whose device skips lines that begin with `#`. */
function commentedList(about: string) {
  return { ...prefixList(about), comments: "#" } as const;
}

/** What follows a prefix and a space is a comment. */
export const paloalto = {
  ...prefixList("external dynamic list of PAN-OS"),
  comments: "entries",
  *write({ comment, ...list }: EntryList<"rules">) {
    const end = comment === undefined ? "" : ` ${comment}`;
    for (const { prefix } of list.entries()) yield `${formatPrefix(prefix)}${end}\n`;
  },
} as const;
export const fortinet = prefixList("external IP block list of FortiOS");
export const cisco = commentedList("security intelligence feed");
export const juniper = prefixList("a file of a feed for dynamic-address");
export const sonicwall = prefixList("dynamic external address group");
export const pfsense = commentedList("URL table alias");
export const opnsense = commentedList("URL table alias");
export const rspamd = commentedList("ip map");
