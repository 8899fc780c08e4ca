import { headingOf } from "./_markdown.ts";
import { linesOf, listText } from "./_text.ts";
import { type Importer, ListBuilder, Places } from "./imported-list.ts";

/** The page of PagerDuty's documentation as Markdown: indented addresses under a heading for each service region. */
export const pagerdutyPage: Importer = (text) => {
  const list = new ListBuilder();
  const places = new Places();
  let region = "";
  for (const [line, number] of linesOf(listText(text))) {
    const heading = headingOf(line);
    if (heading !== undefined) region = /^(\w+) Service Region$/.exec(heading)?.[1] ?? "";
    // Four blanks make a line of code, which is what the addresses are; prose has none.
    if (/^( {4}|\t)\s*\S/.test(line))
      list.add(
        line.trim(),
        `line ${number}`,
        places.of({ id: "webhooks", name: "Webhooks" }, region, `line ${number}`),
      );
  }
  return list.build();
};
