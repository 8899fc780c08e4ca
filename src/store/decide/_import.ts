import { addListed, type ListedRule } from "../../rulesets/listed-rule.ts";
import { type CarvedColumns, desiredIn } from "../../rulesets/rule-columns.ts";
import type { Rule } from "../../rulesets/rule.ts";
import { keyOfPrefix } from "../_prefix-key.ts";
import type { BatchResult, ImportRulesCommand } from "../command.ts";
import { StoreError } from "../store-error.ts";
import { reasonOf } from "./_rule-commands.ts";
import { countOf } from "./_rule-limits.ts";
import type { TouchedRules } from "./_touched-rules.ts";

/** A rule of a list, and the key of its prefix. */
export interface Listed {
  readonly key: string;
  readonly rule: ListedRule;
}

/**
 * The rules of a list in parts of `size`. Made when they are needed, because other servers wait for the locks
 * meanwhile.
 */
export function* partsOf(columns: readonly CarvedColumns[], size: number): Generator<Listed[]> {
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

/**
 * The rules that are still to be decided, and how many are known to be skipped: what was found out beforehand counts
 * only at the same version of the ruleset.
 */
export function undecidedRules(
  { rules, unskipped }: Pick<ImportRulesCommand, "rules" | "unskipped">,
  version: number,
): { readonly rules: readonly CarvedColumns[]; readonly skipped: number } {
  if (unskipped?.version !== version) return { rules, skipped: 0 };
  const left = rules.map((part, index) => chosenIn(part, unskipped.indexes[index]!));
  return { rules: left, skipped: countOf(rules) - countOf(left) };
}

function chosenIn(columns: CarvedColumns, indexes: Uint32Array): CarvedColumns {
  const { family, words, lengths, names, expiresAt, createdAt, updatedAt, carved } = columns;
  if (indexes.length === lengths.length) return columns;
  const stride = family === 4 ? 1 : 4;
  return {
    family,
    words: Uint32Array.from({ length: stride * indexes.length }, (_, at) => {
      return words[stride * indexes[Math.floor(at / stride)]! + (at % stride)]!;
    }),
    lengths: Uint8Array.from(indexes, (index) => lengths[index]!),
    names:
      "numbers" in names
        ? { ...names, numbers: Uint32Array.from(indexes, (index) => names.numbers[index]!) }
        : Array.from(indexes, (index) => names[index]!),
    expiresAt: Float64Array.from(indexes, (index) => expiresAt[index]!),
    createdAt: Float64Array.from(indexes, (index) => createdAt[index]!),
    updatedAt: Float64Array.from(indexes, (index) => updatedAt[index]!),
    ...(carved && {
      carved: {
        named: Float64Array.from(indexes, (index) => carved.named[index]!),
        part: Float64Array.from(indexes, (index) => carved.part[index]!),
      },
    }),
  };
}

/** Adds the rules of a list to a ruleset that has `count` of at most `max`, each as `add-rule` does. */
export class Import {
  readonly #touched: TouchedRules;
  readonly #command: Pick<ImportRulesCommand, "mode" | "at">;
  readonly #count: number;
  readonly #max: number;
  /** Including those that are not in any part, because they are known to be skipped. */
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
      const { action, rule } = addListed(old, listed, mode, at);
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
