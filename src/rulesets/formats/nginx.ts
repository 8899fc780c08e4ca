import { formatPrefix } from "../../address/prefix.ts";
import type { Rule } from "../rule.ts";

/**
 * The inside of a `geo` block of nginx, to be included in one: `geo $listed { default 0; include rules.conf; }`. The
 * variable is 1 for listed clients.
 */
export function* exportNginx(rules: Iterable<Rule>): Generator<string> {
  for (const { prefix } of rules) yield `${formatPrefix(prefix)} 1;\n`;
}
