import type { Prefix } from "../address/address.ts";
import { longerExpiry, type Rule } from "./rule.ts";

/** What to do if a rule for the prefix exists already, expired or not. */
export const CONFLICT_MODES = ["extend", "override", "skip", "fail"] as const;

/** What `addRule` does if a rule for the prefix exists: one of `CONFLICT_MODES`. */
export type ConflictMode = (typeof CONFLICT_MODES)[number];

/** A rule to add. `expiresAt` is in milliseconds since 1970, null for a rule that never expires. */
export interface AddRequest {
  readonly prefix: Prefix;
  readonly name: string | null;
  readonly expiresAt: number | null;
  readonly mode: ConflictMode;
}

/**
 * The outcome of an `AddRequest`. `rule` is the rule afterwards; for `skipped` and `conflict` it is the existing one,
 * the same object.
 */
export interface Addition {
  readonly action: "created" | "updated" | "skipped" | "conflict";
  readonly rule: Rule;
}

/** The properties to change; one that is absent or undefined stays as it is. */
export interface RuleChanges {
  readonly name?: string | null | undefined;
  readonly expiresAt?: number | null | undefined;
}

/**
 * Decides what adding a rule does, `existing` being the rule of that prefix. `extend` keeps the longer expiry, gives a
 * name to a rule that has none, and skips if neither changes anything; `override` always writes, and keeps only the
 * time of creation. Pure and O(1); `now` and the expiries are milliseconds since 1970. @throws TypeError for a mode
 * that is not one of `CONFLICT_MODES`
 *
 *     const { action, rule } = addRule(index.get(prefix), { prefix, name: null, expiresAt: null, mode: "extend" }, now);
 *     if (action === "created" || action === "updated") index.set(rule);
 */
export function addRule(existing: Rule | undefined, request: AddRequest, now: number): Addition {
  const { prefix, name, expiresAt, mode } = request;
  if (existing === undefined)
    return { action: "created", rule: { prefix, name, expiresAt, createdAt: now, updatedAt: now } };
  switch (mode) {
    case "override":
      return { action: "updated", rule: { ...existing, name, expiresAt, updatedAt: now } };
    case "extend": {
      const rule = updateRule(
        existing,
        { name: existing.name ?? name, expiresAt: longerExpiry(existing.expiresAt, expiresAt) },
        now,
      );
      return { action: rule === existing ? "skipped" : "updated", rule };
    }
    case "skip":
      return { action: "skipped", rule: existing };
    case "fail":
      return { action: "conflict", rule: existing };
    default:
      throw new TypeError(
        `the conflict mode must be one of ${CONFLICT_MODES.join(", ")}, not ${JSON.stringify(mode satisfies never)}`,
      );
  }
}

/**
 * The rule with the changes; the same object if they change nothing, so that the time of update changes only if
 * something else does.
 */
export function updateRule(existing: Rule, changes: RuleChanges, now: number): Rule {
  const { name = existing.name, expiresAt = existing.expiresAt } = changes;
  if (name === existing.name && expiresAt === existing.expiresAt) return existing;
  return { ...existing, name, expiresAt, updatedAt: now };
}
