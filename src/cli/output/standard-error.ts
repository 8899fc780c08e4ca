let isGuarded = false;

/**
 * Standard error, for what is said beside the result. Where it takes nothing - a full disk, a reader that has gone -
 * the command goes on, and its exit code is the same.
 */
export function standardError(): NodeJS.WriteStream {
  if (!isGuarded) process.stderr.on("error", () => {});
  isGuarded = true;
  return process.stderr;
}
