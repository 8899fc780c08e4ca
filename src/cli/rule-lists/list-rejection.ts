import type { ReplaceAnswer } from "../../client/client.ts";
import { ProblemError, type ValidationErrors } from "../../client/errors.ts";
import { counted, grouped } from "../../words/numbers.ts";
import { standardError } from "../runner/standard-error.ts";
import type { RuleSource } from "./rule-source.ts";

import { UsageError } from "../runner/usage-error.ts";

/** The numbers of a replacement that removes too many rules. */
export type ShrinkNumbers = Pick<
  NonNullable<ReplaceAnswer["refusal"]>,
  "added" | "updated" | "removed" | "unchanged" | "total_rules" | "removed_percent" | "max_shrink"
>;

/** What the response to a list reports about skipped lines. */
export interface LeftOut {
  readonly invalid?: number;
  readonly invalid_lines?: readonly { readonly line: number; readonly reason: string }[];
}

/**
 * Reports skipped lines to standard error: the first ones, and how many more. The lines of a JSON document are its
 * rules, from 1.
 */
export function reportLeftOut(
  { name: list, format }: Pick<RuleSource, "name" | "format">,
  { invalid = 0, invalid_lines: lines = [] }: LeftOut,
): void {
  const isJson = format === "json";
  const shown = lines
    .slice(0, MAX_SHOWN)
    .map(({ line, reason }) => `${isJson ? `${list}: rules[${line - 1}]` : `${list}:${line}`}: ${reason}`);
  if (invalid > shown.length)
    shown.push(
      `${list}: ... and ${counted(invalid - shown.length, "more line")} like these, ${grouped(invalid)} in all`,
    );
  if (shown.length > 0) standardError().write(`${shown.join("\n")}\n`);
}

/**
 * The command's error for a list that a server has rejected: invalid lines are reported as FILE:LINE; for a replacement
 * that removes too much, the message names the option that allows it. All other errors are returned unchanged.
 */
export function listRejection(list: string, skipsInvalid: boolean, error: unknown): unknown {
  if (!(error instanceof ProblemError)) return error;
  if (error.kind === "shrinks-too-much") return shrinkRejection(list, error.problem as unknown as ShrinkNumbers);
  return rejectedLines(list, skipsInvalid, error.validationErrors) ?? error;
}

/** Reports the invalid lines of a list; undefined if the errors are not about a list. */
export function rejectedLines(list: string, skipsInvalid: boolean, fields: ValidationErrors): UsageError | undefined {
  const errors = Object.entries(fields);
  const texts = errors.flatMap(([field, messages]) => messages.map((message) => located(list, field, message)));
  if (errors.some(([field]) => WHOLE.test(field))) return new UsageError(`${texts.join("; ")}; nothing was written`);
  if (!errors.some(([field]) => LISTED.test(field))) return undefined;
  const more = texts.length - MAX_SHOWN;
  const rest = more > 0 ? [`${list}: ... and ${counted(more, "more line")} like these`] : [];
  standardError().write(`${[...texts.slice(0, MAX_SHOWN), ...rest].join("\n")}\n`);
  return new UsageError(
    `${list}: nothing was written; correct ${counted(texts.length, "line")}${skipsInvalid ? "" : ", or leave such lines out with --skip-invalid"}`,
  );
}

/** In a file that is no list, every line is invalid. */
const MAX_SHOWN = 20;

/** The server's names for what is invalid: a list as a whole, or something in it. */
const WHOLE = /^(body|rules)$/;
const LISTED = /^(line \d+|rules\[.*)$/;

function located(list: string, field: string, message: string): string {
  if (field.startsWith("line ")) return `${list}:${field.slice(5)}: ${message}`;
  return `${list}: ${field === "body" ? "" : `${field}: `}${message}`;
}

/** The error of a replacement that removes too many rules. */
export function shrinkRejection(list: string, numbers: ShrinkNumbers): UsageError {
  return new UsageError(`${list}: ${shrinkText(numbers)}`);
}

/** Why a replacement is rejected, with its numbers and the option that allows it. */
export function shrinkText({
  added,
  updated,
  removed,
  unchanged,
  total_rules: total,
  removed_percent: percent,
  max_shrink: most,
}: ShrinkNumbers): string {
  const remaining = added + updated + unchanged;
  if (remaining === 0)
    return `the list has no rules and would remove all ${counted(total, "rule")}; nothing was written. To empty the ruleset, add --allow-empty`;
  return `the list would remove ${grouped(removed)} of ${counted(total, "rule")} (${percent} %), and at most ${most} % may be removed; nothing was written. If the list is right, add --max-shrink ${percent}`;
}
