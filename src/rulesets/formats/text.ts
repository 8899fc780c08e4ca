import { formatPrefix } from "../../address/prefix.ts";
import type { Rule } from "../rule.ts";
import type { LineReader } from "./imported-rule.ts";

/** A prefix a line and nothing else, as firewalls read external dynamic lists. */
export function* exportText(rules: Iterable<Rule>): Generator<string> {
  for (const { prefix } of rules) yield `${formatPrefix(prefix)}\n`;
}

/**
 * `#` and `;` begin a comment at the start of a line or behind white space; white space around a prefix is no matter.
 */
export function textLines(): LineReader {
  return (line) => {
    const content = line.replace(/(^|\s)[#;].*$/, "");
    const text = content.trim();
    return text === "" ? null : { ip: { text, at: content.indexOf(text) }, name: undefined, expiresAt: undefined };
  };
}
