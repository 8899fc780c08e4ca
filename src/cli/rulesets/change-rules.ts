import { chosenTarget } from "./chosen-target.ts";
import type { Arguments } from "../runner/command.ts";
import { counted } from "../../words/numbers.ts";
import { printText } from "../runner/standard-output.ts";
import { readPrefixes } from "../input/read-prefixes.ts";
import { reportError } from "../runner/report-error.ts";
import { reportWarnings } from "./report-warnings.ts";
import type { ChangeReport, RuleChange, RuleResult } from "./ruleset-target.ts";
import { UsageError } from "../runner/usage-error.ts";

/** Changes in one request: the maximum that a server applies atomically. */
const MAX_CHANGES = 10_000;
/** The results that count as a change, and as nothing to change. */
const DONE = new Set(["created", "updated", "skipped", "deleted", "absent"]);

/** The number of changes with this result. */
type CountOf = (action: string) => number;

/**
 * Changes the rules of the operands `RULESET ADDRESS|PREFIX|-...`, all or none, and prints the results: each as JSON, or
 * the sentence of `summary`. Throws as `chosenTarget`, and UsageError where a change is rejected.
 */
export async function changeRules(
  args: Arguments,
  changeOf: (ip: string) => RuleChange,
  summary: (ruleset: string, of: CountOf) => string,
): Promise<CountOf> {
  const [ruleset, ...operands] = args.operands as [string, ...string[]];
  const changes = (await prefixesOf(operands)).map(changeOf);
  const target = await chosenTarget(args, ruleset);
  const { results, warnings }: ChangeReport = changes.length === 0 ? { results: [] } : await target.change(changes);
  rejectFailed(results);
  reportWarnings(target.name, warnings);
  const of: CountOf = (action) => results.filter((result) => result.action === action).length;
  await printText(
    args.has("json")
      ? results.map((result) => `${JSON.stringify(result)}\n`).join("")
      : `${summary(target.name, of)}\n`,
  );
  return of;
}

/** Reads all before anything is changed. */
async function prefixesOf(operands: readonly string[]): Promise<string[]> {
  let malformed = 0;
  const texts: string[] = [];
  for await (const text of readPrefixes(operands, () => malformed++)) texts.push(text);
  if (malformed > 0)
    throw new UsageError(`${counted(malformed, "address", "addresses")} cannot be read; nothing was changed`);
  if (texts.length > MAX_CHANGES)
    throw new UsageError(
      `${counted(texts.length, "rule")} given, and one command changes at most ${MAX_CHANGES}; use "ipsieve ruleset import" for long lists`,
    );
  return texts;
}

function rejectFailed(results: readonly RuleResult[]): void {
  const failed = results.filter(({ action }) => !DONE.has(action) && action !== "not_applied");
  for (const { ip, error, action } of failed) reportError(new UsageError(`${ip}: ${error ?? action}`));
  if (failed.length > 0) throw new UsageError(`${counted(failed.length, "rule")} rejected; nothing was changed`);
}
