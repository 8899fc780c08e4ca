import { type RuleDocument, ruleDocument } from "../../formats/rule-document.ts";
import type { RedundantRule } from "../../rulesets/compact.ts";

/** A redundant rule as JSON. */
export interface RedundantDocument {
  readonly rule: RuleDocument;
  readonly covered_by: RuleDocument;
  /** When `covered_by` expires; null: never. */
  readonly until: string | null;
  readonly removed: boolean;
}

export function redundantDocument({ rule, coveredBy, isSuperfluous }: RedundantRule): RedundantDocument {
  const covering = ruleDocument(coveredBy);
  return { rule: ruleDocument(rule), covered_by: covering, until: covering.expires_at, removed: isSuperfluous };
}
