import type { Prefix } from "../../address/address.ts";
import { comparePrefixes } from "../../address/prefix.ts";
import { isActive, type Rule } from "../../rulesets/rule.ts";
import { RuleIndex } from "../../rulesets/index/rule-index.ts";
import type { Store } from "../../store/store.ts";
import type { RulesetVersion } from "../../store/records/versions.ts";
import { Slice } from "../../turns/in-slices.ts";
import { copyOf } from "../store/copied-rules.ts";
import type { LiveRuleset } from "../store/service-memory.ts";

/** The versions of a ruleset that can be read, newest first; the first one is the ruleset as it is. */
export async function readableVersions(
  store: Pick<Store, "read">,
  { about: { organisationId, id, version: current } }: LiveRuleset,
): Promise<readonly RulesetVersion[]> {
  const versions = await store.read("rulesetVersions", organisationId, id);
  // Another server may have written what this one has not read yet.
  return versions.filter(({ version }) => version <= current);
}

/** The rules of a ruleset as a change had left them. */
export interface EarlierRules {
  /** By prefix; those that are active at a time, if there is one. */
  rules(now?: number): Generator<Rule>;
}

/**
 * The rules of an earlier version; undefined if it cannot be read. They are the current rules, except for those that
 * later changes touched: these are as the first such change found them. What is written in the meantime is included,
 * because the changes are read after the copy was made. O(rules), in slices.
 */
export async function earlierRules(
  store: Pick<Store, "read">,
  ruleset: LiveRuleset,
  version: number,
): Promise<EarlierRules | undefined> {
  if (version > ruleset.about.version) return undefined;
  const now = await copyOf(ruleset.rules);
  const { organisationId, id } = ruleset.about;
  const versions = await store.read("rulesetVersions", organisationId, id);
  if (!versions.some((one) => one.version === version)) return undefined;
  const touched = new TouchedSince();
  const later = versions.filter((one) => one.version > version && one.changedRules > 0).reverse();
  for (const change of later) if (!(await touched.read(store, organisationId, change.version))) return undefined;
  return { rules: (at) => touched.before(now, at) };
}

/** The rules that a series of changes touched, each as the first of these changes found it. */
class TouchedSince {
  readonly #were = new RuleIndex();
  /** Prefixes that had no rule then, in the form of rules. */
  readonly #absent = new RuleIndex();
  readonly #slice = new Slice();

  /** Whether everything that the change touched is kept. */
  async read(store: Pick<Store, "read">, organisationId: string, sequence: number): Promise<boolean> {
    const there: (readonly Prefix[])[] = [];
    for (let part = 0, parts = 1; part < parts; part++) {
      const touched = await store.read("touchedRules", organisationId, sequence, part);
      if (touched === null) return false;
      ({ parts } = touched);
      there.push(touched.after);
      for (const rule of touched.before) {
        await this.#slice.pause();
        if (!this.#has(rule.prefix)) this.#were.set(rule);
      }
    }
    // Rules that exist after the change, and that no part lists before it, did not exist.
    for (const prefix of there.flat()) {
      await this.#slice.pause();
      if (!this.#has(prefix)) this.#absent.set(noRule(prefix));
    }
    return true;
  }

  /** The rules before the changes, given those after them. */
  *before(after: RuleIndex, now: number | undefined): Generator<Rule> {
    const were = this.#were.rules();
    let next = were.next();
    for (const rule of after.rules()) {
      if (this.#has(rule.prefix)) continue;
      for (; next.value !== undefined && comparePrefixes(next.value.prefix, rule.prefix) < 0; next = were.next())
        if (isListed(next.value, now)) yield next.value;
      if (isListed(rule, now)) yield rule;
    }
    for (; next.value !== undefined; next = were.next()) if (isListed(next.value, now)) yield next.value;
  }

  #has(prefix: Prefix): boolean {
    return this.#were.get(prefix) !== undefined || this.#absent.get(prefix) !== undefined;
  }
}

function noRule(prefix: Prefix): Rule {
  return { prefix, name: null, expiresAt: null, createdAt: 0, updatedAt: 0 };
}

function isListed(rule: Rule, now: number | undefined): boolean {
  return now === undefined || isActive(rule, now);
}
