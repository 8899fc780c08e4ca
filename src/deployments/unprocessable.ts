import type { Family, Prefix } from "../address/address.ts";
import { formatPrefix, parsePrefix } from "../address/prefix.ts";
import type { Expression } from "../rulesets/export-rules.ts";
import { AddressSet } from "../sets/address-set.ts";
import { entriesFor, expressing, hasGaps } from "../sets/capability.ts";
import type { CompiledList } from "./compile.ts";
import type { Gathered } from "./gathered.ts";
import type { ListRejection } from "./guard-list.ts";

/** Prefixes of a list that its format cannot express. */
export interface Unprocessable {
  readonly count: number;
  /** The first hundred. */
  readonly named: readonly { readonly prefix: Prefix; readonly reason: string }[];
}

/** Further ones are only counted. */
const MAX_NAMED = 100;
/** And of these, a sentence names so many. */
const MAX_IN_SENTENCE = 5;
/** Prefixes looked at between two interruptions: less than a millisecond. */
const PREFIXES_AT_ONCE = 1 << 11;

const EVERYTHING = AddressSet.of(["0.0.0.0/0", "::/0"].map((text) => parsePrefix(text)));

/** What happens to a list of which its format cannot express a part: it is not published, or this part is left out. */
export type UnprocessablePolicy = "refuse" | "omit";

/** A list as the program that reads its format can be told it. */
export interface ExpressedList {
  /** As `expressing` gives them: those that cannot be expressed, too. */
  prefixes(family?: Family): Iterable<Prefix>;
  /** Those that can be expressed. */
  written(): Iterable<Prefix>;
  /** How many entries of each family its file has: the lines of a list of single addresses. */
  readonly entries: Readonly<Record<Family, number>>;
  readonly unprocessable: Unprocessable;
}

/** What sources must be gathered with, so that `expressingList` knows what of it can be expressed. */
export function gatheredFor({ expresses }: Expression): Expression["expresses"] {
  return expresses !== undefined && hasGaps(expresses) ? expresses : undefined;
}

/** Why a prefix cannot be written; undefined if it can. */
export function reasonAgainst({ expresses, unprocessable }: Expression, prefix: Prefix): string | undefined {
  if (expresses === undefined || entriesFor(expresses, prefix.family, prefix.length) > 0) return undefined;
  return unprocessable?.(prefix) ?? "it is too wide";
}

/**
 * A list in a format. For all that writes lists, in commands and for devices: what can be expressed is decided here.
 * `include`: the list's, as gathered with `gatheredFor`; `purpose`: the list's. O(prefixes), and can be interrupted
 */
export function* expressingList(
  list: CompiledList,
  include: readonly Gathered[],
  expression: Expression,
  purpose: string = "blocklist",
): Generator<undefined, ExpressedList, undefined> {
  const { expresses, writesRest = false } = expression;
  if (expresses === undefined) {
    const prefixes = (family?: Family) => list.prefixes(family);
    const entries = writesRest && purpose !== "allowlist" ? yield* countingRest(list) : list.entries;
    return { prefixes, written: prefixes, entries, unprocessable: { count: 0, named: [] } };
  }
  const given = yield* AddressSet.uniting(include.flatMap(({ expressible }) => expressible ?? []));
  const prefixes = (family?: Family) => expressing(list.prefixes(family), given, expresses);
  const entries = { 4: 0, 6: 0 };
  const named: { prefix: Prefix; reason: string }[] = [];
  let [count, seen] = [0, 0];
  for (const prefix of prefixes()) {
    const lines = entriesFor(expresses, prefix.family, prefix.length);
    entries[prefix.family] += lines;
    if (lines === 0 && count++ < MAX_NAMED) named.push({ prefix, reason: reasonAgainst(expression, prefix)! });
    if (++seen % PREFIXES_AT_ONCE === 0) yield;
  }
  const written = () => prefixes().filter((prefix) => reasonAgainst(expression, prefix) === undefined);
  return { prefixes, written, entries, unprocessable: { count, named } };
}

/** How many prefixes of each family cover the addresses that a list does not have. O(entries), and can be interrupted */
function* countingRest(list: CompiledList): Generator<undefined, ExpressedList["entries"], undefined> {
  const rest = yield* EVERYTHING.combining("difference", yield* AddressSet.collecting(list.prefixes()));
  const entries = { 4: 0, 6: 0 };
  let seen = 0;
  for (const { family } of rest.prefixes()) {
    entries[family]++;
    if (++seen % PREFIXES_AT_ONCE === 0) yield;
  }
  return entries;
}

/** Why a list is not written because of what its format cannot express. */
export function unprocessableRejections(
  format: string,
  { entries, unprocessable }: Pick<ExpressedList, "entries" | "unprocessable">,
  { policy = "refuse", allowEmpty = false }: { readonly policy?: UnprocessablePolicy; readonly allowEmpty?: boolean },
): ListRejection[] {
  if (unprocessable.count === 0) return [];
  if (policy === "refuse")
    return [{ code: "unprocessable", message: `${format} cannot express ${unprocessableText(unprocessable)}` }];
  if (entries[4] + entries[6] > 0 || allowEmpty) return [];
  return [{ code: "empty", message: `the list has no addresses that ${format} can express` }];
}

/** The first prefixes, with the reason of each other kind, and how many more there are. */
export function unprocessableText({ count, named }: Unprocessable): string {
  const first = named.slice(0, MAX_IN_SENTENCE);
  const texts = first.map(({ prefix, reason }, at) =>
    reason === first[at - 1]?.reason ? formatPrefix(prefix) : `${formatPrefix(prefix)} (${reason})`,
  );
  const more = count - texts.length;
  return `${texts.join(", ")}${more > 0 ? `, and ${more} more` : ""}`;
}
