import type { Prefix } from "../../address/address.ts";
import { formatPrefix } from "../../address/prefix.ts";
import type { Rule } from "../../rulesets/rule.ts";
import { type Addition, addRule, type AddRequest, type RuleChanges, updateRule } from "../../rulesets/write-rule.ts";
import { keyOfPrefix, prefixOfKey } from "../_prefix-key.ts";
import { type RuleValues, valuesOfRule } from "../_rule-values.ts";
import { keptLength, MAX_KEPT } from "../kept-length.ts";
import { StoreError } from "../store-error.ts";
import type { Recorded } from "./_decision.ts";
import { checkName, tooManyRules } from "./_rule-limits.ts";
import type { RulesetDraft } from "./_ruleset-draft.ts";
import { RuleEvents } from "./_rule-events.ts";
import { RuleTally } from "./_rules-summary.ts";

/** Rules that are applied between two interruptions: a millisecond or two. */
const STEP = 500;
/** A change of up to this many rules needs no summary. */
const MAX_WITHOUT_SUMMARY = 20;

/** What one command does to the rules of a ruleset; no effect until `keep`. */
export class RuleEdit {
  readonly #draft: RulesetDraft;
  readonly #max: number;
  readonly #at: number;
  readonly #rules = new Map<string, Rule | null>();
  #count: number;

  constructor(draft: RulesetDraft, rulesPerRuleset: number, at: number) {
    this.#draft = draft;
    this.#max = rulesPerRuleset;
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
    if (addition.action === "created" && this.#count >= this.#max) throw tooManyRules(this.#max);
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

  /** Applies the edit to the draft. Returns what changed, or null if nothing did. It can be interrupted after some rules. */
  *keep(): Generator<undefined, Recorded | null, undefined> {
    if (this.#rules.size === 0) return null;
    const upserts: Rule[] = [];
    const deletes: Prefix[] = [];
    const rules: RuleValues[] = [];
    const tally = new RuleTally();
    const events = new RuleEvents(this.#draft, this.#at);
    let [length, count] = [0, 0];
    for (const [key, rule] of this.#rules) {
      if (++count % STEP === 0) yield;
      const before = this.#draft.get(key);
      if (before !== null || rule !== null) tally.add(before, rule);
      length += (before === null ? 0 : keptLength(before)) + (rule === null ? 0 : keptLength(rule));
      const was = before === null ? null : valuesOfRule(before);
      if (was !== null) rules.push(was);
      events.add(was, rule === null ? null : valuesOfRule(rule));
      this.#draft.write(key, rule);
      if (rule === null) deletes.push(prefixOfKey(key));
      else upserts.push(rule);
    }
    this.#draft.count = this.#count;
    const isKept = length <= MAX_KEPT;
    const summary = this.#rules.size > MAX_WITHOUT_SUMMARY ? tally.summary({ isKept }) : undefined;
    return {
      change: { kind: "rules", rulesetId: this.#draft.ruleset.id, upserts, deletes },
      oldRules: rules.length === 0 || !isKept ? undefined : { rules },
      summary,
      ruleEvents: events.take(),
    };
  }

  #get(key: string): Rule | null {
    const own = this.#rules.get(key);
    return own === undefined ? this.#draft.get(key) : own;
  }
}

function ruleNotFound(prefix: Prefix): StoreError {
  return new StoreError("rule-not-found", `there is no rule for ${formatPrefix(prefix)}`);
}
