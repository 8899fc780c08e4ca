import type { Prefix } from "../../address/address.ts";
import { formatPrefix, prefixOf } from "../../address/prefix.ts";
import { lastAddress } from "../../address/range.ts";
import type { Rule } from "../rule.ts";
import { RULES_AT_ONCE } from "./_rules-at-once.ts";
import { checkSetName } from "./_set-name.ts";

/** Always the same, whatever a list holds: `create -exist` fails where a set is there with other parameters. Takes no memory by itself. */
const MOST_ELEMENTS = 16_777_216;

/**
 * Lines for `ipset restore`: the sets `<name>_4` and `<name>_6`, made if they are not there, emptied and filled.
 * @throws RangeError for a name that no set can have
 */
export function* exportIpset(rules: Iterable<Rule>, name: string): Generator<string> {
  checkSetName(name);
  const all: Prefix[] = [];
  let count = 0;
  for (const { prefix } of rules) {
    all.push(...expressible(prefix));
    if (++count % RULES_AT_ONCE === 0) yield "";
  }
  for (const family of [4, 6] as const) {
    const set = `${name}_${family}`;
    yield `create ${set} hash:net family ${family === 4 ? "inet" : "inet6"} maxelem ${MOST_ELEMENTS} -exist\nflush ${set}\n`;
    for (const prefix of all) if (prefix.family === family) yield `add ${set} ${formatPrefix(prefix)} -exist\n`;
  }
}

/** A set of this type has no place for all addresses, but for both halves of them. */
function expressible(prefix: Prefix): Prefix[] {
  return prefix.length > 0 ? [prefix] : [prefixOf(prefix, 1), prefixOf(lastAddress(prefix), 1)];
}
