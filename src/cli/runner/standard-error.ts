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
