import type { Prefix } from "../../address/address.ts";
import type { Rule } from "../../rulesets/rule.ts";

/** Maximum rules shown of those that a change touched. */
export const MAX_SHOWN_RULES = 100;

/** Which entries of an organisation's audit log to read: the newest ones, or those before an entry. */
export interface AuditQuery {
  /** Only entries with a smaller sequence. */
  readonly before?: number | undefined;
  readonly limit: number;
  /** Only entries about this ruleset and its rules. */
  readonly rulesetId?: string | undefined;
  /** Only entries by this actor; `command:*`: by any account on the command line. */
  readonly actor?: string | undefined;
  /** Only entries of this kind of command. */
  readonly command?: string | undefined;
  /** Only entries from this time on. */
  readonly from?: number | undefined;
  /** Only entries before this time. */
  readonly until?: number | undefined;
  /** Without the previous and the new state, and without rules. */
  readonly isBrief?: boolean;
}

export interface AuditPage {
  /** Newest first. There may be fewer than requested although more exist. */
  readonly entries: readonly AuditEntry[];
  /** The value of `before` for the next page; null: there is none. */
  readonly nextBefore: number | null;
}

/** A change, who made it by which command, and the state before and after it. */
export interface AuditEntry {
  readonly sequence: number;
  readonly at: number;
  /** As in commands. */
  readonly actor: string;
  /** The kind of the command; for changes from before this was stored, the kind of the change. */
  readonly command: string;
  /** The kind of the change. */
  readonly kind: string;
  readonly rulesetId: string | null;
  /** How many rules it touched; null: it is not about rules, or the number is unknown. */
  readonly ruleCount: number | null;
  /** What it did to which rules; null: it is not about rules, they were not kept, or there are too many for a page. */
  readonly rules: ChangedRules | null;
  /** Whether the previous rules are kept, so that it can be undone. */
  readonly isKept: boolean;
  /**
   * For a list that was imported or replaced a ruleset: the number of unchanged rules, and the SHA-256 of what was
   * sent; null: not a list, or unknown.
   */
  readonly list: { readonly skipped: number; readonly digest: string | null } | null;
  /**
   * The previous state, for changes of anything other than rules: an organisation, plan, key, user, ruleset or dataset.
   */
  readonly old: object | null;
  readonly new: object | null;
}

/** Rules of a ruleset that were written at one time, which is their creation time or that of their last update. */
export interface RuleWrite {
  readonly rulesetId: string;
  readonly at: number;
}

/** What a change did to rules. */
export interface ChangedRules {
  readonly added: Tally;
  readonly changed: Tally;
  readonly deleted: Tally;
  /** The first of them, before and after. */
  readonly before: readonly Rule[];
  readonly after: readonly Rule[];
  /** How many there are in all. */
  readonly beforeCount: number;
  readonly afterCount: number;
}

/** The number of rules and, if there is only one, its prefix. */
export interface Tally {
  readonly count: number;
  readonly only: Prefix | null;
}
