import type { Prefix } from "../../address/address.ts";
import { formatPrefix } from "../../address/prefix.ts";
import type { Rule } from "../../rulesets/rule.ts";
import type { Decision } from "./_decision.ts";
import { checkMatch } from "./_match.ts";
import { RuleEdit } from "./_rule-edit.ts";
import { maxRulesText } from "./_rule-limits.ts";
import type { RulesetDraft } from "./_ruleset-draft.ts";
import { ruleTag } from "../if-match.ts";
import type {
  AddRuleCommand,
  BatchItem,
  BatchResult,
  BatchRulesCommand,
  Command,
  DeleteRuleCommand,
  UpdateRuleCommand,
} from "../command.ts";
import { StoreError } from "../store-error.ts";

export type RuleCommand = AddRuleCommand | UpdateRuleCommand | DeleteRuleCommand | BatchRulesCommand;

/** The prefixes whose rules are needed to decide the command. */
export function prefixesOf(command: Command): Prefix[] {
  switch (command.kind) {
    case "add-rule":
      return [command.request.prefix];
    case "update-rule":
    case "delete-rule":
      return [command.prefix];
    case "batch-rules":
      return command.items.map(prefixOfItem);
    default:
      return [];
  }
}

/** Items of a batch that are decided between two interruptions: a millisecond or two. */
const STEP = 500;

/**
 * `draft`: the ruleset after the earlier commands of the group; `maxRules`: how many it may hold. It can be interrupted
 * after some items of a batch.
 */
export function* decideRules(
  command: RuleCommand,
  draft: RulesetDraft,
  maxRules: number,
): Generator<undefined, Decision, undefined> {
  const edit = new RuleEdit(draft, maxRules, command.at);
  checkMatch(draft.ruleset, command.ifMatch, ruleBefore(edit, command));
  const outcome =
    command.kind === "batch-rules" ? { results: yield* runBatch(edit, command, maxRules) } : edited(edit, command);
  const recorded = yield* edit.keep();
  return { outcome, changes: recorded === null ? [] : [recorded] };
}

/** The current rule that the command is about. Throws StoreError (`rule-not-found`, `rule-exists`). */
function ruleBefore(edit: RuleEdit, command: RuleCommand): Rule | null {
  if (command.kind === "batch-rules") return null;
  if (command.kind !== "add-rule") return edit.existing(command.prefix);
  const rule = edit.get(command.request.prefix);
  if (rule !== null && (command.ifNoneMatch === "*" || command.ifNoneMatch?.includes(ruleTag(rule))))
    throw new StoreError("rule-exists", `a rule for ${formatPrefix(rule.prefix)} already exists`, { existing: rule });
  return rule;
}

function edited(edit: RuleEdit, command: Exclude<RuleCommand, BatchRulesCommand>): Decision["outcome"] {
  switch (command.kind) {
    case "add-rule": {
      const addition = edit.add(command.request);
      if (addition.action !== "conflict") return addition;
      throw new StoreError("conflict", `a rule for ${formatPrefix(addition.rule.prefix)} already exists`, {
        existing: addition.rule,
      });
    }
    case "update-rule":
      return { rule: edit.update(command.prefix, command.changes) };
    case "delete-rule":
      edit.delete(command.prefix);
      return {};
  }
}

function* runBatch(
  edit: RuleEdit,
  { items, atomic }: BatchRulesCommand,
  maxRules: number,
): Generator<undefined, BatchResult[], undefined> {
  const results: BatchResult[] = [];
  for (const item of items) {
    results.push(withReason(runItem(edit, item), item, maxRules));
    if (results.length % STEP === 0) yield;
  }
  const failed = results.find(({ error }) => error !== undefined);
  if (!atomic || failed === undefined) return results;
  const whatHappened = results.map((result, at): BatchResult =>
    result.error === undefined ? { action: "not_applied", prefix: prefixOfItem(items[at]!) } : result,
  );
  throw new StoreError("batch-refused", `${failed.error!}, so nothing was written`, { results: whatHappened });
}

/** The result with the reason why the item fails, if it does. */
function withReason(result: BatchResult, item: BatchItem, maxRules: number): BatchResult {
  const { action } = result;
  const isFailure =
    action === "conflict" ||
    action === "too_many_rules" ||
    (action === "absent" && "delete" in item && item.mustExist === true);
  return isFailure ? { ...result, error: reasonOf(result, maxRules) } : result;
}

/** Why a rule cannot be added or deleted, as a sentence. */
export function reasonOf(result: BatchResult, maxRules: number): string {
  if ("rule" in result) return `a rule for ${formatPrefix(result.rule.prefix)} already exists`;
  const prefix = formatPrefix(result.prefix);
  return result.action === "absent"
    ? `there is no rule for ${prefix} to delete`
    : `cannot add ${prefix}: ${maxRulesText(maxRules)}`;
}

function runItem(edit: RuleEdit, item: BatchItem): BatchResult {
  if ("delete" in item && edit.get(item.delete) === null) return { action: "absent", prefix: item.delete };
  try {
    if ("add" in item) return edit.add(item.add);
    edit.delete(item.delete);
    return { action: "deleted", prefix: item.delete };
  } catch (error) {
    if (error instanceof StoreError && error.code === "too-many-rules")
      return { action: "too_many_rules", prefix: prefixOfItem(item) };
    throw error;
  }
}

function prefixOfItem(item: BatchItem): Prefix {
  return "add" in item ? item.add.prefix : item.delete;
}
