import { formatPrefix, prefixOf } from "../../address/prefix.ts";
import { lastAddress } from "../../address/range.ts";
import { WITHOUT_ZERO_LENGTH } from "../_cidr.ts";
import { timed, type TimedPrefix, timeoutText } from "../_timeouts.ts";
import { TimedPrefixes } from "./_timed-prefixes.ts";
import type { EntryList } from "../entry.ts";
import { ENTRIES_AT_ONCE, type Format } from "../format.ts";
import { checkSetName } from "../set-name.ts";

/**
 * Always the same, whatever the list: `create -exist` fails if a set exists with other parameters. Unused capacity
 * takes no memory.
 */
const PARAMETERS = {
  4: "hash:net family inet maxelem 16777216 timeout 0",
  6: "hash:net family inet6 maxelem 16777216 timeout 0",
} as const;

/** The longest timeout that ipset knows, in seconds: 24 days. */
const MAX_TIMEOUT = 2_147_483;

/**
 * Lines for `ipset restore`: the sets `<name>_4` and `<name>_6`, made if they are not there. Temporary sets are filled
 * and swapped in at the end: a firewall matches either the old list or the new one, and the old one if a line fails.
 * @throws RangeError for a name that no set can have
 */
export const ipset = {
  about: "for ipset restore",
  kinds: ["rules"],
  mediaType: "text/plain",
  comments: "#",
  isNamed: true,
  hasTimeouts: true,
  longestTimeout: MAX_TIMEOUT,
  expresses: WITHOUT_ZERO_LENGTH,
  write,
} as const satisfies Format<"rules">;

function* write(list: EntryList<"rules">): Generator<string> {
  const { name, now } = list;
  checkSetName(name);
  const elements = { 4: new Elements(), 6: new Elements() };
  let count = 0;
  for (const entry of list.entries()) {
    elements[entry.prefix.family].add(timed(entry, now, MAX_TIMEOUT));
    if (++count % ENTRIES_AT_ONCE === 0) yield "";
  }
  for (const family of [4, 6] as const) {
    const set = `${name}_${family}`;
    yield `create ${set} ${PARAMETERS[family]} -exist\ncreate ${set}_new ${PARAMETERS[family]} -exist\nflush ${set}_new\n`;
    for (const { prefix, timeout } of elements[family].all())
      yield `add ${set}_new ${formatPrefix(prefix)}${timeoutText(timeout, "")} -exist\n`;
  }
  yield `swap ${name}_4 ${name}_4_new\nswap ${name}_6 ${name}_6_new\ndestroy ${name}_4_new\ndestroy ${name}_6_new\n`;
}

/**
 * The elements of a set. A set of this type cannot hold the prefix of all addresses, only its two halves. A half that
 * also has a rule of its own stays until the later of the two expiries.
 */
class Elements {
  readonly #halves = new Map<string, TimedPrefix>();
  readonly #others = new TimedPrefixes();

  add({ prefix, timeout }: TimedPrefix): void {
    if (prefix.length > 1) return this.#others.add(prefix, timeout);
    for (const half of prefix.length === 1 ? [prefix] : [prefixOf(prefix, 1), prefixOf(lastAddress(prefix), 1)]) {
      const text = formatPrefix(half);
      const before = this.#halves.get(text)?.timeout ?? 0;
      this.#halves.set(text, { prefix: half, timeout: Math.max(timeout, before) });
    }
  }

  *all(): Generator<TimedPrefix> {
    yield* this.#halves.values();
    yield* this.#others.all();
  }
}
