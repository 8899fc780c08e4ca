import { comparePrefixes, formatPrefix } from "../../address/prefix.ts";
import type { DesiredRule } from "../../rulesets/plan-replacement.ts";
import type { Rule } from "../../rulesets/rule.ts";
import { prefixIn, type RuleColumns } from "../../rulesets/rule-columns.ts";
import { namesOf } from "../../rulesets/rule-names.ts";
import { updateRule } from "../../rulesets/write-rule.ts";
import { familyOfKey, lengthOfKey, wordAt } from "../_prefix-key.ts";
import { ruleOfValues, type RuleValues } from "../_rule-values.ts";
import type { TouchedRules } from "./_touched-rules.ts";

/** Rules decided before the results are written. */
const STEP = 1024;

/**
 * Walks the current and the desired rules, both in the order of prefixes, and writes the times of the latter into their
 * columns.
 */
export class Replacement {
  readonly #touched: TouchedRules;
  readonly #now: number;
  readonly #desired: DesiredCursor;
  #met = 0;
  unchanged = 0;

  constructor(touched: TouchedRules, parts: readonly RuleColumns[], now: number) {
    this.#touched = touched;
    this.#desired = new DesiredCursor(parts);
    this.#now = now;
  }

  /** Takes the next current rule. Returns whether the results should be written now. */
  meet(row: RuleValues): boolean {
    const desired = this.#desired;
    while (desired.compareTo(row[0]) < 0) this.#add();
    if (desired.compareTo(row[0]) > 0) this.#touched.remove(ruleOfValues(row));
    else this.#keep(row);
    return ++this.#met % STEP === 0;
  }

  /** Adds some of the rules that sort after all current ones. False if there are none. */
  addRest(): boolean {
    for (let left = STEP; left > 0; left--) {
      if (this.#desired.hasEnded) return false;
      this.#add();
    }
    return true;
  }

  #add(): void {
    const desired = this.#desired;
    this.#touched.add({ ...desired.rule(), createdAt: this.#now, updatedAt: this.#now });
    desired.advance(this.#now, this.#now);
  }

  #keep(row: RuleValues): void {
    const desired = this.#desired;
    const [, name, expiresAt, createdAt, updatedAt] = row;
    if (name === desired.name && expiresAt === desired.expiresAt) {
      this.unchanged++;
      return desired.advance(createdAt, updatedAt);
    }
    const before: Rule = ruleOfValues(row);
    this.#touched.update(before, updateRule(before, desired.rule(), this.#now));
    desired.advance(createdAt, this.#now);
  }
}

/** Walks over the desired rules in columns. */
class DesiredCursor {
  readonly #parts: readonly RuleColumns[];
  #next = 0;
  #part: RuleColumns | undefined;
  #names: readonly (string | null)[] = [];
  #at = 0;

  constructor(parts: readonly RuleColumns[]) {
    this.#parts = parts.filter(({ lengths }) => lengths.length > 0);
    this.#open();
  }

  get hasEnded(): boolean {
    return this.#part === undefined;
  }

  get name(): string | null {
    return this.#names[this.#at]!;
  }

  get expiresAt(): number | null {
    const expiresAt = this.#part!.expiresAt[this.#at]!;
    return expiresAt === Number.POSITIVE_INFINITY ? null : expiresAt;
  }

  rule(): DesiredRule {
    return { prefix: prefixIn(this.#part!, this.#at), name: this.name, expiresAt: this.expiresAt };
  }

  /** Negative if the desired rule comes before that of the key, 0 if it is the same; positive at the end. */
  compareTo(key: string): number {
    const part = this.#part;
    if (part === undefined) return 1;
    const difference = part.family - familyOfKey(key);
    if (difference !== 0) return difference;
    const stride = part.family === 4 ? 1 : 4;
    for (let word = 0; word < stride; word++) {
      const between = part.words[this.#at * stride + word]! - wordAt(key, word);
      if (between !== 0) return between;
    }
    return part.lengths[this.#at]! - lengthOfKey(key);
  }

  /** Moves to the next rule. @throws RangeError if it is out of order */
  advance(createdAt: number, updatedAt: number): void {
    const part = this.#part!;
    part.createdAt[this.#at] = createdAt;
    part.updatedAt[this.#at] = updatedAt;
    const before = prefixIn(part, this.#at++);
    if (this.#at === part.lengths.length) this.#open();
    if (this.#part === undefined) return;
    const prefix = prefixIn(this.#part, this.#at);
    if (comparePrefixes(before, prefix) >= 0)
      throw new RangeError(
        `the desired rules must come in the order of prefixes, each once, but ${formatPrefix(prefix)} follows ${formatPrefix(before)}`,
      );
  }

  #open(): void {
    this.#part = this.#parts[this.#next++];
    this.#at = 0;
    this.#names = this.#part === undefined ? [] : namesOf(this.#part.names);
  }
}
