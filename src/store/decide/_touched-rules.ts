import type { Prefix } from "../../address/address.ts";
import type { Rule } from "../../rulesets/rule.ts";
import type { RuleColumns } from "../../rulesets/rule-columns.ts";
import { type RuleValues, valuesOfRule } from "../_rule-values.ts";
import { keptLength, MAX_KEPT } from "../kept-length.ts";
import type { Recorded } from "./_decision.ts";
import type { RuleEvents } from "./_rule-events.ts";
import { type KeptTexts, noTexts, textOfParts } from "./_kept-texts.ts";
import { RuleTally } from "./_rules-summary.ts";

/** A change of up to this many rules lists them individually; a larger one replaces the whole ruleset. */
export const MAX_LISTED_RULES = 4000;

/** What is recorded about a list besides its rules. */
export interface ListNote {
  readonly skipped: number;
  readonly digest: string | undefined;
}

/** Rules waiting to be written, and rules waiting to be kept for the audit log. */
interface Waiting {
  upserts: RuleValues[];
  deletes: string[];
  texts: KeptTexts;
}

/**
 * What a command does to the rules of one ruleset, rule after rule. It collects rules to be written, which are taken
 * some thousand at a time. For readers it collects only rules that are listed individually, because a million rules
 * would take a gigabyte.
 */
export class TouchedRules {
  readonly events: RuleEvents;
  #waiting: Waiting = nothing();
  /** Rules that may be listed individually. */
  #listed: { upserts: Rule[]; deletes: Prefix[] } = { upserts: [], deletes: [] };
  readonly #tally = new RuleTally();
  #keptLength = 0;
  #isWritten = true;
  added = 0;
  updated = 0;
  removed = 0;

  constructor(events: RuleEvents) {
    this.events = events;
  }

  get count(): number {
    return this.added + this.updated + this.removed;
  }

  get isListed(): boolean {
    return this.count <= MAX_LISTED_RULES;
  }

  /** Whether the previous rules are kept. */
  get isKept(): boolean {
    return this.#keptLength <= MAX_KEPT;
  }

  /** How many rules are waiting to be written: the maximum that one statement would have. */
  get waiting(): { readonly upserts: number; readonly deletes: number; readonly texts: number } {
    const { upserts, deletes, texts } = this.#waiting;
    return { upserts: upserts.length, deletes: deletes.length, texts: texts.rules.length + texts.upserts.length };
  }

  add(rule: Rule): void {
    this.added++;
    if (!this.#isWritten) return;
    this.#tally.add(null, rule);
    const values = this.#upsert(rule);
    this.events.add(null, values);
    this.#keep(this.#waiting.texts.upserts, rule, values);
  }

  update(before: Rule, after: Rule): void {
    this.updated++;
    if (!this.#isWritten) return;
    this.#tally.add(before, after);
    const [was, values] = [valuesOfRule(before), this.#upsert(after)];
    this.events.add(was, values);
    this.#keep(this.#waiting.texts.rules, before, was);
    this.#keep(this.#waiting.texts.upserts, after, values);
  }

  remove(rule: Rule): void {
    this.removed++;
    if (!this.#isWritten) return;
    const values = valuesOfRule(rule);
    this.#waiting.deletes.push(values[0]);
    this.events.add(values, null);
    this.#tally.add(rule, null);
    this.#keep(this.#waiting.texts.rules, rule, values);
    if (this.isKept) this.#waiting.texts.deletes.push(JSON.stringify(values[0]));
    if (this.isListed) this.#listed.deletes.push(rule.prefix);
  }

  /** From now on, rules are only counted: the command will be rejected. */
  writeNoMore(): void {
    this.#isWritten = false;
    this.events.take();
    this.#waiting = nothing();
  }

  takeUpserts(): readonly RuleValues[] {
    const { upserts } = this.#waiting;
    this.#waiting.upserts = [];
    return upserts;
  }

  takeDeletes(): readonly string[] {
    const { deletes } = this.#waiting;
    this.#waiting.deletes = [];
    return deletes;
  }

  takeTexts(): KeptTexts {
    const { texts } = this.#waiting;
    this.#waiting.texts = noTexts();
    return texts;
  }

  /**
   * The change, and the state before it. `whole`: the ruleset as it is now, for a change that is not listed
   * individually; `kept`: the id of what was kept in parts.
   */
  recorded(
    rulesetId: string,
    whole: readonly RuleColumns[],
    { skipped, digest }: ListNote,
    kept: string | null,
  ): Recorded {
    const summary = this.#tally.summary({ isKept: this.isKept, skipped, ...(digest === undefined ? {} : { digest }) });
    if (this.isListed) {
      const oldRules = textOfParts({ ...this.#waiting.texts, upserts: [], deletes: [] });
      return {
        change: { kind: "rules", rulesetId, ...this.#listed },
        oldRules,
        summary,
        ruleEvents: this.events.take(),
      };
    }
    return { change: { kind: "rules-replaced", rulesetId, rules: whole }, ruleCount: this.count, kept, summary };
  }

  #upsert(rule: Rule): RuleValues {
    const values = valuesOfRule(rule);
    this.#waiting.upserts.push(values);
    if (this.isListed) this.#listed.upserts.push(rule);
    return values;
  }

  #keep(texts: string[], rule: Rule, values: RuleValues): void {
    this.#keptLength += keptLength(rule);
    if (this.isKept) texts.push(JSON.stringify(values));
  }
}

function nothing(): Waiting {
  return { upserts: [], deletes: [], texts: noTexts() };
}
