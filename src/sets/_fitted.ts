/** The share of unused room at the end of an array up to which it is not copied: a sixteenth. */
const ROOM_SHIFT = 4;

/** The first `length` words, in an array that is not much longer. */
export function fitted(words: Uint32Array, length: number): Uint32Array {
  const room = words.length - length;
  return room <= words.length >> ROOM_SHIFT ? words.subarray(0, length) : words.slice(0, length);
}
