import { formatPrefix } from "../../address/prefix.ts";
import { type ImportFormat, type ImportOptions, RuleImport } from "../../rulesets/importers/import-rules.ts";
import { faultText } from "../../rulesets/importers/imported-rule.ts";
import type { DesiredRule } from "../../rulesets/plan-replacement.ts";
import { FirstLines } from "../../rulesets/first-lines.ts";
import type { Rule } from "../../rulesets/rule.ts";
import { desiredIn } from "../../rulesets/rule-columns.ts";
import type { ListedColumns } from "../../rulesets/rule-list.ts";
import { addRule, type Addition, type ConflictMode } from "../../rulesets/write-rule.ts";
import { keptLength, MAX_KEPT } from "../../store/kept-length.ts";
import { RULES_SETTING } from "../../store/limit-settings.ts";
import { atOneVersion } from "./at-one-version.ts";
import type { ReadingOptions } from "./read-rule.ts";
import type { LiveRuleset } from "./service-memory.ts";
import {
  type ListedMember,
  MAX_UNREADABLE,
  readMembers,
  readText,
  textOf,
  tooManyUnreadable,
} from "./desired-rules.ts";

/** Lines that are reported: the faulty ones first, since they have to be corrected. */
const MAX_LINES = 10_000;
/** Rules that are decided between two looks at the clock: some hundred microseconds. */
const STEP = 256;

export type Verdict = Addition["action"] | "error";

export interface PreviewLine {
  /** Counted from 1; of a JSON document, the place of the rule. */
  readonly line: number;
  /** The canonical prefix, or what stands there in place of one. */
  readonly ip: string;
  readonly verdict: Verdict;
  /** With `error`: what is wrong and its cure. */
  readonly message?: string;
  /** The rule that is there, and the rule that would be. */
  readonly before?: Rule;
  readonly after?: Rule;
}

/** A list of rules: what can be read of it, in the order of prefixes, and the faulty lines. */
export interface PreviewedList {
  readonly parts: readonly ListedColumns[];
  readonly faulty: readonly PreviewLine[];
  readonly faultyCount: number;
  /** What ended the reading. */
  readonly rejection?: string;
  /** Whether all of it was read: there may be too much, or too much wrong. */
  readonly isWhole: boolean;
}

export interface Preview {
  readonly version: number;
  readonly counts: Readonly<Record<Verdict, number>>;
  /** In the order of lines. */
  readonly lines: readonly PreviewLine[];
  /** Whether there are more lines than `lines` holds. */
  readonly truncated: boolean;
  /** Why the import is rejected also without the lines that have errors; null: it is not, unless lines conflict. */
  readonly skip_refusal: string | null;
  /** Whether what it touches is kept, so that the import can be undone. */
  readonly can_undo: boolean;
}

/** Reads a file as an import does, but to its end. */
export async function readListToEnd(
  text: AsyncIterable<string>,
  format: ImportFormat,
  options: Pick<ImportOptions, "allowSpecialPurpose" | "mostRules" | "defaults">,
): Promise<PreviewedList> {
  const file = new RuleImport(format, {
    ...options,
    setting: RULES_SETTING,
    skipInvalid: true,
    mostSkipped: MAX_LINES,
  });
  const { parts, errors, skipped, isWhole } = await readText(file, text);
  const faulty = skipped.lines.map(({ line, value, reason }): PreviewLine => ({
    line,
    ip: value,
    verdict: "error",
    message: reason,
  }));
  const last = errors.map((error): PreviewLine => ({
    line: error.line,
    ip: error.value,
    verdict: "error",
    message: faultText(error),
  }));
  const rejection = last.map(({ line, message }) => `line ${line}: ${message}`)[0];
  return {
    parts,
    faulty: [...faulty, ...last],
    faultyCount: skipped.count + errors.length,
    isWhole,
    ...(rejection === undefined ? {} : { rejection }),
  };
}

/** Reads the rules of a JSON document. */
export async function readRulesToEnd(
  members: AsyncIterable<readonly ListedMember[]>,
  options: ReadingOptions,
): Promise<PreviewedList> {
  const { parts, faulty, faultyCount, isWhole } = await readMembers(members, options, {
    mostUnreadable: MAX_UNREADABLE,
    mostReported: MAX_LINES,
  });
  const lines = faulty.map(({ line, ip, faults }): PreviewLine => ({
    line: line + 1,
    ip,
    verdict: "error",
    message: textOf(faults),
  }));
  return {
    parts: parts.map((part) => ({ ...part, lines: part.lines.map((index) => index + 1) })),
    faulty: lines,
    faultyCount,
    isWhole,
    ...(isWhole ? {} : { rejection: tooManyUnreadable() }),
  };
}

export interface PreviewOptions {
  readonly mode: ConflictMode;
  readonly now: number;
  /** Of a ruleset. */
  readonly mostRules: number;
}

/**
 * What importing the list would do to the ruleset, line by line; nothing is written. `current` gives the ruleset as it
 * is when it is called; undefined once it is gone.
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

/** Decides rule after rule, in the order in which the store does, and keeps the first lines. */
class Decisions {
  readonly #ruleset: LiveRuleset;
  readonly #list: PreviewedList;
  readonly #options: PreviewOptions;
  readonly #counts = { created: 0, updated: 0, skipped: 0, conflict: 0, error: 0 };
  readonly #faulty = new FirstLines<PreviewLine>(MAX_LINES);
  readonly #others = new FirstLines<PreviewLine>(MAX_LINES);
  #rejection: string | null = null;
  #kept = 0;
  #count: number;

  constructor(ruleset: LiveRuleset, list: PreviewedList, options: PreviewOptions) {
    this.#ruleset = ruleset;
    this.#list = list;
    this.#options = options;
    this.#count = ruleset.rules.count;
    for (const line of list.faulty) this.#report(line);
    this.#counts.error = list.faultyCount;
  }

  add({ prefix, name, expiresAt }: DesiredRule, line: number): void {
    const { mode, now, mostRules } = this.#options;
    const before = this.#ruleset.rules.get(prefix);
    const { action, rule } = addRule(before, { prefix, name, expiresAt, mode }, now);
    const reported = { line, ip: formatPrefix(prefix), ...(before && { before }) };
    if (action === "created" && this.#count >= mostRules) {
      this.#rejection = `a ruleset holds at most ${mostRules} rules, expired ones too (${RULES_SETTING}); delete some first`;
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
    const faulty = this.#faulty.inOrder();
    const others = this.#others.inOrder().slice(0, MAX_LINES - faulty.length);
    const lines = [...faulty, ...others].sort((a, b) => a.line - b.line);
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
    (line.verdict === "error" || line.verdict === "conflict" ? this.#faulty : this.#others).add(line);
  }
}
