import type { GroupAnswer } from "../_answer.ts";
import type { Change } from "../change.ts";
import type { Command } from "../command.ts";

/** Longer lists cross between threads as text. */
const MAX_CLONED_ITEMS = 256;
/** Items of one text: written or read in less than a millisecond, unless their names are long. */
const ITEMS_AT_ONCE = 128;
/** The properties that may be lists of thousands: of commands, answers and changes. */
const LISTS = new Set(["items", "results", "upserts", "deletes"]);
/** Stands for a list, by its number. No property of commands, answers or changes has this name. */
const PLACEHOLDER = "\0list";

/**
 * A value on its way to another thread, with its long lists as JSON in pieces. For thousands of small objects, the
 * engine's structured clone takes five times as long as JSON, at both ends; and pieces need not be read in one turn of
 * the event loop.
 */
export interface Packed {
  readonly frame: unknown;
  readonly lists: readonly (readonly string[])[];
}

export function areLongCommands(commands: readonly Command[]): boolean {
  return commands.some((command) => command.kind === "batch-rules" && isLong(command.items));
}

export function isLongAnswer({ answers, changes }: GroupAnswer): boolean {
  const resultsOf = (answer: GroupAnswer["answers"][number]): readonly unknown[] | undefined =>
    "rejection" in answer ? answer.rejection.results : "results" in answer.outcome ? answer.outcome.results : undefined;
  return areLongChanges(changes) || answers.some((answer) => isLong(resultsOf(answer)));
}

export function areLongChanges(changes: readonly Change[]): boolean {
  return changes.some((change) => change.kind === "rules" && (isLong(change.upserts) || isLong(change.deletes)));
}

function isLong(list: readonly unknown[] | undefined): boolean {
  return list !== undefined && list.length > MAX_CLONED_ITEMS;
}

/**
 * For values with long lists: searching other values for them would cost more than cloning these. Can be interrupted.
 */
export function* packing(value: unknown): Generator<undefined, Packed, undefined> {
  const found: (readonly unknown[])[] = [];
  const frame = withoutLists(value, found);
  const lists: string[][] = [];
  for (const items of found) {
    const texts: string[] = [];
    for (let at = 0; at < items.length; at += ITEMS_AT_ONCE) {
      texts.push(JSON.stringify(items.slice(at, at + ITEMS_AT_ONCE)));
      yield;
    }
    lists.push(texts);
  }
  return { frame, lists };
}

/** The value that was packed. Can be interrupted. */
export function* unpacking({ frame, lists }: Packed): Generator<undefined, unknown, undefined> {
  const read: unknown[][] = [];
  for (const texts of lists) {
    const items: unknown[] = [];
    for (const text of texts) {
      items.push(...(JSON.parse(text) as unknown[]));
      yield;
    }
    read.push(items);
  }
  return withLists(frame, read);
}

/** Like `packing`, without interruptions. */
export function pack(value: unknown): Packed {
  return finished(packing(value));
}

/** Like `unpacking`, without interruptions. */
export function unpack(packed: Packed): unknown {
  return finished(unpacking(packed));
}

function finished<Result>(work: Generator<undefined, Result, undefined>): Result {
  let step = work.next();
  while (step.done !== true) step = work.next();
  return step.value;
}

/**
 * The same value with placeholders for its long lists, which are appended to `lists`. Values without any are not
 * copied.
 */
function withoutLists(value: unknown, lists: (readonly unknown[])[]): unknown {
  if (Array.isArray(value)) return mapped(value, (item) => withoutLists(item, lists));
  if (!isPlain(value)) return value;
  let copy: Record<string, unknown> | undefined;
  for (const [name, member] of Object.entries(value)) {
    const isList = LISTS.has(name) && Array.isArray(member) && isLong(member);
    const packed = isList ? { [PLACEHOLDER]: lists.push(member) - 1 } : withoutLists(member, lists);
    if (packed !== member) (copy ??= { ...value })[name] = packed;
  }
  return copy ?? value;
}

/** Puts the lists into a frame that has just been cloned. */
function withLists(frame: unknown, lists: readonly unknown[][]): unknown {
  if (Array.isArray(frame)) return mapped(frame, (item) => withLists(item, lists));
  if (!isPlain(frame)) return frame;
  if (PLACEHOLDER in frame) return lists[frame[PLACEHOLDER] as number];
  for (const [name, member] of Object.entries(frame)) frame[name] = withLists(member, lists);
  return frame;
}

function mapped(items: readonly unknown[], map: (item: unknown) => unknown): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (const [index, item] of items.entries()) {
    const other = map(item);
    if (other !== item) (copy ??= [...items])[index] = other;
  }
  return copy ?? items;
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
