let isGuarded = false;

/**
 * Standard error, for everything but the result. If it cannot be written (a full disk, a reader that has gone), the
 * command continues, with the same exit code.
 */
export function standardError(): NodeJS.WriteStream {
  if (!isGuarded) process.stderr.on("error", () => {});
  isGuarded = true;
  return process.stderr;
}

/** Writes a short text to standard error at once, if possible without creating a stream: see `printShortly`. */
export function noteShortly(text: string): void {
  const bytes = Buffer.from(text);
  let written = 0;
  try {
    written = isGuarded ? 0 : process.getBuiltinModule("node:fs").writeSync(2, bytes);
  } catch {
    // A pipe that is full at the moment, or an error that the stream will ignore.
  }
  if (written < bytes.length) standardError().write(bytes.subarray(written));
}
