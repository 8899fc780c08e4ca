import type { Transaction } from "kysely";
import type { RulesetDraft } from "../../decide/_ruleset-draft.ts";
import type { StoreLimits } from "../../store-options.ts";
import type { Engine } from "../_engine.ts";
import type { Tables } from "../_tables.ts";

/** The transaction of a group of commands, and what it has locked. */
export interface Group {
  readonly engine: Engine;
  readonly within: Transaction<Tables>;
  readonly limits: StoreLimits;
  /** The ruleset, locked. Throws StoreError (`ruleset-not-found`), also for another organisation's. */
  ruleset(command: { readonly organisationId: string; readonly rulesetId: string }): RulesetDraft;
  /** Adds a ruleset that a command has created, with rules that may expire. */
  add(draft: RulesetDraft): void;
}
