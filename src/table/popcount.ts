/**
 * The number of set bits of a 32-bit word (Hacker's Delight, 5-1; JavaScript has no instruction for it): bits are counted
 * in pairs, then in fours, then in bytes, and the product adds the four bytes up in the topmost one.
 */
export function popcount(word: number): number {
  let bits = word - ((word >>> 1) & 0x5555_5555);
  bits = (bits & 0x3333_3333) + ((bits >>> 2) & 0x3333_3333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
}
