import type { Prefix } from "../../address/address.ts";
import { comparePrefixes, formatPrefix, prefixContains } from "../../address/prefix.ts";
import { mergeNext } from "../../address/range.ts";
import { subtractPrefixes } from "../../address/subtract.ts";
import { timed, type TimedPrefix, timeoutText } from "../_timeouts.ts";
import { TimedPrefixes } from "./_timed-prefixes.ts";
import type { EntryList } from "../entry.ts";
import { ENTRIES_AT_ONCE, type Format } from "../format.ts";
import { checkSetName } from "../set-name.ts";

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
  comments: "#",
  isNamed: true,
  hasTimeouts: true,
  longestTimeout: MAX_TIMEOUT,
  write,
} as const satisfies Format<"rules">;

function* write(list: EntryList<"rules">): Generator<string> {
  const { name, now } = list;
  checkSetName(name);
  const all = new TimedPrefixes();
  let last: Prefix | undefined;
  let isInOrder = true;
  for (const entry of list.entries()) {
    const { prefix, timeout } = timed(entry, now, MAX_TIMEOUT);
    isInOrder &&= last === undefined || comparePrefixes(last, prefix) <= 0;
    last = prefix;
    all.add(prefix, timeout);
    if (all.length % ENTRIES_AT_ONCE === 0) yield "";
  }
  const elements = { 4: new Elements(), 6: new Elements() };
  let count = 0;
  // Those of an index are in order.
  for (const each of isInOrder ? all.all() : sorted(all)) {
    elements[each.prefix.family].add(each);
    if (++count % ENTRIES_AT_ONCE === 0) yield "";
  }
  yield `add table ${TABLE}\n`;
  for (const family of [4, 6] as const) {
    const set = `${TABLE} ${name}_${family}`;
    yield `add set ${set} { type ${TYPES[family]}; flags interval, timeout; }\nflush set ${set}\n`;
    let isFirst = true;
    for (const { prefix, timeout } of elements[family].all()) {
      yield `${isFirst ? `add element ${set} {` : ","}\n${formatPrefix(prefix)}${timeoutText(timeout, "s")}`;
      isFirst = false;
    }
    if (!isFirst) yield "\n}\n";
  }
}

function sorted(prefixes: TimedPrefixes): TimedPrefix[] {
  return [...prefixes.all()].sort((a, b) => comparePrefixes(a.prefix, b.prefix));
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
  /** By timeout, as `hidden` has it: those of one do not overlap, and are closed in ascending order. */
  readonly #byTimeout = new Map<number, Merged>();

  add({ prefix, timeout }: TimedPrefix): void {
    while (this.#open.length > 0 && !prefixContains(this.#open.at(-1)!.prefix, prefix)) this.#close();
    const around = this.#open.at(-1);
    if (around !== undefined && around.timeout >= timeout) return;
    around?.longer.push(prefix);
    this.#open.push({ prefix, timeout, longer: [] });
  }

  *all(): Generator<TimedPrefix> {
    while (this.#open.length > 0) this.#close();
    for (const merged of this.#byTimeout.values()) yield* merged.all();
  }

  #close(): void {
    const { prefix, timeout, longer } = this.#open.pop()!;
    const key = hidden(timeout);
    let merged = this.#byTimeout.get(key);
    if (merged === undefined) this.#byTimeout.set(key, (merged = new Merged(timeout)));
    for (const each of longer.length === 0 ? [prefix] : subtractPrefixes([prefix], longer)) merged.add(each);
  }
}

const FACTOR = (Math.random() * 2 ** 32) | 1;

/**
 * Another number of 32 bits for each timeout. The hash of a number in a `Map` is the same in every process, so who
 * chooses timeouts that share a slot makes a list of them quadratic: 12,000 take 0.35 s instead of 0.002.
 */
function hidden(timeout: number): number {
  return Math.imul(timeout, FACTOR); // 0 for Infinity alone
}

/** At most so many of the last prefixes can still be joined with later ones: see `Merged`. */
const MAX_JOINABLE = 128;
/** How many are kept as objects. */
const MAX_OPEN = 1024;

/**
 * The fewest prefixes that cover those of one timeout, which come in order. Only the last 128 can change: a prefix is
 * joined with what comes later when the other half of its parent is complete. So each prefix after it that can still be
 * joined lies in that other half and is longer, and there are 128 lengths. The others are packed.
 */
class Merged {
  readonly #timeout: number;
  /** Most lists with many timeouts have few prefixes of each. */
  #packed: TimedPrefixes | undefined;
  #open: Prefix[] = [];

  constructor(timeout: number) {
    this.#timeout = timeout;
  }

  add(prefix: Prefix): void {
    mergeNext(this.#open, prefix);
    if (this.#open.length < MAX_OPEN) return;
    this.#packed ??= new TimedPrefixes();
    for (const each of this.#open.slice(0, -MAX_JOINABLE)) this.#packed.add(each, this.#timeout);
    this.#open = this.#open.slice(-MAX_JOINABLE);
  }

  *all(): Generator<TimedPrefix> {
    if (this.#packed !== undefined) yield* this.#packed.all();
    for (const prefix of this.#open) yield { prefix, timeout: this.#timeout };
  }
}
