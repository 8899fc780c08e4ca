import type { EnforcedList } from "./enforced-list.ts";

/** The changes that a delivery makes: which prefixes are enforced from now on, and which are not any more. */
export interface Difference {
  readonly added: ReadonlyMap<string, number>;
  readonly removed: readonly string[];
  readonly byteLength: number;
}

/** How decisions are written. */
export interface DecisionContext {
  readonly now: number;
  /** Seconds for which a decision on a permanent rule holds. */
  readonly lasts: number;
  readonly scenario: string;
}

/** The origin of all decisions: bouncers count what they drop by it and the scenario. */
export const ORIGIN = "lists";

/**
 * The scenario of all decisions of a deployment, added or deleted. Newer bouncers keep a set for each, and delete from
 * the set of the deletion only; older ones keep one set, and must not be told to delete what another scenario still has.
 * So it is none of the sources: a prefix may change from one to another while it is listed.
 */
export function scenarioOfDeployment(id: string): string {
  return `deployment/${id}`;
}

const ENTRY_BYTES = 100;

/** What a bouncer that has `before` needs next. Can be interrupted. */
export function* comparing(before: EnforcedList, after: EnforcedList): Generator<undefined, Difference, undefined> {
  const added = new Map<string, number>();
  const removed: string[] = [];
  let count = 0;
  for (const [prefix, end] of after.ends) {
    if (before.ends.get(prefix) !== end) added.set(prefix, end);
    if (++count % 256 === 0) yield;
  }
  for (const prefix of before.ends.keys()) {
    if (!after.ends.has(prefix)) removed.push(prefix);
    if (++count % 256 === 0) yield;
  }
  return { added, removed, byteLength: (added.size + removed.length) * ENTRY_BYTES };
}

/** Which decisions a bouncer requests; undefined: all. */
export interface DecisionFilter {
  /** `ip`, `range`. */
  readonly scopes?: ReadonlySet<string> | undefined;
  readonly origins?: ReadonlySet<string> | undefined;
}

/** The body of the stream, in parts. */
export function* streamParts(
  { added, removed }: Pick<Difference, "added" | "removed">,
  filter: DecisionFilter,
  context: DecisionContext,
): Generator<string> {
  const isWanted = wantedBy(filter);
  yield '{"new":';
  yield* listParts(
    added,
    ([prefix]) => isWanted(prefix),
    ([prefix, end]) => decisionText(prefix, end, context),
  );
  yield ',"deleted":';
  yield* listParts(removed, isWanted, (prefix) => textOf(prefix, "-1s", context.scenario));
  yield "}";
}

/** `null` where there is nothing, as bouncers expect it. */
function* listParts<Item>(
  items: Iterable<Item>,
  isWanted: (item: Item) => boolean,
  textOf: (item: Item) => string,
): Generator<string> {
  let before = "[";
  for (const item of items) {
    if (!isWanted(item)) continue;
    yield before + textOf(item);
    before = ",";
  }
  yield before === "[" ? "null" : "]";
}

/** Returns whether the bouncer wants the decision on a prefix. */
export function wantedBy({ scopes, origins }: DecisionFilter): (prefix: string) => boolean {
  if (origins !== undefined && !origins.has(ORIGIN)) return () => false;
  return scopes === undefined ? () => true : (prefix) => scopes.has(scopeOf(prefix).toLowerCase());
}

function scopeOf(prefix: string): "Ip" | "Range" {
  return prefix.includes("/") ? "Range" : "Ip";
}

/**
 * A decision that begins or still holds, as JSON. It holds for at least a second: otherwise bouncers would take it as
 * deleted.
 */
export function decisionText(prefix: string, end: number, { now, lasts, scenario }: DecisionContext): string {
  const left = end === 0 ? lasts : Math.min(lasts, Math.ceil((end - now) / 1000));
  return textOf(prefix, durationText(Math.max(1, left)), scenario);
}

/** No text in it needs an escape, except the scenario. */
function textOf(prefix: string, duration: string, scenario: string): string {
  return `{"id":${idOf(prefix)},"origin":"${ORIGIN}","type":"ban","scope":"${scopeOf(prefix)}","value":"${prefix}","duration":"${duration}","scenario":${JSON.stringify(scenario)}}`;
}

/** A duration in Go's notation. */
function durationText(seconds: number): string {
  return `${Math.floor(seconds / 3600)}h${Math.floor(seconds / 60) % 60}m${seconds % 60}s`;
}

/** The id of a decision: equal for equal prefixes on all servers, 53 bits of two hashes. */
function idOf(prefix: string): number {
  let [high, low] = [0x811c9dc5, 0x9747b28c];
  for (let at = 0; at < prefix.length; at++) {
    high = Math.imul(high ^ prefix.charCodeAt(at), 0x01000193);
    low = Math.imul(low + prefix.charCodeAt(at), 0x5bd1e995);
    low ^= low >>> 15;
  }
  return (high >>> 11) * 2 ** 32 + (low >>> 0);
}
