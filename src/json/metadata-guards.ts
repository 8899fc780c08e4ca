/** Makes the error of an invalid member; `what` is what is wrong with it. */
type ErrorOf = (member: string, what: string) => Error;

/**
 * Checks of values that were decoded from a file: each returns the value with its type, or throws the error of its
 * room.
 */
export class MetadataGuards {
  readonly #errorOf: ErrorOf;

  constructor(errorOf: ErrorOf) {
    this.#errorOf = errorOf;
  }

  record(value: unknown, member: string): Record<string, unknown> {
    if (isRecord(value)) return value;
    throw this.#errorOf(member, "it must be an object");
  }

  list(value: unknown, member: string): unknown[] {
    if (Array.isArray(value)) return value;
    throw this.#errorOf(member, "it must be an array");
  }

  text(value: unknown, member: string): string {
    if (typeof value === "string") return value;
    throw this.#errorOf(member, "it is not text");
  }

  /** A time as a text, which is returned as it is. */
  date(value: unknown, member: string): string {
    if (typeof value === "string" && !Number.isNaN(Date.parse(value))) return value;
    throw this.#errorOf(member, "it is not a date");
  }
}

/** Whether a value is an object with members: not null, and no array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
