import type { Prefix } from "../../address/address.ts";
import { formatPrefix } from "../../address/prefix.ts";
import type { Rule } from "../../rulesets/rule.ts";
import type { LiveRuleset } from "./service-memory.ts";
import { ruleDocument } from "../../formats/rule-document.ts";

const CHECKS_AT_ONCE = 50;

/** What covers an address or prefix: the rule and all rules, as JSON. */
interface Check {
  readonly ip: string;
  readonly rule: string | undefined;
  readonly covering: string;
}

/** Checks addresses and prefixes, by the texts that they were sent as. The rules must not change meanwhile. */
export function* checkRules(
  { rules }: LiveRuleset,
  prefixes: ReadonlyMap<string, Prefix>,
  now: number,
): Generator<undefined, Check[], undefined> {
  const texts = new RuleTexts();
  const checks: Check[] = [];
  for (const [ip, prefix] of prefixes) {
    const { covering } = rules.check(prefix, now);
    checks.push({ ip, rule: covering[0] && texts.of(covering[0]), covering: texts.ofAll(covering) });
    if (checks.length % CHECKS_AT_ONCE === 0) yield;
  }
  return checks;
}

/** As JSON, by the schema `CheckResult`. The text of a prefix holds nothing that JSON escapes. */
export function checkText({ ip, rule, covering }: Check): string {
  return `{"ip":"${ip}","matched":${rule !== undefined},"rule":${rule ?? "null"},"covering":[${covering}]}`;
}

/** A map from each address to its check. */
export function* checkTexts(checks: readonly Check[]): Generator<string> {
  yield "{";
  for (const [at, check] of checks.entries()) yield `${at === 0 ? "" : ","}"${check.ip}":${checkText(check)}`;
  yield "}";
}

/**
 * Rules as JSON, each made once. Rules that cover the same address cover one another, so that the most specific one
 * says which the others are: ten thousand addresses below thirty rules have few texts, which they share.
 */
class RuleTexts {
  readonly #rules = new Map<string, string>();
  /** By the most specific rule. */
  readonly #lists = new Map<string, string>();

  of(rule: Rule): string {
    const key = formatPrefix(rule.prefix);
    let text = this.#rules.get(key);
    if (text === undefined) this.#rules.set(key, (text = JSON.stringify(ruleDocument(rule))));
    return text;
  }

  /** With commas between them; the most specific rule comes first. */
  ofAll(rules: readonly Rule[], from = 0): string {
    const rule = rules[from];
    if (rule === undefined) return "";
    const key = formatPrefix(rule.prefix);
    let text = this.#lists.get(key);
    if (text === undefined)
      this.#lists.set(
        key,
        (text = from + 1 === rules.length ? this.of(rule) : `${this.of(rule)},${this.ofAll(rules, from + 1)}`),
      );
    return text;
  }
}
