import type { Style } from "../output/style.ts";

/** What a line shows of a rule. */
interface ListedRule {
  readonly ip: string;
  readonly name: string | null;
  readonly expires_at: string | null;
}

/** A rule that differs between two lists; null on the side that does not have it. */
export interface RuleDifference {
  readonly before: ListedRule | null;
  readonly after: ListedRule | null;
}

/** A difference in one line: + added, - removed, ~ changed. Columns are separated by tabs. */
export function differenceLine({ before, after }: RuleDifference, style: Style): string {
  if (before === null) return style("green", `+ ${ruleColumns(after!)}`);
  if (after === null) return style("red", `- ${ruleColumns(before)}`);
  const [, ...now] = columnsOf(after);
  return style("yellow", `~ ${ruleColumns(before)}\t->\t${now.join("\t")}`);
}

function ruleColumns(rule: ListedRule): string {
  return columnsOf(rule).join("\t");
}

function columnsOf({ ip, name, expires_at: expiry }: ListedRule): string[] {
  return [ip, name ?? "", expiry ?? ""];
}
