import { createInterface } from "node:readline/promises";
import { UsageError } from "./usage-error.ts";

/**
 * Asks a question at the terminal; true for y or yes. Without a terminal it throws UsageError, which names the `option`
 * that answers the question instead.
 */
export async function confirm(question: string, option: string): Promise<boolean> {
  if (!process.stdin.isTTY)
    throw new UsageError(
      `nothing was written: there is no terminal to confirm at. If the plan is right, add ${option}`,
    );
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  // Ctrl-D, or Ctrl-C, closes it and answers nothing.
  const closed = new AbortController();
  terminal.once("close", () => closed.abort());
  try {
    return /^y(es)?$/i.test((await terminal.question(`${question} [y/N] `, { signal: closed.signal })).trim());
  } catch (error) {
    if (!closed.signal.aborted) throw error;
    return false;
  } finally {
    terminal.close();
  }
}
