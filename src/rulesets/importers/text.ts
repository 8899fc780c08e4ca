import type { LineReader } from "./imported-rule.ts";

/**
 * `#` and `;` begin a comment at the start of a line or after white space; white space around a prefix is no matter.
 */
export function textLines(): LineReader {
  return (line) => {
    const content = line.replace(/(^|\s)[#;].*$/, "");
    const text = content.trim();
    return text === "" ? null : { ip: { text, at: content.indexOf(text) }, name: undefined, expiresAt: undefined };
  };
}
