import type { Prefix } from "../../address/address.ts";
import { comparePrefixes, formatPrefix } from "../../address/prefix.ts";
import { mergeNext } from "../../address/range.ts";
import type { Rule } from "../rule.ts";
import { RULES_AT_ONCE } from "./_rules-at-once.ts";
import { checkSetName } from "./_set-name.ts";

const TYPES = { 4: "ipv4_addr", 6: "ipv6_addr" } as const;

/**
 * A file for `nft -f`: a table `inet <name>` with the sets `<name>_4` and `<name>_6`, replaced at once. Elements of a set may not
 * overlap, so that the prefixes are the fewest that cover the same addresses. @throws RangeError for a name that no set can have
 */
export function* exportNftables(rules: Iterable<Rule>, name: string): Generator<string> {
  checkSetName(name);
  const all: Prefix[] = [];
  let isInOrder = true;
  for (const { prefix } of rules) {
    isInOrder &&= all.length === 0 || comparePrefixes(all.at(-1)!, prefix) <= 0;
    if (all.push(prefix) % RULES_AT_ONCE === 0) yield "";
  }
  // Those of an index are.
  if (!isInOrder) all.sort(comparePrefixes);
  const prefixes: Prefix[] = [];
  for (const [at, prefix] of all.entries()) {
    mergeNext(prefixes, prefix);
    if (at % RULES_AT_ONCE === 0) yield "";
  }
  yield `add table inet ${name}\n`;
  for (const family of [4, 6] as const) {
    const set = `inet ${name} ${name}_${family}`;
    yield `add set ${set} { type ${TYPES[family]}; flags interval; }\nflush set ${set}\n`;
    let isFirst = true;
    for (const prefix of prefixes) {
      if (prefix.family !== family) continue;
      yield `${isFirst ? `add element ${set} {` : ","}\n${formatPrefix(prefix)}`;
      isFirst = false;
    }
    if (!isFirst) yield "\n}\n";
  }
}
