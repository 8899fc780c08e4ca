import type { Family, Prefix } from "../address/address.ts";
import type { ListedRule } from "./listed-rule.ts";
import type { Rule } from "./rule.ts";
import { namesOf, type RuleNames } from "./rule-names.ts";

/**
 * Rules of one family in columns, in the order of prefixes, to fill a `RuleIndex` at once: the rule at i consists of
 * element i of every column, `words` at i (IPv4) or 4 i to 4 i + 3 (IPv6). The arrays are copied, except packed names,
 * which are kept.
 */
export interface RuleColumns {
  readonly family: Family;
  /** The words of the prefixes, host bits zero: one per rule (IPv4) or four. */
  readonly words: Uint32Array;
  readonly lengths: Uint8Array;
  readonly names: RuleNames;
  /** Milliseconds since 1970 UTC; `Infinity` for a permanent rule. */
  readonly expiresAt: Float64Array;
  /** Milliseconds since 1970 UTC. */
  readonly createdAt: Float64Array;
  readonly updatedAt: Float64Array;
}

/** A list of which a guard may have cut rules. */
export interface CarvedColumns extends RuleColumns {
  /** For each rule, as in `ListedRule`: `Infinity` for never, `NaN` where it is absent. Absent if nothing was cut. */
  readonly carved?: { readonly named: Float64Array; readonly part: Float64Array };
}

/** Columns whose names are strings. */
export interface PlainColumns extends RuleColumns {
  readonly names: readonly (string | null)[];
}

/** The columns of rules, which must be in the order of prefixes; one object for each family that has rules. */
export function columnsOf(rules: readonly Rule[]): PlainColumns[] {
  return ([4, 6] as const)
    .map((family) =>
      chunkOf(
        family,
        rules.filter(({ prefix }) => prefix.family === family),
      ),
    )
    .filter(({ lengths }) => lengths.length > 0);
}

/** The prefix at an index. */
export function prefixIn(
  { family, words, lengths }: Pick<RuleColumns, "family" | "words" | "lengths">,
  index: number,
): Prefix {
  const length = lengths[index]!;
  if (family === 4) return { family, w0: words[index]!, w1: 0, w2: 0, w3: 0, length };
  const at = 4 * index;
  return { family, w0: words[at]!, w1: words[at + 1]!, w2: words[at + 2]!, w3: words[at + 3]!, length };
}

/** The prefixes of several parts, which can be iterated over again and again without an array of them. */
export function prefixesIn(parts: readonly RuleColumns[]): Iterable<Prefix> & { readonly length: number } {
  return {
    length: parts.reduce((sum, { lengths }) => sum + lengths.length, 0),
    *[Symbol.iterator]() {
      for (const part of parts) for (let index = 0; index < part.lengths.length; index++) yield prefixIn(part, index);
    },
  };
}

/** The rules in columns, without the times of creation and update. */
export function* desiredIn(columns: CarvedColumns): Generator<ListedRule, undefined> {
  const names = namesOf(columns.names);
  const { carved } = columns;
  for (let at = 0; at < names.length; at++) {
    const rule = { prefix: prefixIn(columns, at), name: names[at]!, expiresAt: expiryOf(columns.expiresAt[at]!) };
    if (carved === undefined || Number.isNaN(carved.part[at]!)) {
      yield rule;
      continue;
    }
    const [named, part] = [carved.named[at]!, expiryOf(carved.part[at]!)];
    yield { ...rule, carved: Number.isNaN(named) ? { part } : { part, named: expiryOf(named) } };
  }
}

function expiryOf(time: number): number | null {
  return time === Number.POSITIVE_INFINITY ? null : time;
}

function chunkOf(family: Family, rules: readonly Rule[]): PlainColumns {
  const count = rules.length;
  const stride = family === 4 ? 1 : 4;
  const words = new Uint32Array(count * stride);
  const lengths = new Uint8Array(count);
  const names = new Array<string | null>(count);
  const [expiresAt, createdAt, updatedAt] = [new Float64Array(count), new Float64Array(count), new Float64Array(count)];
  for (let at = 0; at < count; at++) {
    const rule = rules[at]!;
    const { w0, w1, w2, w3, length } = rule.prefix;
    words[at * stride] = w0;
    if (family === 6) {
      words[at * 4 + 1] = w1;
      words[at * 4 + 2] = w2;
      words[at * 4 + 3] = w3;
    }
    lengths[at] = length;
    names[at] = rule.name;
    expiresAt[at] = rule.expiresAt ?? Number.POSITIVE_INFINITY;
    createdAt[at] = rule.createdAt;
    updatedAt[at] = rule.updatedAt;
  }
  return { family, words, lengths, names, expiresAt, createdAt, updatedAt };
}
