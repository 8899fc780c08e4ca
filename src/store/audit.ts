import type { Rule } from "../rulesets/rule.ts";

/** Which entries of an organisation's audit log are wanted: the newest ones, or those before an entry. */
export interface AuditQuery {
  /** Only entries with a smaller sequence. */
  readonly before?: number | undefined;
  readonly limit: number;
  /** Only those about this ruleset and its rules. */
  readonly rulesetId?: string | undefined;
  /** Only those of this actor. */
  readonly actor?: string | undefined;
}

export interface AuditPage {
  /** The newest first. Perhaps fewer than wanted, though there are more. */
  readonly entries: readonly AuditEntry[];
  /** What `before` is to be for those that follow; null: there are none. */
  readonly nextBefore: number | null;
}

/** A change, who made it by which command, and what was there before and after it. */
export interface AuditEntry {
  readonly sequence: number;
  readonly at: number;
  /** As in commands. */
  readonly actor: string;
  /** The kind of the command; of changes of before this was kept, the kind of the change. */
  readonly command: string;
  /** The kind of the change. */
  readonly kind: string;
  readonly rulesetId: string | null;
  /** How many rules it touched; null: it is about no rules, or it is not known. */
  readonly ruleCount: number | null;
  /** The rules that it touched, as they were and as they became: one that is in neither half there did not exist. Null where there are none, or too many. */
  readonly rules: { readonly before: readonly Rule[]; readonly after: readonly Rule[] } | null;
  /** What was there, of changes of other things than rules: an organisation, plan, key, user or ruleset. */
  readonly old: object | null;
  readonly new: object | null;
}
