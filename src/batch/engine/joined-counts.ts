import type { MatchJoiner } from "./match-joiner.ts";

/**
 * Lines that one thread has counted by joined id, as lines by match id of each snapshot. They are added to these
 * whenever ids are forgotten, and at the end:
 *
 *     joined id      1: 5 lines       2: 3 lines
 *     stands for     7 and 3          7 and 0
 *     first          7: 8 lines
 *     second         3: 5 lines       0: 3 lines
 */
export class JoinedCounts {
  readonly #joiner: MatchJoiner;
  readonly #perJoined: Float64Array;
  readonly #perMatch: readonly Float64Array[];

  /** `perJoined` is what engines count in; `perMatch` is added to, one array per snapshot. */
  constructor(joiner: MatchJoiner, perJoined: Float64Array, perMatch: readonly Float64Array[]) {
    this.#joiner = joiner;
    this.#perJoined = perJoined;
    this.#perMatch = perMatch;
    joiner.onForget(() => this.settle());
  }

  /** Adds what has been counted since the last call. O(ids). */
  settle(): void {
    for (let id = 0; id <= this.#joiner.maxId; id++) {
      const lines = this.#perJoined[id]!;
      if (lines === 0) continue;
      this.#perJoined[id] = 0;
      for (const [at, match] of this.#joiner.matchesOf(id).entries()) this.#perMatch[at]![match]! += lines;
    }
  }
}
