/**
 * Reads what the server says of a text that is no address: `"text" at position N: what is wrong`. Undefined where it
 * gives no position.
 */
export function readErrorPosition(message: string): { readonly position: number; readonly what: string } | undefined {
  const [, position, what] = /^"(?:[^"\\]|\\.)*" at position (\d+): (.*)$/s.exec(message) ?? [];
  return position === undefined ? undefined : { position: Number(position), what: what! };
}
