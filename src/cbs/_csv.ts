import { isFormula } from "../csv/formula.ts";

/**
 * A field by RFC 4180. What a spreadsheet would run as a formula gets a `'` in front, and so does what begins with a `'` already: whoever takes
 * one off has the text again.
 */
export function csvField(text: string): string {
  const safe = text.startsWith("'") || isFormula(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
