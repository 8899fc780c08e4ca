import { formatPrefix } from "../../address/prefix.ts";
import type { Rule } from "../rule.ts";
import { union } from "../set-algebra.ts";
import { checkSetName } from "./_set-name.ts";

const TYPES = { 4: "ipv4_addr", 6: "ipv6_addr" } as const;

/**
 * A file for `nft -f`: a table `inet <name>` with the sets `<name>_4` and `<name>_6`, replaced at once. Elements of a set may not
 * overlap, so that the prefixes are the fewest that cover the same addresses. @throws RangeError for a name that no set can have
 */
export function* exportNftables(rules: Iterable<Rule>, name: string): Generator<string> {
  checkSetName(name);
  const prefixes = union([...rules].map(({ prefix }) => prefix));
  yield `add table inet ${name}\n`;
  for (const family of [4, 6] as const) {
    const set = `inet ${name} ${name}_${family}`;
    yield `add set ${set} { type ${TYPES[family]}; flags interval; }\nflush set ${set}\n`;
    const own = prefixes.filter((prefix) => prefix.family === family).map(formatPrefix);
    if (own.length > 0) yield `add element ${set} {\n${own.join(",\n")}\n}\n`;
  }
}
