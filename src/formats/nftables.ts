import type { Prefix } from "../address/address.ts";
import { comparePrefixes, formatPrefix, prefixContains } from "../address/prefix.ts";
import { mergeNext } from "../address/range.ts";
import { subtractPrefixes } from "../address/subtract.ts";
import { timed, type TimedPrefix, timeoutText } from "./_timeouts.ts";
import type { EntryList } from "./entry.ts";
import { ENTRIES_AT_ONCE, type Format } from "./format.ts";
import { checkSetName } from "./set-name.ts";

const TYPES = { 4: "ipv4_addr", 6: "ipv6_addr" } as const;

/** The kernel's maximum, and longer than anyone needs: 100 years, in seconds. */
const MAX_TIMEOUT = 3_155_760_000;

/**
 * The table of all lists, so that one chain can refer to several. Sets are called by lists; a name with `_4` is never a
 * word of nft's language.
 */
const TABLE = "inet ipsieve";

/**
 * A file for `nft -f`, which is one transaction: the sets `<name>_4` and `<name>_6` in the table `inet ipsieve` are
 * replaced at once, or not at all. Elements of a set may not overlap: an address is in one for as long as the last of
 * its rules. @throws RangeError for a name that no set can have
 */
export const nftables = {
  about: "for nft -f",
  kinds: ["rules"],
  mediaType: "text/plain",
  isNamed: true,
  hasTimeouts: true,
  write,
} as const satisfies Format<"rules">;

function* write(list: EntryList<"rules">): Generator<string> {
  const { name, now } = list;
  checkSetName(name);
  const all: TimedPrefix[] = [];
  let isInOrder = true;
  for (const entry of list.entries()) {
    isInOrder &&= all.length === 0 || comparePrefixes(all.at(-1)!.prefix, entry.prefix) <= 0;
    if (all.push(timed(entry, now, MAX_TIMEOUT)) % ENTRIES_AT_ONCE === 0) yield "";
  }
  // Those of an index are.
  if (!isInOrder) all.sort((a, b) => comparePrefixes(a.prefix, b.prefix));
  const elements = new Elements();
  for (const [at, each] of all.entries()) {
    elements.add(each);
    if (at % ENTRIES_AT_ONCE === 0) yield "";
  }
  yield `add table ${TABLE}\n`;
  for (const family of [4, 6] as const) {
    const set = `${TABLE} ${name}_${family}`;
    yield `add set ${set} { type ${TYPES[family]}; flags interval, timeout; }\nflush set ${set}\n`;
    let isFirst = true;
    for (const { prefix, timeout } of elements.all()) {
      if (prefix.family !== family) continue;
      yield `${isFirst ? `add element ${set} {` : ","}\n${formatPrefix(prefix)}${timeoutText(timeout, "s")}`;
      isFirst = false;
    }
    if (!isFirst) yield "\n}\n";
  }
}

interface Open extends TimedPrefix {
  /** Prefixes within it that stay longer. */
  readonly longer: Prefix[];
}

/**
 * Splits rules, given in order, into prefixes that do not overlap, each with the longest timeout of all rules that
 * cover it, using the fewest prefixes for each timeout.
 */
class Elements {
  /** What covers the next rules, perhaps: each within the one before, and to stay longer. */
  readonly #open: Open[] = [];
  /** The fewest prefixes of each timeout. Those of one timeout do not overlap, and are closed in ascending order. */
  readonly #byTimeout = new Map<number, Prefix[]>();

  add({ prefix, timeout }: TimedPrefix): void {
    while (this.#open.length > 0 && !prefixContains(this.#open.at(-1)!.prefix, prefix)) this.#close();
    const around = this.#open.at(-1);
    if (around !== undefined && around.timeout >= timeout) return;
    around?.longer.push(prefix);
    this.#open.push({ prefix, timeout, longer: [] });
  }

  *all(): Generator<TimedPrefix> {
    while (this.#open.length > 0) this.#close();
    for (const [timeout, prefixes] of this.#byTimeout) for (const prefix of prefixes) yield { prefix, timeout };
  }

  #close(): void {
    const { prefix, timeout, longer } = this.#open.pop()!;
    const prefixes = this.#byTimeout.get(timeout) ?? [];
    this.#byTimeout.set(timeout, prefixes);
    for (const each of longer.length === 0 ? [prefix] : subtractPrefixes([prefix], longer)) mergeNext(prefixes, each);
  }
}
