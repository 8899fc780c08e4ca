import type { Arguments, Option } from "../runner/command.ts";
import { counted, grouped } from "../../words/numbers.ts";
import { wholeNumber } from "../runner/parse-arguments.ts";
import { listReading } from "../rule-lists/list-options.ts";
import type { ListReplacement, ReplaceReport } from "./ruleset-target.ts";

/** For commands that replace the rules of a ruleset: how many rules a replacement may remove. */
export const REPLACE_OPTIONS: readonly Option[] = [
  {
    name: "allow-empty",
    help: "allow an empty list, which removes every rule, and a file of --never without addresses",
  },
  {
    name: "max-shrink",
    value: "N",
    help: "reject a list that would remove more than N percent of the rules, 0 to 100; default: 50, or any if the ruleset has fewer than 20 rules",
  },
];

/** How the rules are to be replaced, according to these options. Throws UsageError. */
export function replacementOf(args: Arguments): ListReplacement {
  const most = args.value("max-shrink");
  return {
    ...listReading(args),
    ...(args.has("allow-empty") && { allow_empty: true }),
    ...(most !== undefined && { max_shrink: wholeNumber("max-shrink", most, 100, 0) }),
  };
}

type Counts = Pick<ReplaceReport, "added" | "updated" | "removed" | "unchanged" | "dry_run">;

/** What a replacement has changed, or would change. */
export function replacedText({ added, updated, removed, unchanged, dry_run: isDry }: Counts): string {
  return `${counted(added, "rule")} ${isDry ? "would be " : ""}added, ${grouped(updated)} changed, ${grouped(removed)} removed, ${grouped(unchanged)} unchanged`;
}
