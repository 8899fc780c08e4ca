import { createInterface } from "node:readline/promises";
import { UsageError } from "./usage-error.ts";

/**
 * Asks a question at the terminal; true for y or yes. `option` is what answers it where there is no terminal. Throws
 * UsageError there.
 */
export async function confirm(question: string, option: string): Promise<boolean> {
  if (!process.stdin.isTTY)
    throw new UsageError(`there is no terminal to ask at; nothing was written. If the plan is right, add ${option}`);
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
