/**
 * A field by RFC 4180. What a spreadsheet would run as a formula (`=`, `+`, `-` or `@` first) gets a `'` in front, and so does
 * what begins with a `'` already: whoever takes one off has the text again.
 */
export function csvField(text: string): string {
  const safe = /^[=+\-@']/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
