import type { Address, Prefix } from "../../src/address/address.ts";
import type { Rule } from "../../src/rulesets/rule.ts";
import type { RuleFilter } from "../../src/rulesets/index/rule-search.ts";
import { addressBits, prefixBits } from "./prefix-oracle.ts";

/**
 * The slow answer to every question about a ruleset: a list of rules with their bits, read from start to end. Shares no
 * code with src.
 */
export class RuleOracle {
  #list: { bits: string; rule: Rule }[] = [];

  get count(): number {
    return this.#list.length;
  }

  set(rule: Rule): void {
    this.delete(rule.prefix);
    this.#list.push({ bits: prefixBits(rule.prefix), rule: { ...rule } });
    this.#list.sort((a, b) => (a.bits < b.bits ? -1 : 1));
  }

  delete(prefix: Prefix): boolean {
    const before = this.#list.length;
    this.#list = this.#list.filter(({ bits }) => bits !== prefixBits(prefix));
    return this.#list.length < before;
  }

  get(prefix: Prefix): Rule | undefined {
    return this.#list.find(({ bits }) => bits === prefixBits(prefix))?.rule;
  }

  /** The most specific rule first. */
  covering(where: Address | Prefix): Rule[] {
    const inner = "length" in where ? prefixBits(where) : addressBits(where);
    return this.#list
      .filter(({ bits }) => inner.startsWith(bits))
      .map(({ rule }) => rule)
      .reverse();
  }

  /** In order; if a time is given, only the rules that are active then. */
  rules(now?: number): Rule[] {
    const isActive = ({ expiresAt }: Rule): boolean => now === undefined || expiresAt === null || expiresAt > now;
    return this.#list.map(({ rule }) => rule).filter(isActive);
  }

  /** The rules that match a filter at a time, in order. */
  search({ state, within = 0, name = "", related }: RuleFilter, now: number): Rule[] {
    const states = ({ expiresAt }: Rule): string[] =>
      expiresAt === null || expiresAt > now
        ? ["active", ...(expiresAt !== null && expiresAt <= now + within ? ["expiring"] : [])]
        : ["expired"];
    const fits = (bits: string, rule: Rule): boolean => {
      const inner = related === undefined ? bits : prefixBits(related);
      const isNamed = name === "" || new RegExp(name, "iu").test(rule.name ?? "");
      return (
        (bits.startsWith(inner) || inner.startsWith(bits)) &&
        isNamed &&
        (state === undefined || states(rule).includes(state))
      );
    };
    return this.#list.filter(({ bits, rule }) => fits(bits, rule)).map(({ rule }) => rule);
  }

  /** The first rule after a prefix. */
  next(prefix: Prefix | undefined): Rule | undefined {
    const last = prefix === undefined ? "" : prefixBits(prefix);
    return this.#list.find(({ bits }) => bits > last)?.rule;
  }

  nextExpiry(now: number): number | null {
    const expiries = this.#list
      .map(({ rule }) => rule.expiresAt)
      .filter((expiresAt) => expiresAt !== null && expiresAt > now);
    return expiries.sort((a, b) => a! - b!)[0] ?? null;
  }
}
