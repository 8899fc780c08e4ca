import { linesOf, listText } from "./_text.ts";
import { type Importer, ListBuilder, type NameLike, Places } from "./imported-list.ts";

/** Where a whole list belongs if the list itself does not say. */
export interface FixedPlace {
  readonly service?: NameLike;
  readonly region?: NameLike;
}

/**
 * Plain text: one prefix, address or range `first-last` a line. `#` and `;` begin a comment at the start of a line or
 * after white space; surrounding white space, the kind of line ending, and a missing one at the end make no difference.
 */
export function plainText({ service = null, region = null }: FixedPlace = {}): Importer {
  return (text) => {
    const list = new ListBuilder();
    const place = new Places().of(service, region, "line 1");
    for (const [line, number] of linesOf(listText(text))) {
      const content = line.replace(/(^|\s)[#;].*$/, "").trim();
      if (content !== "") list.addRange(content, `line ${number}`, place);
    }
    return list.build();
  };
}
