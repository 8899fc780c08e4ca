/**
 * A small seeded generator of 32-bit words (xoshiro128**, Blackman and Vigna, "Scrambled linear pseudorandom number
 * generators", 2018): the same seed gives the same inputs on every machine, which is what the stored checksums rest on.
 */
export class Random {
  readonly #state = new Uint32Array(4);

  constructor(seed: number) {
    // splitmix32 spreads a small seed over the state, so that seeds 1 and 2 have nothing in common
    for (let i = 0; i < 4; i++) {
      seed = (seed + 0x9e3779b9) | 0;
      let mixed = Math.imul(seed ^ (seed >>> 16), 0x21f0aaad);
      mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
      this.#state[i] = mixed ^ (mixed >>> 15);
    }
  }

  /** The next word, 0..2^32-1. */
  word(): number {
    const state = this.#state;
    const s0 = state[0]!;
    const s1 = state[1]!;
    const product = Math.imul(s1, 5);
    const result = Math.imul((product << 7) | (product >>> 25), 9) >>> 0;
    state[2]! ^= s0;
    state[3]! ^= s1;
    state[1]! ^= state[2]!;
    state[0]! ^= state[3]!;
    state[2]! ^= s1 << 9;
    state[3] = (state[3]! << 11) | (state[3]! >>> 21);
    return result;
  }

  /** A whole number from 0 to `limit` - 1; `limit` at most 2^32. */
  below(limit: number): number {
    return Math.floor((this.word() / 4294967296) * limit);
  }
}

/** Ranks 0..`count`-1 with probability proportional to (rank + 1)^-`exponent`. */
export function zipf(random: Random, count: number, exponent: number): () => number {
  const cumulative = new Float64Array(count);
  let total = 0;
  for (let rank = 0; rank < count; rank++) cumulative[rank] = total += (rank + 1) ** -exponent;
  return () => {
    const target = (random.word() / 4294967296) * total;
    let low = 0;
    let high = count - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (cumulative[middle]! <= target) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}
