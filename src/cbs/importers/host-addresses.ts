import { linesOf, listText } from "./_text.ts";
import { ImportError } from "./import-error.ts";
import { type Importer, ListBuilder } from "./imported-list.ts";

/** One host name and one of its addresses per line: `probe1.example.net 192.0.2.1`. */
export const hostAddresses: Importer = (text) => {
  const list = new ListBuilder();
  for (const [line, number] of linesOf(listText(text))) {
    if (line.trim() === "") continue;
    const fields = line.trim().split(/\s+/);
    const position = `line ${number}`;
    if (fields.length !== 2)
      throw new ImportError("bad-shape", position, "expected a host name and one address, with a space between them");
    list.add(fields[1], position);
  }
  return list.build();
};
