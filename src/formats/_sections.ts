import type { Family } from "../address/address.ts";
import type { EntryList, RuleEntry } from "./entry.ts";

/** The part of a file for one family: a line before and after its prefixes, and one for each. */
export interface Section {
  begin(family: Family): string;
  line(entry: RuleEntry): string;
  readonly end?: string;
}

/** A section for each family, even without entries, in one pass: IPv4 comes first. */
export function* inSections(list: EntryList<"rules">, { begin, line, end = "" }: Section): Generator<string> {
  let family: Family = 4;
  yield begin(family);
  for (const entry of list.entries()) {
    if (entry.prefix.family !== family) {
      family = entry.prefix.family;
      yield `${end}${begin(family)}`;
    }
    yield line(entry);
  }
  yield family === 4 ? `${end}${begin(6)}${end}` : end;
}
