import type { DesiredRule } from "../../rulesets/plan-replacement.ts";
import { type RuleColumns, desiredIn } from "../../rulesets/rule-columns.ts";
import type { Rule } from "../../rulesets/rule.ts";
import { addRule } from "../../rulesets/write-rule.ts";
import { keyOfPrefix } from "../_prefix-key.ts";
import type { BatchResult, ImportRulesCommand } from "../command.ts";
import { StoreError } from "../store-error.ts";
import { reasonOf } from "./_rule-commands.ts";
import type { TouchedRules } from "./_touched-rules.ts";

/** A rule of a list, and the key of its prefix. */
export interface Listed {
  readonly key: string;
  readonly rule: DesiredRule;
}

/**
 * The rules of a list in parts of `size`. Made when they are needed, because other servers wait for the locks
 * meanwhile.
 */
export function* partsOf(columns: readonly RuleColumns[], size: number): Generator<Listed[]> {
  for (const each of columns) {
    let part: Listed[] = [];
    for (const rule of desiredIn(each)) {
      if (part.push({ key: keyOfPrefix(rule.prefix), rule }) < size) continue;
      yield part;
      part = [];
    }
    if (part.length > 0) yield part;
  }
}

/** Adds the rules of a list to a ruleset that has `count` of at most `max`, each as `add-rule` does. */
export class Import {
  readonly #touched: TouchedRules;
  readonly #command: Pick<ImportRulesCommand, "mode" | "at">;
  readonly #count: number;
  readonly #max: number;
  skipped = 0;

  constructor(touched: TouchedRules, command: Pick<ImportRulesCommand, "mode" | "at">, count: number, max: number) {
    this.#touched = touched;
    this.#command = command;
    this.#count = count;
    this.#max = max;
  }

  /** `existing`: by key, the existing rules of the part's prefixes. Throws StoreError (`batch-refused`). */
  add(part: readonly Listed[], existing: ReadonlyMap<string, Rule>): void {
    const { mode, at } = this.#command;
    for (const { key, rule: listed } of part) {
      const old = existing.get(key);
      const { action, rule } = addRule(old, { ...listed, mode }, at);
      if (action === "conflict") throw refused({ action, rule }, this.#max);
      if (action === "created" && this.#touched.added >= this.#max - this.#count)
        throw refused({ action: "too_many_rules", prefix: rule.prefix }, this.#max);
      if (action === "created") this.#touched.add(rule);
      else if (action === "updated") this.#touched.update(old!, rule);
      else this.skipped++;
    }
  }
}

function refused(result: BatchResult, maxRules: number): StoreError {
  return new StoreError("batch-refused", `${reasonOf(result, maxRules)}, so nothing was written`);
}
