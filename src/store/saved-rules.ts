import type { RulesChange } from "./change.ts";
import type { State } from "./state.ts";

/** The result of `load`. */
export interface LoadedState extends State {
  /** Its last change; null if there is none, or it is no longer kept. */
  readonly mark: HistoryMark | null;
  /** What became of the saved rules passed to it, in their order. */
  readonly caughtUp: readonly CaughtUp[];
}

/** The last change of a database at some moment: only databases of the same history have it. */
export interface HistoryMark {
  readonly schema: number;
  readonly sequence: number;
  /** The random id of the transaction that wrote the change. */
  readonly transaction: string;
}

/** What is known about rules of a ruleset that were saved outside the database. */
export interface SavedRules {
  readonly rulesetId: string;
  /** The rules include all changes of the ruleset up to this one. */
  readonly sequence: number;
  /** The rules include no change after this one, which is not before `sequence`. */
  readonly mark: HistoryMark;
}

/** The changes that saved rules lack, or why they cannot be used: then the rules are read from the database. */
export type CaughtUp =
  | { readonly rulesetId: string; readonly changes: readonly RulesChange[] }
  | { readonly rulesetId: string; readonly reason: string };
