/**
 * A command line, or a file named on it, that cannot be used. The message says what is wrong and how to fix it; exit
 * code 2.
 */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "UsageError";
  }
}
