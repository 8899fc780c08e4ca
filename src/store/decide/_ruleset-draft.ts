import type { Rule } from "../../rulesets/rule.ts";
import { type RuleValues, valuesOfRule } from "../_rule-values.ts";
import type { Ruleset } from "../state.ts";
import type { ExpiryMarks } from "./_rule-events.ts";

/**
 * A ruleset after the commands of a group that have been decided so far: the rules that the group touches, null if
 * there is none.
 */
export class RulesetDraft implements ExpiryMarks {
  /** Used instead of the id in the rows of rules. */
  readonly number: number;
  /** The ruleset as the group found and locked it. */
  readonly ruleset: Ruleset;
  readonly #countBefore: number;
  readonly #rules = new Map<string, Rule | null>();
  readonly #written = new Set<string>();
  count: number;
  expiredUntil = 0;
  nextExpiry: number | null = null;
  areMarksChanged = false;
  /** Whether expiries of its rules have been appended, so that the next one has to be looked up. */
  isDue = false;

  constructor(
    number: number,
    ruleset: Ruleset,
    count: number,
    marks?: Pick<ExpiryMarks, "expiredUntil" | "nextExpiry">,
  ) {
    this.number = number;
    this.ruleset = ruleset;
    this.#countBefore = count;
    this.count = count;
    if (marks !== undefined) ({ expiredUntil: this.expiredUntil, nextExpiry: this.nextExpiry } = marks);
  }

  /** From now on, the expiries up to this time are in the feed. */
  expireUntil(at: number): void {
    this.expiredUntil = Math.max(this.expiredUntil, at);
  }

  get isCountChanged(): boolean {
    return this.count !== this.#countBefore;
  }

  /** Records a rule that was read from the database. */
  read(key: string, rule: Rule): void {
    this.#rules.set(key, rule);
  }

  get(key: string): Rule | null {
    return this.#rules.get(key) ?? null;
  }

  write(key: string, rule: Rule | null): void {
    this.#rules.set(key, rule);
    this.#written.add(key);
  }

  /** The writes to the database. */
  upserts(): [number, ...RuleValues][] {
    return [...this.#written].flatMap((key): [number, ...RuleValues][] => {
      const rule = this.get(key);
      return rule === null ? [] : [[this.number, ...valuesOfRule(rule)]];
    });
  }

  deletes(): [number, string][] {
    return [...this.#written].filter((key) => this.get(key) === null).map((key) => [this.number, key]);
  }
}
