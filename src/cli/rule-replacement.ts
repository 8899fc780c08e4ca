import type { ReplaceAnswer, Ruleset } from "../client/client.ts";
import type { Arguments, Option } from "./command.ts";
import { counted, grouped } from "./output/numbers.ts";
import { wholeNumber } from "./parse-arguments.ts";
import { uploadList } from "./ruleset-upload.ts";
import { listQuery } from "./sent-list.ts";

/** What a replacement may remove: of commands that replace the rules of a ruleset. */
export const REPLACE_OPTIONS: readonly Option[] = [
  { name: "allow-empty", help: "allow an empty list, which removes every rule" },
  {
    name: "max-shrink",
    value: "N",
    help: "the largest percentage of the rules that may be removed, 0 to 100; default: 50, or any if the ruleset has fewer than 20 rules",
  },
];

/** A replacement, or the plan of one. */
export interface RuleReplacement {
  readonly ruleset: Ruleset;
  readonly answer: ReplaceAnswer;
}

/**
 * Replaces the rules of the operands `RULESET FILE|-`, or says what that would change where it is dry; with `tag` only
 * if the ruleset is still the one that had this ETag. Throws as `uploadList`.
 */
export function replaceRules(
  args: Arguments,
  { isDry, tag }: { readonly isDry: boolean; readonly tag?: string },
): Promise<RuleReplacement> {
  const most = args.value("max-shrink");
  const query = {
    ...listQuery(args),
    ...(isDry && { dry_run: true }),
    ...(args.has("allow-empty") && { allow_empty: true }),
    ...(most !== undefined && { max_shrink: wholeNumber("max-shrink", most, 100, 0) }),
  };
  return uploadList(args, (client, path, { headers, ...list }) =>
    client.put("/v1/edl/ip-rulesets/{ruleset_id}/rules", {
      params: { path, query },
      headers: { ...headers, ...(tag !== undefined && { "If-Match": tag }) },
      ...list,
    }),
  );
}

/** What a replacement has changed, or would change. */
export function replacedText({ added, updated, removed, unchanged, dry_run: isDry }: ReplaceAnswer): string {
  return `${counted(added, "rule")} ${isDry ? "would be " : ""}added, ${grouped(updated)} changed, ${grouped(removed)} removed, ${grouped(unchanged)} kept as they were`;
}
