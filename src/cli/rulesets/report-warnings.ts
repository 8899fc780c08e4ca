import type { Collateral } from "../../client/client.ts";
import { counted } from "../../words/numbers.ts";
import { oneLine } from "../runner/one-line.ts";
import { standardError } from "../runner/standard-error.ts";

/** Warnings that are named; the response has a hundred at most. */
const NAMED = 10;

/** Prints the warnings of a guard to standard error: what its rules block but should not, or what it left out. */
export function reportWarnings(ruleset: string, warnings: readonly Pick<Collateral, "detail">[] = []): void {
  if (warnings.length === 0) return;
  const lines = warnings.slice(0, NAMED).map(({ detail }) => `${ruleset}: warning: ${oneLine(detail)}`);
  const more = warnings.length - NAMED;
  if (more > 0) lines.push(`${ruleset}: ... and ${counted(more, "more warning")}`);
  standardError().write(`${lines.join("\n")}\n`);
}
