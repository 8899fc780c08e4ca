import { StoreError } from "../store-error.ts";

/** Whether PostgreSQL accepts a text and SQLite keeps it unchanged. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes("\0");
}

/** Throws StoreError (`invalid-text`). */
export function checkTexts(...texts: readonly string[]): void {
  const bad = texts.find((text) => !isStorable(text));
  if (bad !== undefined)
    throw new StoreError(
      "invalid-text",
      `the text ${JSON.stringify(bad)} holds a NUL character or half a surrogate pair`,
    );
}
