const LF = 0x0a;

/**
 * The position of the first LF at or behind `from`; there must be one. Short lines are over within a few bytes, where
 * looking is cheaper than a native call; the rest of a long line is searched by the platform's memchr.
 */
export function endOfLine(bytes: Buffer, from: number): number {
  const near = from + 16;
  for (let at = from; at < near; at++) if (bytes[at] === LF) return at;
  return bytes.indexOf(LF, near);
}
