import type { RuleEvent } from "../packed-events.ts";
import type { RuleValues } from "../_rule-values.ts";

const [CREATED, UPDATED, DELETED, EXPIRED] = [0, 1, 2, 3] as const;

/** Up to when the expiries of a ruleset's rules are in the feed, and when the next one is due at the earliest. */
export interface ExpiryMarks {
  /** The expiries that are not later than this are in the feed. */
  readonly expiredUntil: number;
  nextExpiry: number | null;
  /** Whether the marks have to be written. */
  areMarksChanged: boolean;
  /** Whether the expiry of a rule is in the feed. */
  isAnnounced(rule: RuleValues): boolean;
  /** A rule with this key is written or deleted: its own expiry is not in the feed unless it is before `expiredUntil`. */
  rewrite(key: string): void;
}

/** Collects what a command does to the rules of a ruleset, for the feed. */
export class RuleEvents {
  readonly #marks: ExpiryMarks;
  readonly #at: number;
  #events: RuleEvent[] = [];

  constructor(marks: ExpiryMarks, at: number) {
    this.#marks = marks;
    this.#at = at;
  }

  get length(): number {
    return this.#events.length;
  }

  /**
   * `before` and `after` are null if there was, or is, no rule. A rule that has already expired when it is written has
   * its expiry in the feed at once.
   */
  add(before: RuleValues | null, after: RuleValues | null): void {
    const isStillExpired = before !== null && after !== null && this.#isStillExpired(before, after);
    if (before !== null) this.#marks.rewrite(before[0]);
    if (after === null) {
      if (before !== null) this.#events.push([DELETED, ...before, this.#at]);
      return;
    }
    const [key, name, expiresAt, createdAt, updatedAt] = after;
    this.#events.push([before === null ? CREATED : UPDATED, key, name, expiresAt, createdAt, updatedAt, this.#at]);
    if (expiresAt === null) return;
    const { expiredUntil, nextExpiry } = this.#marks;
    if (expiresAt > expiredUntil) {
      if (nextExpiry !== null && nextExpiry <= expiresAt) return;
      this.#marks.nextExpiry = expiresAt;
    } else if (!isStillExpired) this.#events.push(expiredEvent(after));
    this.#marks.areMarksChanged = true;
  }

  /** Whether a rule's expiry is already in the feed and the change has not made the rule active again. */
  #isStillExpired(before: RuleValues, [, , expiresAt]: RuleValues): boolean {
    return expiresAt !== null && expiresAt <= this.#at && this.#marks.isAnnounced(before);
  }

  take(): readonly RuleEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }
}

/** The event of a rule's expiry, at the time of the expiry. */
export function expiredEvent(rule: RuleValues): RuleEvent {
  return [EXPIRED, ...rule, rule[2]!];
}

/**
 * Collects the effect of restoring rules: `before`, the rules as restored; `after`, as the change to undo had left
 * them.
 */
export function addRestored(
  events: RuleEvents,
  { before, after }: { readonly before: readonly RuleValues[]; readonly after: readonly RuleValues[] },
  at: number,
): void {
  const left = new Map(after.map((row) => [row[0], row]));
  for (const row of before) {
    const [key, name, expiresAt, createdAt] = row;
    events.add(left.get(key) ?? null, [key, name, expiresAt, createdAt, at]);
    left.delete(key);
  }
  for (const row of left.values()) events.add(row, null);
}
