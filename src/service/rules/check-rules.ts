import type { Prefix } from "../../address/address.ts";
import { ruleJson } from "../../formats/rule-document.ts";
import { NO_RULE, type RuleId } from "../../rulesets/rule-id.ts";
import type { RuleIndex } from "../../rulesets/index/rule-index.ts";
import type { AddressBatch } from "../address-batch.ts";

/** Rules that are written between two interruptions, at most. */
const AT_ONCE = 512;
const NO_MATCH = `,"matched":false,"rule":null,"covering":[]}`;

/** What covers an address or prefix that was sent as `ip`: JSON by the schema `CheckResult`. */
export function checkText(rules: RuleIndex, ip: string, prefix: Prefix, now: number): string {
  return checkDocument(ip, new CheckTexts(rules, now).of(rules.decide(prefix, now)));
}

/**
 * What covers each text of a batch: what follows `{"ip":"..."` in its `CheckResult`, by index. The rules must not change
 * meanwhile. O(1) a text where the rules are frozen, and a microsecond or two for each rule that decides.
 */
export function* checkBatch(
  rules: RuleIndex,
  batch: AddressBatch,
  now: number,
): Generator<undefined, string[], undefined> {
  const ids = yield* batch.lookingUp({
    lookUpInto: (family, words, out, count) => rules.decideWordsInto(family, words, out, now, count),
    lookUpPrefix: (prefix) => rules.decide(prefix, now),
  });
  const texts = new CheckTexts(rules, now);
  const checks: string[] = new Array(ids.length);
  for (let index = 0; index < ids.length; index++) {
    checks[index] = texts.of(ids[index] as RuleId);
    if (index % AT_ONCE === AT_ONCE - 1) yield;
  }
  return checks;
}

/**
 * The `CheckResult` of a text, from what `checkBatch` returns for it. An address contains nothing that JSON escapes.
 */
export function checkDocument(ip: string, check: string): string {
  return `{"ip":"${ip}"${check}`;
}

/**
 * The checks of rules as JSON, each made once. Rules that cover the same address cover one another, so the most specific
 * one determines which the others are: ten thousand addresses covered by thirty rules have few texts, which they share.
 */
class CheckTexts {
  readonly #rules: RuleIndex;
  readonly #now: number;
  /** By the rule that decides. */
  readonly #checks = new Map<RuleId, string>();
  /** By the most specific rule: it and all that cover it. */
  readonly #lists = new Map<RuleId, string>();

  constructor(rules: RuleIndex, now: number) {
    this.#rules = rules;
    this.#now = now;
  }

  of(id: RuleId): string {
    if (id === NO_RULE) return NO_MATCH;
    let text = this.#checks.get(id);
    if (text === undefined) this.#checks.set(id, (text = this.#check(id)));
    return text;
  }

  #check(id: RuleId): string {
    const rule = ruleJson(this.#rules.ruleAt(id));
    const above = this.#rules.decideAbove(id, this.#now);
    return `,"matched":true,"rule":${rule},"covering":[${above === NO_RULE ? rule : `${rule},${this.#list(above)}`}]}`;
  }

  /** With commas between them. At most 129 rules cover one another. */
  #list(id: RuleId): string {
    let text = this.#lists.get(id);
    if (text !== undefined) return text;
    text = ruleJson(this.#rules.ruleAt(id));
    const above = this.#rules.decideAbove(id, this.#now);
    if (above !== NO_RULE) text += `,${this.#list(above)}`;
    this.#lists.set(id, text);
    return text;
  }
}
