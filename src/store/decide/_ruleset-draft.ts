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
  announcedUntil: number | null = null;
  areMarksChanged = false;
  /** Of rules that the group may touch: those whose expiry after `expiredUntil` has been announced, by key. */
  readonly announced = new Map<string, number>();
  /** The keys of those that have been written since, which are to be announced again. */
  readonly rewritten = new Set<string>();
  /** Whether expiries of its rules have been appended, so that the next one has to be looked up. */
  isDue = false;

  constructor(
    number: number,
    ruleset: Ruleset,
    count: number,
    marks?: Pick<RulesetDraft, "expiredUntil" | "nextExpiry"> & Partial<Pick<RulesetDraft, "announcedUntil">>,
  ) {
    this.number = number;
    this.ruleset = ruleset;
    this.#countBefore = count;
    this.count = count;
    if (marks === undefined) return;
    ({ expiredUntil: this.expiredUntil, nextExpiry: this.nextExpiry } = marks);
    this.announcedUntil = marks.announcedUntil ?? null;
  }

  /** From now on, the expiries up to this time are in the feed. */
  expireUntil(at: number): void {
    this.expiredUntil = Math.max(this.expiredUntil, at);
  }

  /** From now on, expiries after this time are in the feed only if they are announced ones. */
  moveBack(at: number): void {
    this.announcedUntil = Math.max(this.announcedUntil ?? 0, this.expiredUntil);
    this.expiredUntil = at;
    this.areMarksChanged = true;
  }

  /** Whether rules may have been announced before their time. */
  get hasAnnounced(): boolean {
    return this.announcedUntil !== null && this.announcedUntil > this.expiredUntil;
  }

  isAnnounced([key, , expiresAt]: RuleValues): boolean {
    return expiresAt !== null && (expiresAt <= this.expiredUntil || this.announced.get(key) === expiresAt);
  }

  /** The rule is written, or deleted. */
  rewrite(key: string): void {
    if (!this.announced.delete(key)) return;
    this.rewritten.add(key);
    this.areMarksChanged = true;
  }

  get isCountChanged(): boolean {
    return this.count !== this.#countBefore;
  }

  /** Records a rule that was read from the database. */
  read(key: string, rule: Rule): void {
    this.#rules.set(key, rule);
  }

  /** The keys of the rules that there are. */
  keys(): string[] {
    return [...this.#rules].flatMap(([key, rule]) => (rule === null ? [] : [key]));
  }

  /** The expiries of these rules. */
  expiries(): (number | null)[] {
    return [...this.#rules.values()].map((rule) => rule?.expiresAt ?? null);
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
