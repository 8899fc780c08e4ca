import { LineProblem, type LineReader } from "./imported-rule.ts";

const SEVERAL_FIELDS =
  'a text list has one address or prefix per line; in CSV the first line names the columns, such as "ip,name,expires_at"';

/**
 * `#`, `;` and `//` begin a comment at the start of a line or after white space; white space around a prefix makes no
 * difference.
 */
export function textLines(): LineReader {
  return (line) => {
    const content = line.replace(/(^|\s)(#|;|\/\/).*$/, "");
    const text = content.trim();
    const comma = content.indexOf(",");
    if (comma >= 0) throw new LineProblem(comma, text, SEVERAL_FIELDS);
    return text === "" ? null : { ip: { text, at: content.indexOf(text) }, name: undefined, expiresAt: undefined };
  };
}
