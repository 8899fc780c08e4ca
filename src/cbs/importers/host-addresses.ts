import { linesOf, listText } from "./_text.ts";
import { ImportError } from "./import-error.ts";
import { type Importer, ListBuilder } from "./imported-list.ts";

/** A letter in it tells a host name from an address, of which the line would have two. */
const HOST_NAME = /^(?=.*[a-z])[a-z\d._-]+$/i;

/** One host name and one of its addresses per line: `probe1.example.net 192.0.2.1`. */
export const hostAddresses: Importer = (text) => {
  const list = new ListBuilder();
  for (const [line, number] of linesOf(listText(text))) {
    if (line.trim() === "") continue;
    const [host, address, ...others] = line.trim().split(/\s+/, 3);
    const position = `line ${number}`;
    if (!HOST_NAME.test(host!) || address === undefined || others.length > 0)
      throw new ImportError("bad-shape", position, "expected a host name and one address, with a space between them");
    list.add(address, position);
  }
  return list.build();
};
