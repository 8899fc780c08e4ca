/** U+FEFF as UTF-8, which some programs write at the start of a file: not part of its first line. */
const MARK = [0xef, 0xbb, 0xbf] as const;

/** The position after a byte order mark at `start`, or `start` if there is none in `bytes[start, end)`. */
export function skipMark(bytes: Uint8Array, start: number, end: number): number {
  const isMark =
    end - start >= MARK.length &&
    bytes[start] === MARK[0] &&
    bytes[start + 1] === MARK[1] &&
    bytes[start + 2] === MARK[2];
  return isMark ? start + MARK.length : start;
}
