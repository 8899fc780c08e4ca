/**
 * Parses the server's message about a text that is not an address: `"text" at position N: what is wrong`. Undefined if
 * it contains no position.
 */
export function readErrorPosition(message: string): { readonly position: number; readonly what: string } | undefined {
  const [, position, what] = /^"(?:[^"\\]|\\.)*" at position (\d+): (.*)$/s.exec(message) ?? [];
  return position === undefined ? undefined : { position: Number(position), what: what! };
}
