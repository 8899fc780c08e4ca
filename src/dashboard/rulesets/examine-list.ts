import type { ComponentChildren } from "preact";
import type { PreviewLine, Rule, ShrinkProblem } from "../documents.ts";
import { defaultsQuery, type ListDefaults } from "./list-defaults.tsx";
import type { RuleList } from "./read-list.ts";
import { type ConflictMode, planReplacement, previewList } from "./rules-api.ts";
import type { Outcome } from "./verdict.tsx";

/** What to do with a list: add its rules, or make them the ruleset's only rules. */
export type Way = ({ readonly kind: "add"; readonly mode: ConflictMode } | { readonly kind: "replace" }) & {
  readonly defaults: ListDefaults;
};

export interface ListLine extends Omit<PreviewLine, "verdict" | "line"> {
  /** Undefined for a rule that no line names. */
  readonly line?: number;
  readonly verdict: Outcome;
  /** Why, instead of what differs. */
  readonly reason?: ComponentChildren;
}

/** The effect of that. */
export interface Examined {
  /** Of the ruleset that was examined: only that version is changed. */
  readonly tag: string;
  readonly counts: Readonly<Partial<Record<Outcome, number>>>;
  /** Rules that a replacement leaves unchanged. */
  readonly unchanged: number;
  /** Those that have to be fixed come first. */
  readonly lines: readonly ListLine[];
  /** Whether there are more lines than these. */
  readonly isCut: boolean;
  /** Whether it can be undone. */
  readonly canUndo: boolean;
  /** Why nothing can be written, not even without the unreadable lines. */
  readonly refusal?: string;
  /** For a replacement that removes so much that it has to be confirmed. */
  readonly shrink?: ShrinkProblem;
}

/** Asks the server, which writes nothing. */
export async function examineList(rulesetId: string, list: RuleList, way: Way, signal: AbortSignal): Promise<Examined> {
  const reading = defaultsQuery(way.defaults);
  const { preview, tag } = await previewList(
    rulesetId,
    list,
    way.kind === "add" ? way.mode : "override",
    reading,
    signal,
  );
  const { counts, truncated, skip_refusal, can_undo: canUndo } = preview;
  const refused = skip_refusal === null ? {} : { refusal: skip_refusal };
  const withErrors = preview.lines.filter(hasError);
  if (way.kind === "add")
    return {
      tag,
      counts,
      unchanged: 0,
      lines: [...withErrors, ...preview.lines.filter((line) => !hasError(line))],
      isCut: truncated,
      canUndo,
      ...refused,
    };
  if (skip_refusal !== null)
    return {
      tag,
      counts: { error: counts.error },
      unchanged: 0,
      lines: withErrors,
      isCut: truncated && withErrors.length < counts.error,
      canUndo,
      refusal: skip_refusal,
    };
  const { added, updated, removed, unchanged, refusal, plan, can_undo } = await planReplacement(
    rulesetId,
    list,
    { ...reading, skip_invalid: counts.error > 0 },
    tag,
    signal,
  );
  const named =
    (verdict: Outcome) =>
    (rule: Rule): ListLine => ({
      ip: rule.ip,
      verdict,
      ...(verdict === "created" ? { after: rule } : { before: rule }),
    });
  const lines = [
    ...withErrors,
    ...plan!.removed.map(named("removed")),
    ...plan!.updated.map(({ before, after }): ListLine => ({ ip: after.ip, verdict: "updated", before, after })),
    ...plan!.added.map(named("created")),
  ];
  return {
    tag,
    counts: { error: counts.error, removed, updated, created: added },
    unchanged,
    lines,
    isCut: plan!.truncated || withErrors.length < counts.error,
    canUndo: can_undo,
    ...(refusal == null ? {} : { shrink: refusal }),
  };
}

function hasError({ verdict }: PreviewLine): boolean {
  return verdict === "error" || verdict === "conflict";
}
