import type { Compaction, Rule } from "../documents.ts";
import { prefixBits } from "./prefix-bits.ts";

type Plan = NonNullable<Compaction["plan"]>;

/** What compacting does to a rule. */
export interface CompactedLine {
  readonly ip: string;
  readonly verdict: "superfluous" | "united" | "created" | "updated" | "kept";
  readonly before?: Rule;
  readonly after?: Rule;
  /** The rule that makes it redundant. */
  readonly coveredBy?: Rule;
  /** The prefix of the rule that takes the place of a united one. */
  readonly partOf?: string;
}

/** The changed rules and the redundant ones in the order of prefixes, so that united ones follow what they become. */
export function compactedLines({ added, updated, removed, redundant }: Plan): CompactedLine[] {
  const superfluous = new Set(redundant.filter((each) => each.removed).map(({ rule }) => rule.ip));
  const united = removed.filter(({ ip }) => !superfluous.has(ip));
  const changed = new Set([...united.map(({ ip }) => ip), ...updated.map(({ after }) => after.ip)]);
  const lines: CompactedLine[] = [
    ...added.map((after) => ({ ip: after.ip, verdict: "created" as const, after })),
    ...updated.map(({ before, after }) => ({ ip: after.ip, verdict: "updated" as const, before, after })),
    ...redundant
      .filter(({ rule, removed: isRemoved }) => isRemoved || !changed.has(rule.ip))
      .map(({ rule, covered_by: coveredBy, removed: isRemoved }) => ({
        ip: rule.ip,
        verdict: isRemoved ? ("superfluous" as const) : ("kept" as const),
        before: rule,
        coveredBy,
      })),
    ...united.map((before) => ({ ip: before.ip, verdict: "united" as const, before })),
  ];
  return withUnions(lines);
}

/** In order; says of each united rule which new or changed one takes its place: the narrowest that covers it. */
function withUnions(lines: readonly CompactedLine[]): CompactedLine[] {
  // The new and changed rules around a line, the widest first.
  const around: { readonly ip: string; readonly bits: string }[] = [];
  return lines
    .map((line) => ({ line, bits: prefixBits(line.ip) }))
    .sort((a, b) => (a.bits < b.bits ? -1 : a.bits > b.bits ? 1 : 0))
    .map(({ line, bits }) => {
      while (around.length > 0 && !bits.startsWith(around.at(-1)!.bits)) around.pop();
      const union = around.at(-1);
      if (line.after !== undefined) around.push({ ip: line.ip, bits });
      return line.verdict === "united" && union !== undefined ? { ...line, partOf: union.ip } : line;
    });
}

/** How many lines there are of each kind; where only the first are listed, by the numbers of all. */
export function compactedCounts(
  { added, updated, removed, superfluous, superfluous_for_now: kept, plan }: Compaction,
  lines: readonly CompactedLine[],
): Partial<Record<CompactedLine["verdict"], number>> {
  if (plan!.truncated)
    return { created: added, updated, superfluous, united: Math.max(0, removed - superfluous), kept };
  const counts: Partial<Record<CompactedLine["verdict"], number>> = {};
  for (const { verdict } of lines) counts[verdict] = (counts[verdict] ?? 0) + 1;
  return counts;
}
