import type { Prefix } from "../address/address.ts";
import type { Rule } from "../rulesets/rule.ts";

/** Of the rules that a change touched, so many are shown. */
export const MAX_SHOWN_RULES = 100;

/** Which entries of an organisation's audit log to read: the newest ones, or those before an entry. */
export interface AuditQuery {
  /** Only entries with a smaller sequence. */
  readonly before?: number | undefined;
  readonly limit: number;
  /** Only those about this ruleset and its rules. */
  readonly rulesetId?: string | undefined;
  /** Only those of this actor; `command:*`: those of anyone at the command line. */
  readonly actor?: string | undefined;
  /** Only those of this kind of command. */
  readonly command?: string | undefined;
  /** Only those at this time and later. */
  readonly from?: number | undefined;
  /** Only those before this time. */
  readonly until?: number | undefined;
  /** Without what was there and what is there, and without rules. */
  readonly isBrief?: boolean;
}

export interface AuditPage {
  /** The newest first. Perhaps fewer than asked for, though there are more. */
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
  /** What it did to which rules; null: it is about none, they were not kept, or, in a page, they are too many. */
  readonly rules: ChangedRules | null;
  /** Whether the rules as they were are kept, so that it can be taken back. */
  readonly isKept: boolean;
  /**
   * Of a list that was imported, or replaced a ruleset: rules that are as they were, and the SHA-256 of what was sent;
   * null: of no list, or it is not known.
   */
  readonly list: { readonly skipped: number; readonly digest: string | null } | null;
  /** What was there, of changes of other things than rules: an organisation, plan, key, user, ruleset or dataset. */
  readonly old: object | null;
  readonly new: object | null;
}

/** What a change did to rules. */
export interface ChangedRules {
  readonly added: Tally;
  readonly changed: Tally;
  readonly deleted: Tally;
  /** The first of them as they were, and as they became. */
  readonly before: readonly Rule[];
  readonly after: readonly Rule[];
  /** How many there are in all. */
  readonly beforeCount: number;
  readonly afterCount: number;
}

/** How many rules, and where it is one, which. */
export interface Tally {
  readonly count: number;
  readonly only: Prefix | null;
}
