import type { Prefix } from "../address/address.ts";
import type { Rule } from "../rulesets/rule.ts";
import type { RuleColumns } from "../rulesets/rule-columns.ts";
import { MOST_OLD_RULES, type OldRules } from "./_changes.ts";
import type { Engine } from "./_engine.ts";
import type { Recorded } from "./_group.ts";
import { keyOfPrefix } from "./_prefix-key.ts";
import { deleteRules, upsertRules, valuesOfRule } from "./_rule-rows.ts";
import type { Transaction } from "kysely";
import type { Tables } from "./_tables.ts";
import type { ChangeBody } from "./change.ts";

/** So many changed rules are told one by one; more, as the whole ruleset. */
export const MAX_TOLD_SINGLY = 4000;

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
  #kept = { added: [] as Rule[], before: [] as Rule[], after: [] as Rule[], removed: [] as Rule[] };
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
    this.#upsert(rule);
    if (this.#isKept()) this.#kept.added.push(rule);
  }

  update(before: Rule, after: Rule): void {
    this.updated++;
    this.#upsert(after);
    if (!this.#isKept()) return;
    this.#kept.before.push(before);
    this.#kept.after.push(after);
  }

  remove(rule: Rule): void {
    this.removed++;
    this.#deletes.push([this.#number, keyOfPrefix(rule.prefix)]);
    if (this.#isKept()) this.#kept.removed.push(rule);
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
    const { added, before, after, removed } = this.#kept;
    const upserts = [...added, ...after];
    const deletes = removed.map(({ prefix }): Prefix => prefix);
    const old: OldRules = { rules: [...before, ...removed].map(valuesOfRule) };
    if (count <= MAX_TOLD_SINGLY) return { change: { kind: "rules", rulesetId, upserts, deletes }, oldRules: old };
    const change: ChangeBody = { kind: "rules-replaced", rulesetId, rules: await whole() };
    if (count > MOST_OLD_RULES) return { change, ruleCount: count };
    return { change, ruleCount: count, oldRules: { ...old, upserts: upserts.map(valuesOfRule), deletes: deletes.map(keyOfPrefix) } };
  }

  #upsert(rule: Rule): void {
    this.#upserts.push([this.#number, ...valuesOfRule(rule)]);
  }

  #isKept(): boolean {
    if (this.count <= MOST_OLD_RULES) return true;
    this.#kept = { added: [], before: [], after: [], removed: [] };
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
