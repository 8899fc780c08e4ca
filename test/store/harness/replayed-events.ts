import assert from "node:assert/strict";
import { formatPrefix } from "../../../src/address/prefix.ts";
import type { Rule } from "../../../src/rulesets/rule.ts";
import type { Event } from "../../../src/store/event.ts";
import { eventsOf } from "../../../src/store/packed-events.ts";
import type { Store } from "../../../src/store/store.ts";

interface ReplayedRule {
  readonly rule: Rule;
  isExpired: boolean;
}

/**
 * What a reader of a feed knows: the rules by ruleset and prefix. Fails at an event that cannot follow the ones before
 * it.
 */
export class ReplayedEvents {
  sequence = 0;
  /** The latest clock so far of those who write: no later expiry may be announced. */
  clock = Number.POSITIVE_INFINITY;
  readonly rulesets = new Map<string, Map<string, ReplayedRule>>();
  readonly counts = new Map<string, number>();

  apply(event: Event): void {
    assert.equal(event.sequence, this.sequence + 1, "an event is missing, or is there twice");
    this.sequence = event.sequence;
    this.counts.set(event.type, (this.counts.get(event.type) ?? 0) + 1);
    if ("rule" in event) this.#applyRule(event);
    else if (event.type === "ruleset.created") {
      assert.ok(!this.rulesets.has(event.ruleset.id));
      this.rulesets.set(event.ruleset.id, new Map());
    } else if (event.type === "ruleset.deleted") assert.ok(this.rulesets.delete(event.ruleset.id));
  }

  /** Reads the feed to its end, `limit` events at a time. */
  async read(store: Store, organisationId: string, limit: number): Promise<void> {
    for (;;) {
      const before = this.sequence;
      const { sequence, rows } = await store.read("events", organisationId, before, limit);
      for (const row of rows)
        for (const event of eventsOf(row, before)) if (event.sequence <= before + limit) this.apply(event);
      if (this.sequence === sequence) return;
      assert.ok(this.sequence > before, `nothing after ${before} of ${sequence}`);
    }
  }

  /**
   * The rules by ruleset, in prefix order; asserts that those that have expired by `now`, and no others, have an expiry
   * event.
   */
  rulesAt(now: number): Map<string, Rule[]> {
    const found = new Map<string, Rule[]>();
    for (const [id, rules] of this.rulesets) {
      for (const [prefix, { rule, isExpired }] of rules)
        assert.equal(
          isExpired,
          rule.expiresAt !== null && rule.expiresAt <= now,
          `${prefix} expires at ${rule.expiresAt}`,
        );
      if (rules.size > 0)
        found.set(
          id,
          [...rules.values()].map(({ rule }) => rule),
        );
    }
    return found;
  }

  #applyRule({ type, rulesetId, rule, at }: Extract<Event, { rule: Rule }>): void {
    const rules = this.rulesets.get(rulesetId);
    assert.ok(rules !== undefined, `${type} of an unknown ruleset`);
    const prefix = formatPrefix(rule.prefix);
    const before = rules.get(prefix);
    assert.equal(before === undefined, type === "rule.created", `${type} of ${prefix}`);
    if (type === "rule.deleted" || type === "rule.expired") assert.deepEqual(rule, before!.rule);
    if (type === "rule.deleted") return void rules.delete(prefix);
    if (type !== "rule.expired") {
      assert.equal(rule.updatedAt, at);
      return void rules.set(prefix, { rule, isExpired: (before?.isExpired ?? false) && isPast(rule, at) });
    }
    assert.equal(at, rule.expiresAt);
    assert.ok(!before!.isExpired, `${prefix} expires twice`);
    assert.ok(at <= this.clock, `${prefix} expires at ${at}, and it is ${this.clock}`);
    before!.isExpired = true;
  }
}

function isPast({ expiresAt }: Rule, at: number): boolean {
  return expiresAt !== null && expiresAt <= at;
}
