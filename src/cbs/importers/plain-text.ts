import { quoted } from "../../address/address-error.ts";
import type { HostBits, ListEntry } from "../../reading/list-entry.ts";
import { type LineOptions, readListLine } from "../../reading/list-line.ts";
import { ListLineError } from "../../reading/list-error.ts";
import { linesOf, listText } from "./_text.ts";
import { ImportError } from "./import-error.ts";
import { type Importer, ListBuilder, type NameLike, Places } from "./imported-list.ts";

/** Where a whole list belongs if the list itself does not say. */
export interface FixedPlace {
  readonly service?: NameLike;
  readonly region?: NameLike;
}

/**
 * Plain text: addresses, prefixes and ranges, as in every list; the kind of line ending, and a missing one at the end,
 * make no difference. In the lists of publishers, host bits are cleared and reported; with `"reject"`, they are errors.
 */
export function plainText({ service = null, region = null }: FixedPlace = {}, hostBits: HostBits = "mask"): Importer {
  return (text) => {
    const list = new ListBuilder();
    const place = new Places().of(service, region, "line 1");
    const options = { hostBits };
    for (const [line, number] of linesOf(listText(text)))
      for (const entry of entriesOf(line, number, options)) list.addEntry(entry, `line ${number}`, place);
    return list.build();
  };
}

/** @throws ImportError "bad-prefix" */
function entriesOf(line: string, number: number, options: LineOptions): readonly ListEntry[] {
  try {
    return readListLine(line, options)?.entries ?? [];
  } catch (error) {
    if (!(error instanceof ListLineError)) throw error;
    const position = `line ${number}, column ${error.at + 1}`;
    throw new ImportError("bad-prefix", position, `${quoted(error.value)}: ${error.problem}`, { cause: error });
  }
}
