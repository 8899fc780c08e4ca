import type { DesiredRule } from "./plan-replacement.ts";
import type { Rule } from "./rule.ts";
import { type Addition, addRule, type ConflictMode } from "./write-rule.ts";

/** A rule of a list. */
export interface ListedRule extends DesiredRule {
  /**
   * If a guard has cut a wider rule, and the prefix is a part of what is left: when the part expires, and, if the list
   * names the prefix as well, when the rule that it names does. `expiresAt` is the later of both.
   */
  readonly carved?: { readonly part: number | null; readonly named?: number | null };
}

/**
 * Decides what adding a rule of a list does, as `addRule` does. The mode is for prefixes that the list names: a part of
 * a cut rule only ever extends the rule of its prefix, which covers these addresses beside the one that was cut.
 */
export function addListed(
  existing: Rule | undefined,
  { carved, ...listed }: ListedRule,
  mode: ConflictMode,
  now: number,
): Addition {
  if (carved === undefined) return addRule(existing, { ...listed, mode }, now);
  const named =
    carved.named === undefined ? undefined : addRule(existing, { ...listed, expiresAt: carved.named, mode }, now);
  if (named?.action === "conflict") return named;
  const before = named?.rule ?? existing;
  const { rule } = addRule(before, { ...listed, expiresAt: carved.part, mode: "extend" }, now);
  if (existing === undefined) return { action: "created", rule };
  return { action: rule === existing ? "skipped" : "updated", rule };
}
