import type { Selectable } from "kysely";
import type { Prefix } from "../../address/address.ts";
import { formatPrefix } from "../../address/prefix.ts";
import type { Rule } from "../../rulesets/rule.ts";
import { type Addition, addRule, type AddRequest, type RuleChanges, updateRule } from "../../rulesets/write-rule.ts";
import { isStorable, type RuleValues } from "../sql/_engine.ts";
import type { Recorded } from "../sql/_group-commit.ts";
import { keyOfPrefix, prefixOfKey } from "../_prefix-key.ts";
import { valuesOfRule } from "../sql/_rule-rows.ts";
import type { RulesetRow } from "../sql/_tables.ts";
import { type IfMatch, ruleTag } from "../if-match.ts";
import { RuleTally } from "./_rules-summary.ts";
import { keptLength, MOST_KEPT } from "../kept-length.ts";
import { RULES_SETTING } from "../limit-settings.ts";
import { StoreError } from "../store-error.ts";

/**
 * A ruleset as the commands of a group that have been decided leave it: the rules that the group touches, null where
 * there is none.
 */
export class RulesetDraft {
  readonly row: Selectable<RulesetRow>;
  readonly #rules = new Map<string, Rule | null>();
  readonly #written = new Set<string>();
  count: number;

  /** `row` is locked, so that it stays as it is. */
  constructor(row: Selectable<RulesetRow>) {
    this.row = row;
    this.count = row.rule_count;
  }

  /** A rule as it was read. */
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

  /** What is to be written to the database. */
  upserts(): [number, ...RuleValues][] {
    return [...this.#written].flatMap((key): [number, ...RuleValues][] => {
      const rule = this.get(key);
      return rule === null ? [] : [[this.row.number, ...valuesOfRule(rule)]];
    });
  }

  deletes(): [number, string][] {
    return [...this.#written].filter((key) => this.get(key) === null).map((key) => [this.row.number, key]);
  }
}

/** So many rules tell by themselves what was done. */
const FEW = 20;

/** What one command does to the rules of a ruleset; nothing until `keep`. */
export class RuleEdit {
  readonly #draft: RulesetDraft;
  readonly #most: number;
  readonly #at: number;
  readonly #rules = new Map<string, Rule | null>();
  #count: number;

  constructor(draft: RulesetDraft, rulesPerRuleset: number, at: number) {
    this.#draft = draft;
    this.#most = rulesPerRuleset;
    this.#at = at;
    this.#count = draft.count;
  }

  /** The rule of a prefix. */
  get(prefix: Prefix): Rule | null {
    return this.#get(keyOfPrefix(prefix));
  }

  /** Throws StoreError (`rule-not-found`). */
  existing(prefix: Prefix): Rule {
    const rule = this.get(prefix);
    if (rule === null) throw ruleNotFound(prefix);
    return rule;
  }

  /** Throws StoreError (`too-many-rules`). */
  add(request: AddRequest): Addition {
    checkName(request.name);
    const key = keyOfPrefix(request.prefix);
    const addition = addRule(this.#get(key) ?? undefined, request, this.#at);
    if (addition.action === "created" && this.#count >= this.#most) throw tooManyRules(this.#most);
    if (addition.action === "created") this.#count++;
    if (addition.action === "created" || addition.action === "updated") this.#rules.set(key, addition.rule);
    return addition;
  }

  /** Throws StoreError (`rule-not-found`). */
  update(prefix: Prefix, changes: RuleChanges): Rule {
    checkName(changes.name ?? null);
    const existing = this.existing(prefix);
    const rule = updateRule(existing, changes, this.#at);
    if (rule !== existing) this.#rules.set(keyOfPrefix(prefix), rule);
    return rule;
  }

  /** Throws StoreError (`rule-not-found`). */
  delete(prefix: Prefix): void {
    this.existing(prefix);
    this.#rules.set(keyOfPrefix(prefix), null);
    this.#count--;
  }

  /** Lets the draft have it. Gives what changed, or null where nothing did. */
  keep(): Recorded | null {
    if (this.#rules.size === 0) return null;
    const upserts: Rule[] = [];
    const deletes: Prefix[] = [];
    const rules: RuleValues[] = [];
    const tally = new RuleTally();
    let length = 0;
    for (const [key, rule] of this.#rules) {
      const before = this.#draft.get(key);
      if (before !== null || rule !== null) tally.add(before, rule);
      length += (before === null ? 0 : keptLength(before)) + (rule === null ? 0 : keptLength(rule));
      if (before !== null) rules.push(valuesOfRule(before));
      this.#draft.write(key, rule);
      if (rule === null) deletes.push(prefixOfKey(key));
      else upserts.push(rule);
    }
    this.#draft.count = this.#count;
    const isKept = length <= MOST_KEPT;
    const told = this.#rules.size > FEW ? tally.told({ isKept }) : undefined;
    return {
      change: { kind: "rules", rulesetId: this.#draft.row.id, upserts, deletes },
      oldRules: rules.length === 0 || !isKept ? undefined : { rules },
      told,
    };
  }

  #get(key: string): Rule | null {
    const own = this.#rules.get(key);
    return own === undefined ? this.#draft.get(key) : own;
  }
}

/**
 * Holds a command to the state that it is meant for; `rule` is the one that it is about. Throws StoreError
 * (`version-mismatch`). A command that asks for a version is in a group of its own.
 */
export function checkMatch(
  { version }: Selectable<RulesetRow>,
  wanted: IfMatch | undefined,
  rule: Rule | null = null,
): void {
  if (wanted === undefined || wanted.versions.includes(version)) return;
  if (wanted.rules.length === 0)
    throw new StoreError("version-mismatch", "the ruleset or its rules have changed since; read them again");
  if (rule === null || !wanted.rules.includes(ruleTag(rule)))
    throw new StoreError("version-mismatch", "the rule has changed since; read it again");
}

export function tooManyRules(most: number): StoreError {
  return new StoreError("too-many-rules", `${mostRulesText(most)}; delete some first`);
}

/** The limit and what sets it, in words. */
export function mostRulesText(most: number): string {
  return `a ruleset holds at most ${most} rules, expired ones too (${RULES_SETTING})`;
}

/**
 * API's and importers' names are cleaner than this; a name that a database would refuse or change must not get that
 * far.
 */
export function checkName(name: string | null): void {
  if (name !== null && !isStorable(name))
    throw new StoreError(
      "invalid-text",
      `the name ${JSON.stringify(name)} holds a NUL character or half a surrogate pair`,
    );
}

function ruleNotFound(prefix: Prefix): StoreError {
  return new StoreError("rule-not-found", `there is no rule for ${formatPrefix(prefix)}`);
}
