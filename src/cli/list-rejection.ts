import type { ReplaceAnswer } from "../client/client.ts";
import { ProblemError } from "../client/errors.ts";
import { counted, grouped } from "./output/numbers.ts";
import { standardError } from "./output/standard-error.ts";
import { listName } from "./sent-list.ts";
import { UsageError } from "./usage-error.ts";

/** The rejection of a replacement that removes too many rules. */
type ShrinkProblem = NonNullable<ReplaceAnswer["refusal"]>;

/** What the answer to a list says of what was left out. */
export interface LeftOut {
  readonly invalid?: number;
  readonly invalid_lines?: readonly { readonly line: number; readonly reason: string }[];
}

/**
 * Reports lines that were left out to standard error: the first ones, and how many more. The lines of a JSON document
 * are its rules, from 1.
 */
export function reportLeftOut(
  path: string,
  isJson: boolean,
  { invalid = 0, invalid_lines: lines = [] }: LeftOut,
): void {
  const shown = lines.map(
    ({ line, reason }) =>
      `${isJson ? `${listName(path)}: rules[${line - 1}]` : `${listName(path)}:${line}`}: ${reason}`,
  );
  if (invalid > shown.length)
    shown.push(
      `${listName(path)}: ... and ${counted(invalid - shown.length, "more line")} like these, ${grouped(invalid)} in all`,
    );
  if (shown.length > 0) standardError().write(`${shown.join("\n")}\n`);
}

/**
 * What a server's rejection of a list is for the command: lines that are at fault are reported as FILE:LINE, and a
 * replacement that removes too much with what allows it. Every other error stays what it is.
 */
export function listRejection(path: string, skipsInvalid: boolean, error: unknown): unknown {
  if (!(error instanceof ProblemError)) return error;
  if (error.kind === "shrinks-too-much")
    return new UsageError(`${listName(path)}: ${shrinkText(error.problem as unknown as ShrinkProblem)}`);
  const faults = Object.entries(error.validationErrors);
  const texts = faults.flatMap(([field, messages]) => messages.map((message) => placed(path, field, message)));
  if (faults.some(([field]) => WHOLE.test(field))) return new UsageError(`${texts.join("; ")}; nothing was written`);
  if (!faults.some(([field]) => LISTED.test(field))) return error;
  standardError().write(`${texts.join("\n")}\n`);
  return new UsageError(
    `${listName(path)}: nothing was written; correct the list${skipsInvalid ? "" : ", or leave out what cannot be read with --skip-invalid"}`,
  );
}

/** What is at fault, as the server names it: a list as a whole, or something in it. */
const WHOLE = /^(body|rules)$/;
const LISTED = /^(line \d+|rules\[.*)$/;

function placed(path: string, field: string, message: string): string {
  if (field.startsWith("line ")) return `${listName(path)}:${field.slice(5)}: ${message}`;
  return `${listName(path)}: ${field === "body" ? "" : `${field}: `}${message}`;
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
}: ShrinkProblem): string {
  const remaining = added + updated + unchanged;
  if (remaining === 0)
    return `the list has no rules and would remove all ${counted(total, "rule")}; nothing was written. To empty the ruleset, add --allow-empty`;
  return `the list would remove ${grouped(removed)} of ${counted(total, "rule")} (${percent} %), and at most ${most} % may be removed; nothing was written. If the list is right, add --max-shrink ${percent}`;
}
