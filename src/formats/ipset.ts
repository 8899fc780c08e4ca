import { formatPrefix, prefixOf } from "../address/prefix.ts";
import { lastAddress } from "../address/range.ts";
import { timed, type TimedPrefix, timeoutText } from "./_timeouts.ts";
import type { EntryList } from "./entry.ts";
import { ENTRIES_AT_ONCE, type Format } from "./format.ts";
import { checkSetName } from "./set-name.ts";

/**
 * Always the same, whatever a list holds: `create -exist` fails where a set is there with other parameters. They take
 * no memory by themselves.
 */
const PARAMETERS = {
  4: "hash:net family inet maxelem 16777216 timeout 0",
  6: "hash:net family inet6 maxelem 16777216 timeout 0",
} as const;

/** The longest timeout that ipset knows, in seconds: 24 days. */
const MAX_TIMEOUT = 2_147_483;

/**
 * Lines for `ipset restore`: the sets `<name>_4` and `<name>_6`, made if they are not there. Others are filled and take
 * their places at the end: what a firewall matches is the old list or the new one, and the old one if a line fails.
 * @throws RangeError for a name that no set can have
 */
export const ipset = {
  about: "for ipset restore",
  kinds: ["rules"],
  mediaType: "text/plain",
  hasTimeouts: true,
  write,
} as const satisfies Format<"rules">;

function* write(list: EntryList<"rules">): Generator<string> {
  const { name, now } = list;
  checkSetName(name);
  const all: TimedPrefix[] = [];
  let count = 0;
  for (const entry of list.entries()) {
    all.push(timed(entry, now, MAX_TIMEOUT));
    if (++count % ENTRIES_AT_ONCE === 0) yield "";
  }
  for (const family of [4, 6] as const) {
    const set = `${name}_${family}`;
    yield `create ${set} ${PARAMETERS[family]} -exist\ncreate ${set}_new ${PARAMETERS[family]} -exist\nflush ${set}_new\n`;
    for (const { prefix, timeout } of expressible(all))
      if (prefix.family === family) yield `add ${set}_new ${formatPrefix(prefix)}${timeoutText(timeout, "")} -exist\n`;
  }
  yield `swap ${name}_4 ${name}_4_new\nswap ${name}_6 ${name}_6_new\ndestroy ${name}_4_new\ndestroy ${name}_6_new\n`;
}

/**
 * A set of this type has no place for all addresses, but for both halves of them. A half that has a rule of its own,
 * too, stays as long as the last of both.
 */
function* expressible(all: readonly TimedPrefix[]): Generator<TimedPrefix> {
  const halves = new Map<string, TimedPrefix>();
  for (const { prefix, timeout } of all) {
    if (prefix.length > 1) continue;
    for (const half of prefix.length === 1 ? [prefix] : [prefixOf(prefix, 1), prefixOf(lastAddress(prefix), 1)]) {
      const text = formatPrefix(half);
      halves.set(text, { prefix: half, timeout: Math.max(timeout, halves.get(text)?.timeout ?? 0) });
    }
  }
  yield* halves.values();
  for (const each of all) if (each.prefix.length > 1) yield each;
}
