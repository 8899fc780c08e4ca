import { formatPrefix } from "../../address/prefix.ts";
import type { Rule } from "../../rulesets/rule.ts";
import { type ChangedRules, MAX_SHOWN_RULES, type Tally } from "../records/audit.ts";
import { prefixOfKey } from "../_prefix-key.ts";
import { ruleOfValues, type RuleValues, valuesOfRule } from "../_rule-values.ts";

/** How many rules, and the key of the first. */
type SummaryTally = readonly [count: number, first: string | null];

/** The summary of what a change did to rules, stored with it: short, however many there are. */
export interface RulesSummary {
  readonly added: SummaryTally;
  readonly changed: SummaryTally;
  readonly deleted: SummaryTally;
  /** The first of them, before and after. */
  readonly before: readonly RuleValues[];
  readonly after: readonly RuleValues[];
  /** Whether the previous rules are kept. */
  readonly isKept: boolean;
  /** For lists: the number of unchanged rules, and the digest of what was sent. */
  readonly skipped?: number;
  readonly digest?: string;
}

/** Maximum characters of the first rules, before and after the change together. */
const MAX_CHARACTERS = 8000;

/** Counts what a change does, and keeps the first rules. */
export class RuleTally {
  readonly #counts = { added: 0, changed: 0, deleted: 0 };
  readonly #first: { added: string | null; changed: string | null; deleted: string | null } = {
    added: null,
    changed: null,
    deleted: null,
  };
  readonly #before = new FirstRows();
  readonly #after = new FirstRows();

  /** Null if there was, or is, no rule. */
  add(before: Rule | null, after: Rule | null): void {
    const kind = before === null ? "added" : after === null ? "deleted" : "changed";
    if (this.#counts[kind]++ === 0) [this.#first[kind]] = valuesOfRule((after ?? before)!);
    if (before !== null) this.#before.add(before);
    if (after !== null) this.#after.add(after);
  }

  summary(about: Pick<RulesSummary, "isKept" | "skipped" | "digest">): RulesSummary {
    const tally = (kind: "added" | "changed" | "deleted"): SummaryTally => [this.#counts[kind], this.#first[kind]];
    return {
      added: tally("added"),
      changed: tally("changed"),
      deleted: tally("deleted"),
      before: this.#before.rows,
      after: this.#after.rows,
      ...about,
    };
  }
}

class FirstRows {
  readonly rows: RuleValues[] = [];
  #characters = 0;

  add(rule: Rule): void {
    if (this.rows.length === MAX_SHOWN_RULES || this.#characters > MAX_CHARACTERS) return;
    this.#characters += formatPrefix(rule.prefix).length + (rule.name?.length ?? 0) + 50;
    if (this.#characters <= MAX_CHARACTERS) this.rows.push(valuesOfRule(rule));
  }
}

/** What the audit log shows of a summary. */
export function changedRulesOf({ added, changed, deleted, before, after }: RulesSummary): ChangedRules {
  return {
    added: tallyOf(added),
    changed: tallyOf(changed),
    deleted: tallyOf(deleted),
    before: before.map(ruleOfValues),
    beforeCount: changed[0] + deleted[0],
    after: after.map(ruleOfValues),
    afterCount: added[0] + changed[0],
  };
}

function tallyOf([count, first]: SummaryTally): Tally {
  return { count, only: count === 1 ? prefixOfKey(first!) : null };
}

/** The summary of the change that undoes this one. */
export function inverseOf({ added, changed, deleted, before, after }: RulesSummary, at: number): RulesSummary {
  return {
    added: deleted,
    changed,
    deleted: added,
    before: after,
    after: before.map(([key, name, expiresAt, createdAt]) => [key, name, expiresAt, createdAt, at]),
    isKept: false,
  };
}
