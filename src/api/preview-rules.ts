import { setImmediate as turn } from "node:timers/promises";
import { formatPrefix } from "../address/prefix.ts";
import { type ImportFormat, RuleImport } from "../rulesets/formats/import-rules.ts";
import type { WantedRule } from "../rulesets/plan-replacement.ts";
import type { Rule } from "../rulesets/rule.ts";
import { addRule, type Addition, type ConflictMode } from "../rulesets/write-rule.ts";
import { inSlices } from "./in-slices.ts";
import type { FieldFaults } from "./problem.ts";
import type { ReadingOptions, RuleMembers } from "./read-rule.ts";
import type { LiveRuleset } from "./service-memory.ts";
import { messageOf, readMembers, readText } from "./wanted-rules.ts";

/** Lines that are told: the faulty ones first, since they have to be mended. */
const MOST_LINES = 10_000;
/** Reading ends with the error that exceeds so many. */
const MOST_ERRORS = 10_000;
/** Rules that are decided before others have their turn: some milliseconds. */
const RULES_PER_TURN = 4096;
/** A ruleset that changes while it is looked at is begun again so many times; then it is looked at in one turn. */
const MOST_TRIES = 3;

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
  readonly wanted: readonly (WantedRule & { readonly line: number })[];
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
export async function readListToEnd(text: string, format: ImportFormat, allowSpecialPurpose: boolean, mostRules: number): Promise<PreviewedList> {
  const file = new RuleImport(format, { allowSpecialPurpose, mostRules, mostErrors: MOST_ERRORS });
  const { rules, errors, isWhole } = await inSlices(readText(file, text));
  const faulty = errors.map((error): PreviewLine => ({ line: error.line, ip: error.value, verdict: "error", message: messageOf(error) }));
  return { wanted: rules, faulty, isWhole };
}

/** Reads the rules of a JSON document, all of them. */
export async function readRulesToEnd(members: readonly RuleMembers[], options: ReadingOptions): Promise<PreviewedList> {
  const { wanted, faults } = await inSlices(readMembers(members, options));
  const faulty = [...faults].sort(([a], [b]) => a - b).map(([index, fields]): PreviewLine => ({ line: index + 1, ip: members[index]!.ip, verdict: "error", message: textOf(fields) }));
  return { wanted: wanted.map((rule) => ({ ...rule, line: rule.index + 1 })), faulty, isWhole: true };
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
  for (let tries = 0; ; tries++) {
    const ruleset = current();
    if (ruleset === undefined) return undefined;
    const decided = new Decisions(ruleset, options);
    for (const [at, rule] of list.wanted.entries()) {
      if (at % RULES_PER_TURN === 0 && at > 0 && tries < MOST_TRIES) {
        await turn();
        if (current()?.about.version !== ruleset.about.version) break;
      }
      decided.add(rule);
    }
    if (decided.lines.length === list.wanted.length) return previewOf(ruleset.about.version, [...list.faulty, ...decided.lines], list.isWhole);
  }
}

/** Decides rule after rule, in the order in which the store does. */
class Decisions {
  readonly lines: PreviewLine[] = [];
  readonly #ruleset: LiveRuleset;
  readonly #options: PreviewOptions;
  #count: number;

  constructor(ruleset: LiveRuleset, options: PreviewOptions) {
    this.#ruleset = ruleset;
    this.#options = options;
    this.#count = ruleset.rules.count;
  }

  add({ line, ...wanted }: WantedRule & { readonly line: number }): void {
    const { mode, now, mostRules } = this.#options;
    const { prefix, name, expiresAt } = wanted;
    const before = this.#ruleset.rules.get(prefix);
    const { action, rule } = addRule(before, { prefix, name, expiresAt, mode }, now);
    const told = { line, ip: formatPrefix(prefix), ...(before && { before }) };
    if (action === "created" && this.#count >= mostRules) {
      const message = `a ruleset holds at most ${mostRules} rules, expired ones too; delete some first`;
      this.lines.push({ ...told, verdict: "error", message });
      return;
    }
    if (action === "created") this.#count++;
    this.lines.push({ ...told, verdict: action, ...(action === "created" || action === "updated" ? { after: rule } : {}) });
  }
}

function previewOf(version: number, all: readonly PreviewLine[], isWhole: boolean): Preview {
  const counts = { created: 0, updated: 0, skipped: 0, conflict: 0, error: 0 };
  for (const { verdict } of all) counts[verdict]++;
  const isFaulty = ({ verdict }: PreviewLine): boolean => verdict === "error" || verdict === "conflict";
  const inOrder = all.toSorted((a, b) => a.line - b.line);
  const faulty = inOrder.filter(isFaulty).slice(0, MOST_LINES);
  const others = inOrder.filter((line) => !isFaulty(line)).slice(0, MOST_LINES - faulty.length);
  const lines = [...faulty, ...others].sort((a, b) => a.line - b.line);
  return { version, counts, lines, truncated: !isWhole || lines.length < all.length };
}
