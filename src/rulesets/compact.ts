import { addressBits, type Family, type Prefix } from "../address/address.ts";
import { comparePrefixes, prefixContains, prefixOf } from "../address/prefix.ts";
import type { DesiredRule } from "./plan-replacement.ts";
import { isActive, type Rule } from "./rule.ts";
import { type ListedColumns, RuleList } from "./rule-list.ts";

/** Rules processed between two pauses. */
const STEP = 512;
/** Redundant rules that are listed by default. */
const MAX_LISTED = 1000;

/** How rules are united, and how many are listed. */
export interface CompactOptions {
  /** Whether rules with different names are united too; the united rule has a name only if both have the same. */
  readonly ignoreNames?: boolean;
  /** How many redundant rules are listed; 1,000 by default. The counts include all. */
  readonly maxListed?: number;
}

/** A rule that changes nothing while another active rule covers it. */
export interface RedundantRule {
  readonly rule: Rule;
  /** The active rule that expires last of those that cover it. The rule is redundant until that one expires. */
  readonly coveredBy: Rule;
  /** Whether it is redundant for as long as it is active, and can be left out. */
  readonly isSuperfluous: boolean;
}

/** A shorter list of rules that covers the same addresses at every moment. */
export interface Compaction {
  /** The rules of the compact list, in the order of prefixes. The times of creation and update are 0. */
  readonly rules: readonly ListedColumns[];
  /** Rules that are left out, because another one covers them for at least as long. */
  readonly superfluous: number;
  /** Rules that are redundant for now: they stay, because they expire later than the rules that cover them. */
  readonly superfluousForNow: number;
  /** Rules of the compact list that stand for two or more siblings. */
  readonly united: number;
  /** The first superfluous and redundant rules, in the order of prefixes. */
  readonly redundant: readonly RedundantRule[];
}

/**
 * Leaves out each rule that an active one covers until it expires, and unites siblings that expire at the same moment
 * and have the same name, until there are none. The covered addresses stay the same at every moment; which rule
 * decides, and so its name, may change. Expired rules stay unless an active one covers them. `rules` come in the order
 * of prefixes. In interruptible steps. O(n).
 */
export function* compacting(
  rules: Iterable<Rule>,
  now: number,
  { ignoreNames = false, maxListed = MAX_LISTED }: CompactOptions = {},
): Generator<undefined, Compaction, undefined> {
  const redundancy = new Redundancy(now, maxListed);
  const list = new RuleList();
  const canUnite: CanUnite = (a, b) =>
    a.expiresAt === b.expiresAt && (ignoreNames || a.name === b.name) && (a.expiresAt === null || now < a.expiresAt);
  const unions = { 4: new SiblingUnion(4, canUnite, list), 6: new SiblingUnion(6, canUnite, list) };
  let seen = 0;
  for (const rule of rules) {
    if (!redundancy.meet(rule)) unions[rule.prefix.family].add(rule);
    if (++seen % STEP === 0) yield;
  }
  for (const family of [4, 6] as const) unions[family].end();
  const parts = yield* list.inOrder(() => {}, "longest");
  const { superfluous, superfluousForNow, listed } = redundancy;
  return {
    rules: parts,
    superfluous,
    superfluousForNow,
    united: unions[4].united + unions[6].united,
    redundant: listed,
  };
}

/** Finds the rules that other rules cover, among rules that arrive in the order of prefixes. */
class Redundancy {
  readonly #now: number;
  readonly #maxListed: number;
  /**
   * The active rules that contain the rule that came last, the widest first. Each expires later than those before it:
   * otherwise it would be superfluous. So the last one expires last, and is the only one that has to be compared.
   */
  readonly #around: Rule[] = [];
  readonly listed: RedundantRule[] = [];
  superfluous = 0;
  superfluousForNow = 0;

  constructor(now: number, maxListed: number) {
    this.#now = now;
    this.#maxListed = maxListed;
  }

  /** Whether the rule, which is the next one, is superfluous. */
  meet(rule: Rule): boolean {
    const around = this.#around;
    while (around.length > 0 && !prefixContains(around.at(-1)!.prefix, rule.prefix)) around.pop();
    const coveredBy = around.at(-1);
    const isSuperfluous = coveredBy !== undefined && expiryOf(rule) <= expiryOf(coveredBy);
    if (coveredBy !== undefined) {
      if (isSuperfluous) this.superfluous++;
      else this.superfluousForNow++;
      if (this.listed.length < this.#maxListed) this.listed.push({ rule, coveredBy, isSuperfluous });
    }
    if (!isSuperfluous && isActive(rule, this.#now)) around.push(rule);
    return isSuperfluous;
  }
}

function expiryOf({ expiresAt }: DesiredRule): number {
  return expiresAt ?? Number.POSITIVE_INFINITY;
}

/** Whether one rule can stand for two siblings. */
type CanUnite = (a: DesiredRule, b: DesiredRule) => boolean;

/**
 * Unites the siblings among rules of one family that come in the order of prefixes, and puts the result into a list.
 *
 * Invariant: of each length, at most two siblings wait, and the parent of every waiting rule covers the rule that came
 * last. So when a rule comes that is not in the parent of the longest ones, no later rule can be in that parent: they
 * are settled, united or not, and then the parent of the next longest is checked.
 *     waiting    /25: 20.0.0.0   /26: 20.0.0.128, 20.0.0.192         next: 20.0.1.0/24, so /26 unite into a /25,
 *     then       /25: 20.0.0.0, 20.0.0.128                           which unite into 20.0.0.0/24, which waits
 */
class SiblingUnion {
  readonly #canUnite: CanUnite;
  readonly #list: RuleList;
  /** By length: one rule, or two siblings. */
  readonly #waiting: DesiredRule[][];
  /** No prefix longer than this waits. */
  #longest = 0;
  /** The number of united rules in the list. */
  united = 0;

  constructor(family: Family, canUnite: CanUnite, list: RuleList) {
    this.#canUnite = canUnite;
    this.#list = list;
    this.#waiting = Array.from({ length: addressBits(family) + 1 }, () => []);
  }

  add(rule: DesiredRule): void {
    this.#settle(rule.prefix);
    this.#wait(rule);
  }

  /** Settles all waiting rules; no rule comes after this. */
  end(): void {
    this.#settle();
    for (const rule of this.#waiting[0]!) this.#put(rule);
  }

  /** Settles the rules that cannot unite with any rule from `next` on. */
  #settle(next?: Prefix): void {
    for (; this.#longest > 0; this.#longest--) {
      const [one, other] = this.#waiting[this.#longest]!;
      if (one === undefined) continue;
      const parent = prefixOf(one.prefix, this.#longest - 1);
      if (next !== undefined && prefixContains(parent, next)) return;
      this.#waiting[this.#longest] = [];
      if (other !== undefined && this.#canUnite(one, other)) this.#wait(new UnitedRule(parent, one, other));
      else for (const rule of [one, other]) if (rule !== undefined) this.#put(rule);
    }
  }

  /**
   * A united rule takes the place of one with its prefix, which came before its halves and expires earlier than they
   * do: otherwise they would have been superfluous.
   */
  #wait(rule: DesiredRule): void {
    const { length } = rule.prefix;
    const siblings = this.#waiting[length]!;
    const last = siblings.at(-1);
    if (last !== undefined && comparePrefixes(last.prefix, rule.prefix) === 0) siblings.pop();
    siblings.push(rule);
    // While it settles, the loop goes on to the next shorter length, which is that of a united rule.
    this.#longest = Math.max(this.#longest, length);
  }

  #put(rule: DesiredRule): void {
    this.#list.add(rule, this.#list.count);
    if (rule instanceof UnitedRule) this.united++;
  }
}

/** A rule that stands for two siblings. */
class UnitedRule implements DesiredRule {
  readonly prefix: Prefix;
  readonly name: string | null;
  readonly expiresAt: number | null;

  constructor(prefix: Prefix, one: DesiredRule, other: DesiredRule) {
    this.prefix = prefix;
    this.name = one.name === other.name ? one.name : null;
    this.expiresAt = one.expiresAt;
  }
}
