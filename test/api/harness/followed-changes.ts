import assert from "node:assert/strict";

interface FollowedRule {
  readonly ip: string;
  readonly expires_at: string | null;
}

/** A change as a server writes it, with the members that are read here. */
export interface FollowedChange {
  readonly sequence: number;
  readonly at: string;
  readonly type: string;
  readonly ruleset_id?: string;
  readonly rule?: FollowedRule;
}

/**
 * The rules that a program knows from following the change feed. Fails at a change that cannot follow the previous
 * ones.
 */
export class FollowedChanges {
  readonly rulesetId: string;
  readonly #rules = new Map<string, { readonly rule: FollowedRule; isExpired: boolean }>();
  sequence: number;
  expiries = 0;

  /** `sequence`: that of the last change before the first rule. */
  constructor(rulesetId: string, sequence: number) {
    this.rulesetId = rulesetId;
    this.sequence = sequence;
  }

  apply({ sequence, at, type, ruleset_id: rulesetId, rule }: FollowedChange): void {
    assert.equal(sequence, this.sequence + 1, "a change is missing, or is there twice");
    this.sequence = sequence;
    if (rule === undefined || rulesetId !== this.rulesetId) return;
    const before = this.#rules.get(rule.ip);
    assert.equal(before === undefined, type === "rule.created", `${type} of ${rule.ip}`);
    if (type === "rule.deleted") return void this.#rules.delete(rule.ip);
    if (type !== "rule.expired") {
      const isPast = rule.expires_at !== null && rule.expires_at <= at;
      return void this.#rules.set(rule.ip, { rule, isExpired: (before?.isExpired ?? false) && isPast });
    }
    assert.deepEqual([before!.isExpired, rule], [false, before!.rule], `${rule.ip} expires twice, or as another rule`);
    assert.equal(at, rule.expires_at);
    before!.isExpired = true;
    this.expiries++;
  }

  /**
   * The rules in the order of their texts. Asserts that those that expired before `now`, and no others, have a change
   * for it.
   */
  rulesAt(now: string): string[] {
    return [...this.#rules.values()]
      .map(({ rule: { ip, expires_at: expiry }, isExpired }) => {
        assert.equal(isExpired, expiry !== null && expiry <= now, `${ip} expires at ${expiry}`);
        return `${ip} ${expiry}`;
      })
      .sort();
  }
}
