const LF = 0x0a;
const CR = 0x0d;

/**
 * The position of the first LF at or after `from`; there must be one. Short lines end within a few bytes, where a loop
 * is cheaper than a native call; the rest of a long line is searched by the platform (in a `Buffer`, by memchr).
 */
export function endOfLine(bytes: Uint8Array, from: number): number {
  const near = from + 16;
  for (let at = from; at < near; at++) if (bytes[at] === LF) return at;
  return bytes.indexOf(LF, near);
}

/** The end of the line `bytes[start, end)` without a CR before its LF. */
export function withoutCarriageReturn(bytes: Uint8Array, start: number, end: number): number {
  return end > start && bytes[end - 1] === CR ? end - 1 : end;
}
