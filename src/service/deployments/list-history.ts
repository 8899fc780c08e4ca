import type { Prefix } from "../../address/address.ts";
import { comparePrefixes, formatPrefix } from "../../address/prefix.ts";
import { ENTRIES_AT_ONCE } from "../../formats/format.ts";
import { encoded, joined } from "../encoded.ts";
import { textLines } from "../text-lines.ts";
import { chunkOf } from "./divide-list.ts";
import { type ListText, prefixesOfList } from "../sources/list-text.ts";

/** Seconds for which an entry that was removed is remembered. */
const REMEMBERED = 90 * 86_400;
/** Minimum removed entries that are remembered; a list with more entries than this remembers as many as it has. */
const MAX_REMOVED = 100_000;

/**
 * When entries of a list were added, and which were removed, for formats whose files say so. Times are seconds since
 * 1970.
 */
export interface ListHistory {
  /** When every entry that is not in `added` was added. */
  readonly since: number;
  /** The latest time in it. */
  readonly last: number;
  readonly added: Map<string, number>;
  /** The earliest first. */
  readonly removed: Map<string, RemovedEntry>;
}

export interface RemovedEntry {
  readonly prefix: string;
  readonly at: number;
  /** The piece of the list that it was in. */
  readonly chunk: number;
}

/** A list and the number of its pieces. */
interface DividedList {
  readonly text: ListText;
  readonly chunks: number;
}

/** The history of a list that has none: all of its entries were added at `since`. */
export function newHistory(since: number): ListHistory {
  return { since, last: since, added: new Map(), removed: new Map() };
}

/**
 * The history of a list that follows another one, as it is stored. An entry that is now in another piece was removed
 * from its old one. Times rise with every list, and are later than `after`. The same bytes if nothing has changed.
 * O(entries)
 */
export function* continuingHistory(
  before: DividedList | undefined,
  now: DividedList,
  { at, after }: { readonly at: number; readonly after: number },
): Generator<undefined, Buffer, undefined> {
  const stored = before?.text.history;
  const first = Math.max(at, after + 1);
  if (before === undefined || stored === undefined) return yield* writing(newHistory(first));
  const { since, last, added, removed } = yield* readingHistory(stored);
  const time = Math.max(first, last + 1);
  let count = 0;
  let isChanged = false;
  for (const [prefix, isBefore, isNow] of comparing(before.text, now.text)) {
    const [from, to] = [chunkOf(prefix, before.chunks), chunkOf(prefix, now.chunks)];
    if (!(isBefore && isNow && from === to)) {
      const text = formatPrefix(prefix);
      isChanged = true;
      added.delete(text);
      // In this order, the latest come last.
      removed.delete(keyOf(text, from));
      if (isBefore) removed.set(keyOf(text, from), { prefix: text, at: time, chunk: from });
      if (isNow) added.set(text, time);
      if (isNow) removed.delete(keyOf(text, to));
    }
    if (++count % ENTRIES_AT_ONCE === 0) yield;
  }
  if (!isChanged) return stored;
  yield* forgetting(removed, time - REMEMBERED, Math.max(MAX_REMOVED, count));
  return yield* writing({ since, last: time, added, removed });
}

const keyOf = (prefix: string, chunk: number): string => `${prefix} ${chunk}`;

function* forgetting(
  removed: Map<string, RemovedEntry>,
  earliest: number,
  most: number,
): Generator<undefined, void, undefined> {
  for (const [key, { at }] of removed) {
    if (removed.size <= most && at >= earliest) return;
    removed.delete(key);
    if (removed.size % ENTRIES_AT_ONCE === 0) yield;
  }
}

/** Every prefix of either, in their order, with which of them has it. */
function* comparing(before: ListText, now: ListText): Generator<readonly [Prefix, boolean, boolean]> {
  for (const family of [4, 6] as const) {
    const [old, current] = [prefixesOfList(before[family]), prefixesOfList(now[family])];
    let [one, other] = [old.next(), current.next()];
    while (one.done !== true || other.done !== true) {
      const order = one.done === true ? 1 : other.done === true ? -1 : comparePrefixes(one.value, other.value);
      yield [(order > 0 ? other.value : one.value)!, order <= 0, order >= 0];
      if (order <= 0) one = old.next();
      if (order >= 0) other = current.next();
    }
  }
}

/** As text: `=` with the time of all other entries and the latest time, `+` for added entries, `-` for removed ones. */
function writing(history: ListHistory): Generator<undefined, Buffer, undefined> {
  return encoded(joined(linesOf(history)));
}

function* linesOf({ since, last, added, removed }: ListHistory): Generator<string> {
  yield `= ${since} ${last}\n`;
  for (const [prefix, at] of added) yield `+ ${prefix} ${at}\n`;
  for (const { prefix, at, chunk } of removed.values()) yield `- ${prefix} ${at} ${chunk}\n`;
}

/** Can be interrupted. */
export function* readingHistory(stored: Buffer): Generator<undefined, ListHistory, undefined> {
  const [added, removed] = [new Map<string, number>(), new Map<string, RemovedEntry>()];
  let [since, last, count] = [0, 0, 0];
  for (const line of textLines(stored)) {
    const [kind, one, two, three] = line.split(" ") as [string, string, string, string];
    if (kind === "=") [since, last] = [Number(one), Number(two)];
    else if (kind === "+") added.set(one, Number(two));
    else removed.set(keyOf(one, Number(three)), { prefix: one, at: Number(two), chunk: Number(three) });
    if (++count % ENTRIES_AT_ONCE === 0) yield;
  }
  return { since, last, added, removed };
}
