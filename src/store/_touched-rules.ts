import type { Prefix } from "../address/address.ts";
import type { Rule } from "../rulesets/rule.ts";
import type { RuleColumns } from "../rulesets/rule-columns.ts";
import { MOST_OLD_RULES } from "./_changes.ts";
import type { Engine, RuleValues } from "./_engine.ts";
import type { Recorded } from "./_group.ts";
import { deleteRules, upsertRules, valuesOfRule } from "./_rule-rows.ts";
import type { Transaction } from "kysely";
import type { Tables } from "./_tables.ts";
import type { ChangeBody } from "./change.ts";

/** So many changed rules are told one by one; more, as the whole ruleset. */
export const MAX_TOLD_SINGLY = 4000;

/** Rules that may be told one by one, and the JSON of all of them: made of all at once it would hold others up. */
interface KeptRules {
  readonly rules: Rule[];
  readonly texts: string[];
}

function noneKept() {
  const none = (): KeptRules => ({ rules: [], texts: [] });
  return { added: none(), before: none(), after: none(), removed: none(), deletes: [] as string[] };
}

/**
 * What a command does to the rules of one ruleset, rule after rule. It is written as it comes, some thousand rules at a time, and of what is to be kept
 * for readers and the audit log only as much as will be kept: a million rules would take a gigabyte.
 */
export class TouchedRules {
  readonly #engine: Engine;
  readonly #within: Transaction<Tables>;
  /** Of the ruleset. */
  readonly #number: number;
  #upserts: [number, ...ReturnType<typeof valuesOfRule>][] = [];
  #deletes: [number, string][] = [];
  #kept = noneKept();
  #isWritten = true;
  added = 0;
  updated = 0;
  removed = 0;

  constructor(engine: Engine, within: Transaction<Tables>, number: number) {
    this.#engine = engine;
    this.#within = within;
    this.#number = number;
  }

  get count(): number {
    return this.added + this.updated + this.removed;
  }

  add(rule: Rule): void {
    this.added++;
    if (!this.#isWritten) return;
    this.#keep("added", rule, this.#upsert(rule));
  }

  update(before: Rule, after: Rule): void {
    this.updated++;
    if (!this.#isWritten) return;
    this.#keep("before", before, valuesOfRule(before));
    this.#keep("after", after, this.#upsert(after));
  }

  remove(rule: Rule): void {
    this.removed++;
    if (!this.#isWritten) return;
    const values = valuesOfRule(rule);
    this.#deletes.push([this.#number, values[0]]);
    this.#keep("removed", rule, values);
    if (this.#isKept()) this.#kept.deletes.push(JSON.stringify(values[0]));
  }

  /** What comes from now on is counted only: it will be refused. */
  writeNoMore(): void {
    this.#isWritten = false;
    [this.#upserts, this.#deletes, this.#kept] = [[], [], noneKept()];
  }

  /** Writes what has come so far, if it is worth a statement. */
  async write(): Promise<void> {
    const { rowsAtOnce } = this.#engine;
    if (this.#upserts.length >= rowsAtOnce) await this.#writeUpserts();
    if (this.#deletes.length >= rowsAtOnce) await this.#writeDeletes();
  }

  async writeRest(): Promise<void> {
    await this.#writeDeletes();
    await this.#writeUpserts();
  }

  /** The change, and what there was before it. `whole` gives the ruleset as it is now. */
  async recorded(rulesetId: string, whole: () => Promise<readonly RuleColumns[]>): Promise<Recorded> {
    const { count } = this;
    const { added, before, after, removed, deletes } = this.#kept;
    const old = `"rules":[${[...before.texts, ...removed.texts].join(",")}]`;
    if (count <= MAX_TOLD_SINGLY) {
      return { change: { kind: "rules", rulesetId, upserts: [...added.rules, ...after.rules], deletes: removed.rules.map(({ prefix }): Prefix => prefix) }, oldRules: `{${old}}` };
    }
    const change: ChangeBody = { kind: "rules-replaced", rulesetId, rules: await whole() };
    if (count > MOST_OLD_RULES) return { change, ruleCount: count };
    return { change, ruleCount: count, oldRules: `{${old},"upserts":[${[...added.texts, ...after.texts].join(",")}],"deletes":[${deletes.join(",")}]}` };
  }

  #upsert(rule: Rule): RuleValues {
    const values = valuesOfRule(rule);
    this.#upserts.push([this.#number, ...values]);
    return values;
  }

  #keep(what: "added" | "before" | "after" | "removed", rule: Rule, values: RuleValues): void {
    if (!this.#isKept()) return;
    const { rules, texts } = this.#kept[what];
    if (this.count <= MAX_TOLD_SINGLY) rules.push(rule);
    texts.push(JSON.stringify(values));
  }

  #isKept(): boolean {
    if (this.count <= MOST_OLD_RULES) return true;
    this.#kept = noneKept();
    return false;
  }

  async #writeUpserts(): Promise<void> {
    await upsertRules(this.#engine, this.#within, this.#upserts);
    this.#upserts = [];
  }

  async #writeDeletes(): Promise<void> {
    await deleteRules(this.#engine, this.#within, this.#deletes);
    this.#deletes = [];
  }
}
