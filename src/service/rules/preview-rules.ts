import { formatPrefix } from "../../address/prefix.ts";
import { type ImportFormat, type ImportOptions, RuleImport } from "../../rulesets/importers/import-rules.ts";
import { errorText } from "../../rulesets/importers/imported-rule.ts";
import type { DesiredRule } from "../../rulesets/plan-replacement.ts";
import { FirstLines } from "../../rulesets/first-lines.ts";
import type { Rule } from "../../rulesets/rule.ts";
import { desiredIn } from "../../rulesets/rule-columns.ts";
import type { ListedColumns } from "../../rulesets/rule-list.ts";
import { addRule, type Addition, type ConflictMode } from "../../rulesets/write-rule.ts";
import { keptLength, MAX_KEPT } from "../../store/kept-length.ts";
import { RULES_SETTING } from "../../store/records/limit-settings.ts";
import { atOneVersion } from "./at-one-version.ts";
import type { ReadingOptions } from "./read-rule.ts";
import type { LiveRuleset } from "../store/service-memory.ts";
import {
  type ListedMember,
  MAX_UNREADABLE,
  readMembers,
  readText,
  textOf,
  tooManyUnreadable,
} from "./desired-rules.ts";

/** Maximum lines reported: those with errors first, since they have to be corrected. */
const MAX_LINES = 10_000;
/** Rules decided before the clock is checked again: some hundred microseconds. */
const STEP = 256;

export type Verdict = Addition["action"] | "error";

export interface PreviewLine {
  /** Counted from 1; in a JSON document, the position of the rule. */
  readonly line: number;
  /** The canonical prefix, or the text in its place. */
  readonly ip: string;
  readonly verdict: Verdict;
  /** With `error`: what is wrong and how to fix it. */
  readonly message?: string;
  /** The existing rule, and the rule as it would be. */
  readonly before?: Rule;
  readonly after?: Rule;
}

/** A list of rules: what can be read of it, in the order of prefixes, and the lines with errors. */
export interface PreviewedList {
  readonly parts: readonly ListedColumns[];
  readonly rejected: readonly PreviewLine[];
  readonly rejectedCount: number;
  /** How many lines repeat another, with the same name and expiry; they are not reported. */
  readonly repeated: number;
  /** The error that ended the reading. */
  readonly rejection?: string;
  /** Whether all of it was read: reading ends if there is too much, or if there are too many errors. */
  readonly isWhole: boolean;
}

export interface Preview {
  readonly version: number;
  readonly counts: Readonly<Record<Verdict, number>>;
  /** In the order of lines. */
  readonly lines: readonly PreviewLine[];
  /** Whether there are more lines than `lines` holds. */
  readonly truncated: boolean;
  /** Why the import is rejected even without the lines that have errors; null if it is not, unless lines conflict. */
  readonly skip_refusal: string | null;
  /** Whether the rules that it touches are kept, so that the import can be undone. */
  readonly can_undo: boolean;
}

/** Reads a file as an import does, but to its end. */
export async function readListToEnd(
  text: AsyncIterable<string>,
  format: ImportFormat,
  options: Pick<ImportOptions, "allowSpecialPurpose" | "maxRules" | "defaults">,
): Promise<PreviewedList> {
  const file = new RuleImport(format, {
    ...options,
    setting: RULES_SETTING,
    skipInvalid: true,
    maxSkipped: MAX_LINES,
  });
  const { parts, errors, skipped, isWhole, repeated } = await readText(file, text);
  const rejected = skipped.lines.map(({ line, value, reason }): PreviewLine => ({
    line,
    ip: value,
    verdict: "error",
    message: reason,
  }));
  const last = errors.map((error): PreviewLine => ({
    line: error.line,
    ip: error.value,
    verdict: "error",
    message: errorText(error),
  }));
  const rejection = last.map(({ line, message }) => `line ${line}: ${message}`)[0];
  return {
    parts,
    rejected: [...rejected, ...last],
    rejectedCount: skipped.count + errors.length,
    repeated,
    isWhole,
    ...(rejection === undefined ? {} : { rejection }),
  };
}

/** Reads the rules of a JSON document. */
export async function readRulesToEnd(
  members: AsyncIterable<readonly ListedMember[]>,
  options: ReadingOptions,
): Promise<PreviewedList> {
  const { parts, rejected, rejectedCount, isWhole, repeated } = await readMembers(members, options, {
    maxUnreadable: MAX_UNREADABLE,
    maxReported: MAX_LINES,
  });
  const lines = rejected.map(({ line, ip, errors }): PreviewLine => ({
    line: line + 1,
    ip,
    verdict: "error",
    message: textOf(errors),
  }));
  return {
    parts: parts.map((part) => ({ ...part, lines: part.lines.map((index) => index + 1) })),
    rejected: lines,
    rejectedCount,
    repeated,
    isWhole,
    ...(isWhole ? {} : { rejection: tooManyUnreadable() }),
  };
}

export interface PreviewOptions {
  readonly mode: ConflictMode;
  readonly now: number;
  /** The rules of a ruleset, as of one version. */
  readonly maxRules: number;
}

/**
 * What importing the list would do to the ruleset, line by line; nothing is written. `current` returns the ruleset as
 * it is when called, undefined once it is gone.
 */
export async function previewRules(
  current: () => LiveRuleset | undefined,
  list: PreviewedList,
  options: PreviewOptions,
): Promise<Preview | undefined> {
  const decided = await atOneVersion(current, (ruleset) => deciding(new Decisions(ruleset, list, options), list.parts));
  return decided === undefined ? undefined : decided.result;
}

function* deciding(decisions: Decisions, parts: readonly ListedColumns[]): Generator<undefined, Preview, undefined> {
  for (const part of parts) {
    let at = 0;
    for (const rule of desiredIn(part)) {
      decisions.add(rule, part.lines[at]!);
      if (++at % STEP === 0) yield;
    }
  }
  return decisions.preview();
}

/** Decides rule after rule, in the same order as the store, and keeps the first lines. */
class Decisions {
  readonly #ruleset: LiveRuleset;
  readonly #list: PreviewedList;
  readonly #options: PreviewOptions;
  readonly #counts = { created: 0, updated: 0, skipped: 0, conflict: 0, error: 0 };
  readonly #rejected = new FirstLines<PreviewLine>(MAX_LINES);
  readonly #others = new FirstLines<PreviewLine>(MAX_LINES);
  #rejection: string | null = null;
  #kept = 0;
  #count: number;

  constructor(ruleset: LiveRuleset, list: PreviewedList, options: PreviewOptions) {
    this.#ruleset = ruleset;
    this.#list = list;
    this.#options = options;
    this.#count = ruleset.rules.count;
    for (const line of list.rejected) this.#report(line);
    this.#counts.error = list.rejectedCount;
  }

  add({ prefix, name, expiresAt }: DesiredRule, line: number): void {
    const { mode, now, maxRules } = this.#options;
    const before = this.#ruleset.rules.get(prefix);
    const { action, rule } = addRule(before, { prefix, name, expiresAt, mode }, now);
    const reported = { line, ip: formatPrefix(prefix), ...(before && { before }) };
    if (action === "created" && this.#count >= maxRules) {
      this.#rejection = `a ruleset holds at most ${maxRules} rules, expired ones too (${RULES_SETTING}); delete some first`;
      return this.#report({ ...reported, verdict: "error", message: this.#rejection });
    }
    if (action === "created") this.#count++;
    if (action === "created" || action === "updated") this.#kept += keptLength(rule);
    if (action === "updated") this.#kept += keptLength(before!);
    this.#report({
      ...reported,
      verdict: action,
      ...(action === "created" || action === "updated" ? { after: rule } : {}),
    });
  }

  preview(): Preview {
    const { version } = this.#ruleset.about;
    const rejected = this.#rejected.inOrder();
    const others = this.#others.inOrder().slice(0, MAX_LINES - rejected.length);
    const lines = [...rejected, ...others].sort((a, b) => a.line - b.line);
    const all = Object.values(this.#counts).reduce((sum, count) => sum + count, 0);
    return {
      version,
      counts: this.#counts,
      lines,
      truncated: !this.#list.isWhole || lines.length < all,
      skip_refusal: this.#list.rejection ?? this.#rejection,
      can_undo: this.#kept <= MAX_KEPT,
    };
  }

  #report(line: PreviewLine): void {
    this.#counts[line.verdict]++;
    (line.verdict === "error" || line.verdict === "conflict" ? this.#rejected : this.#others).add(line);
  }
}
