import type { PreviewLine, Rule, ShrinkProblem } from "../documents.ts";
import type { RuleList } from "./read-list.ts";
import { type ConflictMode, planReplacement, previewList } from "./rules-api.ts";
import type { Outcome } from "./verdict.tsx";

/** What is to be done with a list: its rules are added, or become the ruleset's rules. */
export type Way = { readonly kind: "add"; readonly mode: ConflictMode } | { readonly kind: "replace" };

export interface ListLine extends Omit<PreviewLine, "verdict" | "line"> {
  /** Undefined for a rule that no line names. */
  readonly line?: number;
  readonly verdict: Outcome;
}

/** What doing it would come to. */
export interface Examined {
  /** Of the ruleset that was looked at: what is done is done to no other. */
  readonly tag: string;
  readonly counts: Readonly<Partial<Record<Outcome, number>>>;
  /** Rules that a replacement leaves as they are. */
  readonly unchanged: number;
  /** Those that have to be mended first. */
  readonly lines: readonly ListLine[];
  /** Whether there are more lines than these. */
  readonly isCut: boolean;
  /** Nothing is written as long as a line is faulty. */
  readonly isPossible: boolean;
  /** Of a replacement that removes so much that it has to be confirmed. */
  readonly shrink?: ShrinkProblem;
}

/** Asks the server, which writes nothing. */
export async function examineList(rulesetId: string, list: RuleList, way: Way, signal: AbortSignal): Promise<Examined> {
  const { preview, tag } = await previewList(rulesetId, list, way.kind === "add" ? way.mode : "override", signal);
  const { counts, truncated } = preview;
  const faulty = preview.lines.filter(isFaulty);
  if (way.kind === "add") return { tag, counts, unchanged: 0, lines: [...faulty, ...preview.lines.filter((line) => !isFaulty(line))], isCut: truncated, isPossible: counts.error + counts.conflict === 0 };
  if (counts.error > 0) return { tag, counts: { error: counts.error }, unchanged: 0, lines: faulty, isCut: truncated && faulty.length < counts.error, isPossible: false };
  const { added, updated, removed, unchanged, refusal, plan } = await planReplacement(rulesetId, list, tag, signal);
  const named = (verdict: Outcome) => (rule: Rule): ListLine => ({ ip: rule.ip, verdict, ...(verdict === "created" ? { after: rule } : { before: rule }) });
  const lines = [...plan!.removed.map(named("removed")), ...plan!.updated.map(({ before, after }): ListLine => ({ ip: after.ip, verdict: "updated", before, after })), ...plan!.added.map(named("created"))];
  return { tag, counts: { removed, updated, created: added }, unchanged, lines, isCut: plan!.truncated, isPossible: true, ...(refusal == null ? {} : { shrink: refusal }) };
}

function isFaulty({ verdict }: PreviewLine): boolean {
  return verdict === "error" || verdict === "conflict";
}
