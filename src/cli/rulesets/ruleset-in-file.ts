import { formatPrefix, parsePrefix } from "../../address/prefix.ts";
import type { CompactAnswer, ImportAnswer, Rule } from "../../client/client.ts";
import { UnexportableError } from "../../formats/format.ts";
import { ruleDocument } from "../../formats/rule-document.ts";
import { setNameOf } from "../../formats/set-name.ts";
import { exportRules, type RuleExportFormat } from "../../rulesets/export-rules.ts";
import { type Compaction, compacting } from "../../rulesets/compact.ts";
import { addListed, type ListedRule } from "../../rulesets/listed-rule.ts";
import { type DesiredRule, planReplacement, type ReplacementPlan } from "../../rulesets/plan-replacement.ts";
import { activeRules } from "../../rulesets/rule.ts";
import { desiredIn } from "../../rulesets/rule-columns.ts";
import type { Ruleset } from "../../rulesets/ruleset.ts";
import { ShrinkGuard, type ShrinkRejection } from "../../rulesets/shrink-guard.ts";
import type { ConflictMode } from "../../rulesets/write-rule.ts";
import { readPrefix } from "../../service/rules/read-address.ts";
import { type CollateralDocument, warningsIn } from "../../service/guards/collateral-documents.ts";
import { redundantDocument } from "../../service/rules/redundant-document.ts";
import { readRule } from "../../service/rules/read-rule.ts";
import { type FieldErrors, ServiceError } from "../../service/service-error.ts";
import { shrinkRejection, type ShrinkNumbers } from "../rule-lists/list-rejection.ts";
import type { FileGuard } from "./file-guard.ts";
import { checkedSetName } from "../options/prefix-formats.ts";
import { readRules } from "../rule-lists/read-rules.ts";
import { rejectedMembers } from "../rule-lists/rejected-members.ts";
import type { RuleSource, ListReading } from "../rule-lists/rule-source.ts";
import { type Changed, type OpenedRuleset, RulesetFile } from "./ruleset-file.ts";
import type {
  ChangeReport,
  Compacting,
  ListImport,
  ListReplacement,
  ReplaceReport,
  RuleChange,
  RuleExport,
  RuleResult,
  RulesetTarget,
  RulesetVersion,
} from "./ruleset-target.ts";
import { finished } from "../../turns/finished.ts";
import { UsageError } from "../runner/usage-error.ts";
import { rulesOfVersion, versionsOf } from "./versioned-file.ts";

/** A plan lists this many rules of each kind, as a server's plan does. */
const MAX_LISTED = 1000;

/** A ruleset in a file, with the same results, rejections and messages as one on a server. */
export class RulesetInFile implements RulesetTarget {
  readonly name: string;
  readonly #file: RulesetFile;
  /** How many earlier versions are kept. */
  readonly #keep: number;
  readonly #guard: FileGuard | undefined;
  /** One reading of the clock for the whole command. */
  readonly #now = Date.now();
  #opened: Promise<OpenedRuleset> | undefined;

  constructor(path: string, keep: number, guard?: FileGuard) {
    this.name = path;
    this.#guard = guard;
    this.#file = new RulesetFile(path, keep);
    this.#keep = keep;
  }

  /** The ruleset as it was when the command first read it. */
  #open(): Promise<OpenedRuleset> {
    return (this.#opened ??= this.#file.open());
  }

  async check(texts: readonly string[]): Promise<ReadonlyMap<string, readonly Rule[]>> {
    const { ruleset } = await this.#open();
    return new Map(
      texts.map((text) => [text, ruleset.checkAll(parsePrefix(text), this.#now).map((rule) => ruleDocument(rule))]),
    );
  }

  async change(changes: readonly RuleChange[]): Promise<ChangeReport> {
    const warnings = await this.#warningsOf(changes);
    const report = await this.#change<ChangeReport>((ruleset) => {
      const steps = this.#readChanges(changes, ruleset);
      const results = steps.map((step) => step());
      if (results.every(({ error }) => error === undefined)) return { result: { results } };
      const rejected = results.map((each) =>
        each.error === undefined ? { action: "not_applied", ip: each.ip } : each,
      );
      return { result: { results: rejected }, isRejected: true };
    });
    return { ...report, ...warningsIn(warnings) };
  }

  async #warningsOf(changes: readonly RuleChange[]): Promise<readonly CollateralDocument[]> {
    if (this.#guard === undefined) return [];
    const added = changes.flatMap((change) => (change.op === "add" ? [change.ip] : []));
    return this.#guard.checkPrefixes((await this.#open()).ruleset.purpose, added);
  }

  async *rules(): AsyncGenerator<Rule> {
    for (const rule of (await this.#open()).ruleset) yield ruleDocument(rule);
  }

  async import(list: RuleSource, { conflict_resolution: mode = "extend", ...how }: ListImport): Promise<ImportAnswer> {
    const { rules, ...leftOut } = await this.#read(list, how);
    return this.#change((ruleset) => {
      const done = { created: 0, updated: 0, skipped: 0 };
      for (const listed of rules) {
        const { prefix } = listed;
        const { action, rule } = addListed(ruleset.get(prefix), listed, mode, this.#now);
        if (action === "conflict")
          throw new UsageError(`${this.name}: ${conflictText(formatPrefix(prefix))}, so nothing was written`);
        if (action !== "skipped")
          ruleset.add(prefix, { name: rule.name, expiresAt: rule.expiresAt, mode: "override" }, this.#now);
        done[action]++;
      }
      return { result: { ...done, ...leftOut, can_undo: this.#keep > 0 } };
    });
  }

  async replace(list: RuleSource, how: ListReplacement, tag?: string): Promise<ReplaceReport> {
    const { rules, ...leftOut } = await this.#read(list, how);
    const isDry = how.dry_run === true;
    const plan = (ruleset: Ruleset): Changed<ReplaceReport> => {
      const planned = planReplacement(ruleset, rules, this.#now);
      const rejection = rejectionOf(planned, how);
      const report = { ...countsOf(planned), ...leftOut, can_undo: this.#keep > 0, dry_run: isDry };
      if (isDry)
        return { result: { ...report, refusal: rejection ?? null, plan: planDocument(planned) }, isRejected: true };
      if (rejection !== undefined) throw shrinkRejection(list.name, rejection);
      applyPlan(planned, ruleset, this.#now);
      return { result: report };
    };
    if (!isDry) return this.#change(plan, tag);
    return plan((await this.#open()).ruleset).result;
  }

  async compact({ ignore_names: ignoreNames, dry_run: isDry }: Compacting, tag: string): Promise<CompactAnswer> {
    const plan = (ruleset: Ruleset): Changed<CompactAnswer> => {
      const { rules, ...found } = finished(compacting(ruleset, this.#now, { ignoreNames, maxListed: MAX_LISTED }));
      const desired = rules.flatMap((part) => [...desiredIn(part)]);
      const planned = planReplacement(ruleset, desired, this.#now);
      const { superfluous, superfluousForNow: superfluous_for_now, united } = found;
      const counts = { ...countsOf(planned), superfluous, superfluous_for_now, united };
      const report = { ...counts, can_undo: this.#keep > 0, dry_run: isDry };
      if (isDry) return { result: { ...report, plan: compactDocument(planned, found) }, isRejected: true };
      applyPlan(planned, ruleset, this.#now);
      return { result: report };
    };
    return isDry ? plan((await this.#open()).ruleset).result : this.#change(plan, tag);
  }

  versions(): Promise<readonly RulesetVersion[]> {
    return versionsOf(this.name);
  }

  rulesOf(version: number): Promise<() => RuleSource> {
    return rulesOfVersion(this.name, version);
  }

  async tag(): Promise<string> {
    return (await this.#open()).generation;
  }

  async export({ format, activeOnly, setName }: RuleExport): Promise<AsyncIterable<Uint8Array>> {
    checkedSetName(setName, format);
    const { ruleset } = await this.#open();
    const rules = activeOnly ? activeRules(ruleset, this.#now) : ruleset;
    const { name, purpose } = ruleset;
    const options = { setName: setName ?? setNameOf(name, name), purpose, now: this.#now };
    return encoded(withUsageError(exportRules(rules, format, options), format));
  }

  async #read(
    list: RuleSource,
    how: ListReading,
  ): Promise<
    { readonly rules: readonly ListedRule[] } & Pick<
      ImportAnswer,
      "repeated" | "invalid" | "invalid_lines" | "warnings"
    >
  > {
    const { allowSpecialPurpose, purpose } = (await this.#open()).ruleset;
    const read = await readRules(list, how, { now: this.#now, allowSpecialPurpose });
    const { rules, invalid, invalidLines, repeated } = read;
    const guarded = await this.#guard?.checkList(purpose, rules);
    return {
      rules: (guarded?.rules ?? rules).flatMap((part) => [...desiredIn(part)]),
      ...warningsIn(guarded?.warnings ?? []),
      ...(repeated > 0 && { repeated }),
      ...(how.skip_invalid === true && { invalid, invalid_lines: [...invalidLines] }),
    };
  }

  async #change<Result>(change: (ruleset: Ruleset) => Changed<Result>, tag?: string): Promise<Result> {
    const result = await this.#file.change(change, tag);
    this.#opened = undefined;
    return result;
  }

  /** Reads all changes before any is made. Throws UsageError. */
  #readChanges(changes: readonly RuleChange[], ruleset: Ruleset): (() => RuleResult)[] {
    const errors: [string, FieldErrors[string]][] = [];
    const steps = changes.flatMap((change, at) => {
      try {
        return [this.#readChange(change, ruleset)];
      } catch (error) {
        if (!(error instanceof ServiceError) || error.fields === undefined) throw error;
        for (const [field, messages] of Object.entries(error.fields)) errors.push([`items[${at}].${field}`, messages]);
        return [];
      }
    });
    const rejection = rejectedMembers(errors);
    if (rejection !== undefined) throw rejection;
    return steps;
  }

  #readChange(change: RuleChange, ruleset: Ruleset): () => RuleResult {
    if (change.op === "delete") {
      const prefix = readPrefix(change.ip);
      return () => ({ action: ruleset.delete(prefix) ? "deleted" : "absent", ip: formatPrefix(prefix) });
    }
    const { allowSpecialPurpose } = ruleset;
    const { op: _op, mode: conflict_resolution, ...fields } = change;
    const { prefix, mode, name, expiresAt } = readRule(
      { ...fields, conflict_resolution },
      { now: this.#now, allowSpecialPurpose },
    );
    return () => this.#add(ruleset, { prefix, name, expiresAt }, mode);
  }

  #add(ruleset: Ruleset, { prefix, name, expiresAt }: DesiredRule, mode: ConflictMode): RuleResult {
    const { action, rule } = ruleset.add(prefix, { name, expiresAt, mode }, this.#now);
    const ip = formatPrefix(prefix);
    const result = { action, ip, rule: ruleDocument(rule) };
    return action === "conflict" ? { ...result, error: conflictText(ip) } : result;
  }
}

function conflictText(ip: string): string {
  return `a rule for ${ip} already exists`;
}

function countsOf({ added, updated, removed, unchanged }: ReplacementPlan) {
  return { added: added.length, updated: updated.length, removed: removed.length, unchanged };
}

function rejectionOf(
  plan: ReplacementPlan,
  { allow_empty: allowEmpty, max_shrink: maxShrink }: ListReplacement,
): ShrinkNumbers | undefined {
  const counts = countsOf(plan);
  const { added, updated, removed, unchanged } = counts;
  const guard = new ShrinkGuard(removed + updated + unchanged, added + updated + unchanged, { allowEmpty, maxShrink });
  const rejection = guard.rejectionOf(counts);
  return rejection && numbersOf(rejection);
}

function numbersOf({
  totalRules,
  removedPercent,
  maxShrink,
  added,
  updated,
  removed,
  unchanged,
}: ShrinkRejection): ShrinkNumbers {
  return {
    added,
    updated,
    removed,
    unchanged,
    total_rules: totalRules,
    removed_percent: removedPercent,
    max_shrink: maxShrink,
  };
}

function planDocument({ added, updated, removed }: ReplacementPlan): NonNullable<ReplaceReport["plan"]> {
  const first = <Item>(items: readonly Item[]): readonly Item[] => items.slice(0, MAX_LISTED);
  return {
    added: first(added).map(ruleDocument),
    updated: first(updated).map(({ before, after }) => ({ before: ruleDocument(before), after: ruleDocument(after) })),
    removed: first(removed).map(ruleDocument),
    truncated: Math.max(added.length, updated.length, removed.length) > MAX_LISTED,
  };
}

function compactDocument(
  planned: ReplacementPlan,
  { superfluous, superfluousForNow, redundant }: Omit<Compaction, "rules">,
): NonNullable<CompactAnswer["plan"]> {
  const plan = planDocument(planned);
  return {
    ...plan,
    redundant: redundant.map(redundantDocument),
    truncated: plan.truncated || superfluous + superfluousForNow > redundant.length,
  };
}

function applyPlan({ added, updated, removed }: ReplacementPlan, ruleset: Ruleset, now: number): void {
  for (const { prefix } of removed) ruleset.delete(prefix);
  for (const { prefix, name, expiresAt } of [...updated.map(({ after }) => after), ...added])
    ruleset.add(prefix, { name, expiresAt, mode: "override" }, now);
}

async function* encoded(parts: Iterable<string | Uint8Array>): AsyncGenerator<Uint8Array> {
  for (const part of parts) if (part !== "") yield typeof part === "string" ? Buffer.from(part) : part;
}

/** @throws UsageError if the format cannot express the ruleset's purpose */
function* withUsageError<Part>(chunks: Iterable<Part>, format: RuleExportFormat): Generator<Part> {
  try {
    yield* chunks;
  } catch (error) {
    throw error instanceof UnexportableError ? new UsageError(`--format ${format}: ${error.message}`) : error;
  }
}
