import { isFormula } from "./formula.ts";

/** A row by RFC 4180 that ends in LF. Null is an empty field, an empty text is `""`. */
export function csvRow(fields: readonly (string | null)[]): string {
  return `${fields.map(csvField).join(",")}\n`;
}

/** One field of a row. A text that a spreadsheet would run as a formula gets a `'` in front. */
export function csvField(text: string | null): string {
  if (text === null) return "";
  const safe = isFormula(text) || isGuarded(text) ? `'${text}` : text;
  return safe === "" || /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/**
 * Whether a field has a leading `'` from `csvField`. A text that looks as if it had one gets another, so that removing
 * one always restores the text.
 */
export function isGuarded(text: string): boolean {
  return text.startsWith("'") && (text.startsWith("'", 1) || isFormula(text.slice(1)));
}
