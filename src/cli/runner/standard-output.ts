import { EXIT } from "./command.ts";
import { reportError } from "./report-error.ts";

let isGuarded = false;
let isClosed = false;

/**
 * From now on an error of standard output ends the process with a message, except for a closed pipe, which is not an
 * error: a reader that has seen enough (`ipsieve ... | head`) may close it.
 */
export function guardStandardOutput(): void {
  if (isGuarded) return;
  isGuarded = true;
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    isClosed ||= error.code === "EPIPE";
    if (isClosed) return;
    error.message = `standard output: ${error.message}`;
    reportError(error);
    process.exit(EXIT.error);
  });
}

/**
 * Writes a short text to standard output at once, if possible without creating a stream, which would take 4 ms of a 50
 * ms start; otherwise like any other output.
 */
export function printShortly(text: string): void {
  const bytes = Buffer.from(text);
  let written = 0;
  try {
    written = isGuarded ? 0 : process.getBuiltinModule("node:fs").writeSync(1, bytes);
  } catch {
    // A pipe that is full at the moment, or an error that the stream will report.
  }
  if (written === bytes.length) return;
  guardStandardOutput();
  process.stdout.write(bytes.subarray(written));
}

/** Whether the reader of standard output has gone; known since `guardStandardOutput`. */
export function isOutputClosed(): boolean {
  return isClosed;
}

/** Writes to standard output, no faster than it is read. */
export async function printText(text: string): Promise<void> {
  await new Promise<void>((resolve) => process.stdout.write(text, () => resolve()));
}
