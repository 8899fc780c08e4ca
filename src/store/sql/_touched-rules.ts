import type { Prefix } from "../../address/address.ts";
import type { Rule } from "../../rulesets/rule.ts";
import type { RuleColumns } from "../../rulesets/rule-columns.ts";
import type { Engine, RuleValues } from "./_engine.ts";
import type { Recorded } from "./_group-commit.ts";
import { KeptParts, type KeptTexts, noTexts, textOfParts } from "./_kept-parts.ts";
import { deleteRules, upsertRules, valuesOfRule } from "./_rule-rows.ts";
import type { Transaction } from "kysely";
import type { Tables } from "./_tables.ts";
import { RuleTally } from "../decide/_rules-summary.ts";
import type { ChangeBody } from "../change.ts";
import { keptLength } from "../kept-length.ts";

/** So many changed rules are told one by one; more, as the whole ruleset. */
export const MAX_LISTED_RULES = 4000;

/** What is told of a list besides its rules. */
export interface ListNote {
  readonly skipped: number;
  readonly digest: string | undefined;
}

/**
 * What a command does to the rules of one ruleset, rule after rule. It is written as it comes, some thousand rules at a
 * time, as are the rules that are kept for the audit log; of what is to be told to readers only as much as is told one
 * by one: a million rules would take a gigabyte.
 */
export class TouchedRules {
  readonly #engine: Engine;
  readonly #within: Transaction<Tables>;
  /** Of the ruleset. */
  readonly #number: number;
  #upserts: [number, ...ReturnType<typeof valuesOfRule>][] = [];
  #deletes: [number, string][] = [];
  /** Those that may be told one by one. */
  #told: { upserts: Rule[]; deletes: Prefix[] } = { upserts: [], deletes: [] };
  #texts: KeptTexts = noTexts();
  readonly #parts: KeptParts;
  readonly #tally = new RuleTally();
  #isWritten = true;
  added = 0;
  updated = 0;
  removed = 0;

  constructor(engine: Engine, within: Transaction<Tables>, number: number, at: number) {
    this.#engine = engine;
    this.#within = within;
    this.#number = number;
    this.#parts = new KeptParts(engine, within, at);
  }

  get count(): number {
    return this.added + this.updated + this.removed;
  }

  /** Whether the rules as they were are kept. */
  get isKept(): boolean {
    return !this.#parts.isFull;
  }

  add(rule: Rule): void {
    this.added++;
    if (!this.#isWritten) return;
    this.#tally.add(null, rule);
    this.#keep(this.#texts.upserts, rule, this.#upsert(rule));
  }

  update(before: Rule, after: Rule): void {
    this.updated++;
    if (!this.#isWritten) return;
    this.#tally.add(before, after);
    this.#keep(this.#texts.rules, before, valuesOfRule(before));
    this.#keep(this.#texts.upserts, after, this.#upsert(after));
  }

  remove(rule: Rule): void {
    this.removed++;
    if (!this.#isWritten) return;
    const values = valuesOfRule(rule);
    this.#deletes.push([this.#number, values[0]]);
    this.#tally.add(rule, null);
    this.#keep(this.#texts.rules, rule, values);
    if (this.isKept) this.#texts.deletes.push(JSON.stringify(values[0]));
    if (this.count <= MAX_LISTED_RULES) this.#told.deletes.push(rule.prefix);
  }

  /** What comes from now on is counted only: it will be refused. */
  writeNoMore(): void {
    this.#isWritten = false;
    [this.#upserts, this.#deletes, this.#texts] = [[], [], noTexts()];
  }

  /** Writes what has come so far, if it is worth a statement. */
  async write(): Promise<void> {
    const { rowsAtOnce } = this.#engine;
    if (this.#upserts.length >= rowsAtOnce) await this.#writeUpserts();
    if (this.#deletes.length >= rowsAtOnce) await this.#writeDeletes();
    if (this.#texts.rules.length + this.#texts.upserts.length >= rowsAtOnce) await this.#writeTexts();
  }

  async writeRest(): Promise<void> {
    await this.#writeDeletes();
    await this.#writeUpserts();
    await this.#writeTexts();
  }

  /** The change, and what there was before it. `whole` gives the ruleset as it is now. */
  async recorded(
    rulesetId: string,
    whole: () => Promise<readonly RuleColumns[]>,
    { skipped, digest }: ListNote,
  ): Promise<Recorded> {
    const told = this.#tally.told({ isKept: this.isKept, skipped, ...(digest === undefined ? {} : { digest }) });
    if (this.count <= MAX_LISTED_RULES) {
      return {
        change: { kind: "rules", rulesetId, ...this.#told },
        oldRules: textOfParts({ ...this.#texts, upserts: [], deletes: [] }),
        told,
      };
    }
    const change: ChangeBody = { kind: "rules-replaced", rulesetId, rules: await whole() };
    return { change, ruleCount: this.count, kept: this.#parts.id, told };
  }

  #upsert(rule: Rule): RuleValues {
    const values = valuesOfRule(rule);
    this.#upserts.push([this.#number, ...values]);
    if (this.count <= MAX_LISTED_RULES) this.#told.upserts.push(rule);
    return values;
  }

  #keep(texts: string[], rule: Rule, values: RuleValues): void {
    this.#parts.count(keptLength(rule));
    if (this.isKept) texts.push(JSON.stringify(values));
  }

  async #writeUpserts(): Promise<void> {
    await upsertRules(this.#engine, this.#within, this.#upserts);
    this.#upserts = [];
  }

  async #writeDeletes(): Promise<void> {
    await deleteRules(this.#engine, this.#within, this.#deletes);
    this.#deletes = [];
  }

  /** Few are kept with the change itself. */
  async #writeTexts(): Promise<void> {
    if (this.count <= MAX_LISTED_RULES) return;
    if (this.isKept) await this.#parts.write(this.#texts);
    else await this.#parts.drop();
    this.#texts = noTexts();
  }
}
