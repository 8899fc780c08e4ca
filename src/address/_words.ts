/** The words of an address, the most significant first. Those of an IPv4 address but `w0` are 0. */
export interface Words {
  w0: number;
  w1: number;
  w2: number;
  w3: number;
}

/** How many leading bits two addresses share; 128 if they are the same. */
export function commonLength(a: Readonly<Words>, b: Readonly<Words>): number {
  // The first bit in which two words differ is the first that is set in a ^ b; clz32 counts those before it.
  if (a.w0 !== b.w0) return Math.clz32(a.w0 ^ b.w0);
  if (a.w1 !== b.w1) return 32 + Math.clz32(a.w1 ^ b.w1);
  return a.w2 === b.w2 ? 96 + Math.clz32(a.w3 ^ b.w3) : 64 + Math.clz32(a.w2 ^ b.w2);
}

/** The word with all bits after the first `length` set; any length is allowed, below 0 as 0 and above 32 as 32. */
export function fillWord(word: number, length: number): number {
  // Shifts count modulo 32, so 32 and more must not come to the shift; 0xffffffff >>> 0 would be right, below 0 not.
  if (length >= 32) return word;
  return length <= 0 ? 0xffffffff : (word | (0xffffffff >>> length)) >>> 0;
}
