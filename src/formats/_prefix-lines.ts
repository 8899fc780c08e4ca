import { formatPrefix } from "../address/prefix.ts";
import type { EntryList } from "./entry.ts";

/** One prefix per line and nothing else. */
export function* prefixLines(list: EntryList): Generator<string> {
  for (const { prefix } of list.entries()) yield `${formatPrefix(prefix)}\n`;
}
