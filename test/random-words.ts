/** Pseudo-random words of 32 bits from a seed that is not 0 (xorshift, G. Marsaglia 2003). */
export function randomWords(seed: number): () => number {
  let state = seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
}
