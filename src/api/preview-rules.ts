import { formatPrefix } from "../address/prefix.ts";
import { type ImportFormat, RuleImport } from "../rulesets/formats/import-rules.ts";
import type { WantedRule } from "../rulesets/plan-replacement.ts";
import type { Rule } from "../rulesets/rule.ts";
import { wantedIn } from "../rulesets/rule-columns.ts";
import type { ListedColumns } from "../rulesets/rule-list.ts";
import { addRule, type Addition, type ConflictMode } from "../rulesets/write-rule.ts";
import { RULES_SETTING } from "../store/limit-settings.ts";
import { atOneVersion } from "./one-version.ts";
import type { FieldFaults } from "./problem.ts";
import type { ReadingOptions, RuleMembers } from "./read-rule.ts";
import type { LiveRuleset } from "./service-memory.ts";
import { messageOf, readMembers, readText } from "./wanted-rules.ts";

/** Lines that are told: the faulty ones first, since they have to be mended. */
const MOST_LINES = 10_000;
/** Reading ends with the error that exceeds so many. */
const MOST_ERRORS = 10_000;
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
  /** Whether all of it was read: there may be too much, or too much wrong. */
  readonly isWhole: boolean;
}

export interface Preview {
  readonly version: number;
  readonly counts: Readonly<Record<Verdict, number>>;
  /** In the order of lines. */
  readonly lines: readonly PreviewLine[];
  /** Whether there are more lines than `lines` tells. */
  readonly truncated: boolean;
}

/** Reads a file as an import does, but to its end. */
export async function readListToEnd(text: AsyncIterable<string>, format: ImportFormat, allowSpecialPurpose: boolean, mostRules: number): Promise<PreviewedList> {
  const file = new RuleImport(format, { allowSpecialPurpose, mostRules, setting: RULES_SETTING, mostErrors: MOST_ERRORS });
  const { parts, errors, isWhole } = await readText(file, text);
  const faulty = errors.map((error): PreviewLine => ({ line: error.line, ip: error.value, verdict: "error", message: messageOf(error) }));
  return { parts, faulty, isWhole };
}

/** Reads the rules of a JSON document. */
export async function readRulesToEnd(members: AsyncIterable<readonly RuleMembers[]>, options: ReadingOptions): Promise<PreviewedList> {
  const { parts, faulty, isWhole } = await readMembers(members, options, MOST_ERRORS);
  const lines = [...faulty].sort(([a], [b]) => a - b).map(([index, { ip, faults }]): PreviewLine => ({ line: index + 1, ip, verdict: "error", message: textOf(faults) }));
  return { parts: parts.map((part) => ({ ...part, lines: part.lines.map((index) => index + 1) })), faulty: lines, isWhole };
}

function textOf(faults: FieldFaults): string {
  return Object.entries(faults).map(([field, messages]) => `${field.replace(/^rules\[\d+\]\./, "")}: ${messages.join("; ")}`).join("; ");
}

export interface PreviewOptions {
  readonly mode: ConflictMode;
  readonly now: number;
  /** Of a ruleset. */
  readonly mostRules: number;
}

/** What importing the list would do to the ruleset, line by line; nothing is written. `current` gives the ruleset as it is when it is called; undefined once it is gone. */
export async function previewRules(current: () => LiveRuleset | undefined, list: PreviewedList, options: PreviewOptions): Promise<Preview | undefined> {
  const decided = await atOneVersion(current, (ruleset) => deciding(new Decisions(ruleset, list, options), list.parts));
  return decided === undefined ? undefined : decided.result;
}

function* deciding(decisions: Decisions, parts: readonly ListedColumns[]): Generator<undefined, Preview, undefined> {
  for (const part of parts) {
    let at = 0;
    for (const rule of wantedIn(part)) {
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
  readonly #faulty = new FirstLines(MOST_LINES);
  readonly #others = new FirstLines(MOST_LINES);
  #count: number;

  constructor(ruleset: LiveRuleset, list: PreviewedList, options: PreviewOptions) {
    this.#ruleset = ruleset;
    this.#list = list;
    this.#options = options;
    this.#count = ruleset.rules.count;
    for (const line of list.faulty) this.#tell(line);
  }

  add({ prefix, name, expiresAt }: WantedRule, line: number): void {
    const { mode, now, mostRules } = this.#options;
    const before = this.#ruleset.rules.get(prefix);
    const { action, rule } = addRule(before, { prefix, name, expiresAt, mode }, now);
    const told = { line, ip: formatPrefix(prefix), ...(before && { before }) };
    if (action === "created" && this.#count >= mostRules) {
      return this.#tell({ ...told, verdict: "error", message: `a ruleset holds at most ${mostRules} rules, expired ones too (${RULES_SETTING}); delete some first` });
    }
    if (action === "created") this.#count++;
    this.#tell({ ...told, verdict: action, ...(action === "created" || action === "updated" ? { after: rule } : {}) });
  }

  preview(): Preview {
    const { version } = this.#ruleset.about;
    const faulty = this.#faulty.inOrder();
    const others = this.#others.inOrder().slice(0, MOST_LINES - faulty.length);
    const lines = [...faulty, ...others].sort((a, b) => a.line - b.line);
    const all = Object.values(this.#counts).reduce((sum, count) => sum + count, 0);
    return { version, counts: this.#counts, lines, truncated: !this.#list.isWhole || lines.length < all };
  }

  #tell(line: PreviewLine): void {
    this.#counts[line.verdict]++;
    (line.verdict === "error" || line.verdict === "conflict" ? this.#faulty : this.#others).add(line);
  }
}

/** Of lines that come in any order, the first ones. O(1) a line, amortised. */
class FirstLines {
  readonly #most: number;
  #lines: PreviewLine[] = [];
  /** Lines from this one on are known not to be among the first. */
  #end = Number.POSITIVE_INFINITY;

  constructor(most: number) {
    this.#most = most;
  }

  add(line: PreviewLine): void {
    if (line.line >= this.#end) return;
    if (this.#lines.push(line) < 2 * this.#most) return;
    this.#lines = this.inOrder();
    this.#end = this.#lines.at(-1)!.line;
  }

  inOrder(): PreviewLine[] {
    return this.#lines.toSorted((a, b) => a.line - b.line).slice(0, this.#most);
  }
}
