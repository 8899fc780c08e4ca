/** The four words of an address; those after the first are 0 for IPv4. (BigInt would take five times as long.) */
export type Words = readonly [number, number, number, number];

/**
 * The words with the bits of a number, the last of which is bit `end`, 1 to 128. A number has 32 bits at most, so it
 * falls into two words at most:
 *
 *     word        (end - 1) >>> 5, less 1       (end - 1) >>> 5
 *             +-------------------------+-------------------------+
 *             |              bits >>> (32 - shift) | bits << shift | shift |
 *             +-------------------------+-------------------------+
 */
export function withBits(words: Words, bits: number, end: number): Words {
  const next: [number, number, number, number] = [...words];
  const word = (end - 1) >>> 5; // 0 to 3
  const shift = -end & 31;
  next[word] = (next[word]! | (bits << shift)) >>> 0;
  // Shifts count modulo 32: by 32 bits would be by none.
  if (shift > 0 && word > 0) next[word - 1] = (next[word - 1]! | (bits >>> (32 - shift))) >>> 0;
  return next;
}

/** Whether all bits after the first `depth` are zero. `-1 >>> bit` has the bits from `bit` on. */
export function endsAt(words: Words, depth: number): boolean {
  for (let word = depth >>> 5, bit = depth & 31; word < 4; word++, bit = 0)
    if ((words[word]! & (-1 >>> bit)) !== 0) return false;
  return true;
}

/**
 * The first address after the block of the first `depth` bits of `words`, the others of which are zero; null after the
 * last one. One is added to the last of those bits, and a word that overflows carries one into the word before it.
 */
export function addressAfter(words: Words, depth: number): Words | null {
  //     depth 40     w0 | w1: 8 bits, 24 zeros | 0 | 0        the last of the 8 is 2 ** (-40 & 31) = 2 ** 24
  const next: [number, number, number, number] = [...words];
  if (depth === 0) return null;
  let carry = 2 ** (-depth & 31);
  for (let word = (depth - 1) >>> 5; word >= 0; word--) {
    const sum = next[word]! + carry; // below 2^33: exact
    next[word] = sum >>> 0;
    if (sum < 2 ** 32) return next;
    carry = 1;
  }
  return null;
}

/** By address: negative, 0 or positive. */
export function compareWords(a: Words, b: Words): number {
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2] || a[3] - b[3];
}
