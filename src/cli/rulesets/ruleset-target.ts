import type { Collateral, CompactAnswer, ImportAnswer, ReplaceAnswer, Rule } from "../../client/client.ts";
import type { RuleExportFormat } from "../../rulesets/export-rules.ts";
import type { ConflictMode } from "../../rulesets/write-rule.ts";
import type { ShrinkNumbers } from "../rule-lists/list-rejection.ts";
import type { ListReading, RuleFields, RuleSource } from "../rule-lists/rule-source.ts";

/** A change of one rule. */
export type RuleChange =
  | { readonly op: "delete"; readonly ip: string }
  | ({ readonly op: "add"; readonly ip: string; readonly mode?: ConflictMode } & RuleFields);

/** The result of a change, as `rules:batch` of the service reports it. */
export interface RuleResult {
  readonly action: string;
  /** The canonical prefix. */
  readonly ip: string;
  readonly rule?: Rule;
  /** Why it was rejected. */
  readonly error?: string;
}

/** What several changes did, in the same order. */
export interface ChangeReport {
  readonly results: readonly RuleResult[];
  /** What the rules block but should not. */
  readonly warnings?: readonly Pick<Collateral, "detail">[];
}

export interface ListImport extends ListReading {
  readonly conflict_resolution?: ConflictMode;
}

export interface ListReplacement extends ListReading {
  /** Report what would change, and change nothing. */
  readonly dry_run?: boolean;
  readonly allow_empty?: boolean;
  readonly max_shrink?: number;
}

/** What a replacement did or, in a dry run, would do. */
export type ReplaceReport = Omit<ReplaceAnswer, "refusal"> & {
  /** In a dry run: why it would be rejected. */
  readonly refusal?: ShrinkNumbers | null;
};

/** How a ruleset is compacted. */
export interface Compacting {
  /** Unite rules with different names too. */
  readonly ignore_names: boolean;
  /** Report what would change, and change nothing. */
  readonly dry_run: boolean;
}

export interface RuleExport {
  readonly format: RuleExportFormat;
  readonly activeOnly: boolean;
  /** Of firewalls; made from the ruleset's name unless given. */
  readonly setName: string | undefined;
}

/** A version of a ruleset that can be restored. */
export interface RulesetVersion {
  readonly version: number;
  /** When it was made, or saved. */
  readonly at: string;
  /** Of a file: how many rules it has. */
  readonly rules?: number;
  /** On a server: the kind of the change that made it, and how many rules that touched. */
  readonly change?: string;
  readonly changedRules?: number;
}

/**
 * A ruleset as the commands see it, on a server or in a file. All methods throw UsageError if the target rejects a
 * request.
 */
export interface RulesetTarget {
  /** As messages name it. */
  readonly name: string;
  /** For each of the given addresses and prefixes, the active rules that cover all of it, the most specific first. */
  check(texts: readonly string[]): Promise<ReadonlyMap<string, readonly Rule[]>>;
  /** Makes all of the changes, or none if one is rejected; the results are in the same order. */
  change(changes: readonly RuleChange[]): Promise<ChangeReport>;
  /** All rules by address, expired ones too. */
  rules(): AsyncIterable<Rule>;
  /** Adds the rules of a list, all or none. */
  import(list: RuleSource, how: ListImport): Promise<ImportAnswer>;
  /** Replaces the rules with those of a list, all or none; with `tag` only if the ruleset still has this tag. */
  replace(list: RuleSource, how: ListReplacement, tag?: string): Promise<ReplaceReport>;
  /** Replaces the rules with fewer ones for the same addresses; with `tag` only if the ruleset still has this tag. */
  compact(how: Compacting, tag: string): Promise<CompactAnswer>;
  /** The versions that are kept, newest first; the first one is the ruleset as it is. */
  versions(): Promise<readonly RulesetVersion[]>;
  /** The rules of an earlier version, as a list that can be read again and again. */
  rulesOf(version: number): Promise<() => RuleSource>;
  /** A text that is different after every change. */
  tag(): Promise<string>;
  /** The file of the rules in a format. */
  export(how: RuleExport): Promise<AsyncIterable<Uint8Array>>;
}
