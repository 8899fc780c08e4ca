import { addressTexts } from "./texts.ts";
import { ensureDataset, readDataset } from "./dataset.ts";
import { Random } from "./random.ts";
import type { QueryKind } from "./queries.ts";
import type { DatasetName } from "./dataset.ts";

/** Addresses of which a share is drawn, with what the routed table says of them. */
interface Pool {
  readonly texts: readonly string[];
  readonly isHit: readonly boolean[];
  /** Up to this number of a hundred draws comes from this pool or one before it. */
  readonly upTo: number;
}

/** Of a hundred lines 45 have a routed IPv4 address, 45 any IPv4 address, 9 a routed IPv6 address and 1 any of 2000::/3. */
export class LineSource {
  readonly #pools: readonly Pool[];
  readonly #random: Random;

  private constructor(pools: readonly Pool[], seed: number) {
    this.#pools = pools;
    this.#random = new Random(seed);
  }

  static async create(seed: number): Promise<LineSource> {
    await ensureDataset("routed4");
    await ensureDataset("routed6");
    const [routed4, routed6] = [readDataset("routed4"), readDataset("routed6")];
    const pool = (dataset: typeof routed4, kind: QueryKind, upTo: number): Pool => {
      const { words, answers } = dataset.queries[kind];
      return { texts: addressTexts(dataset.table.family, words), isHit: Array.from(answers, (answer) => answer !== 0), upTo };
    };
    return new LineSource(
      [pool(routed4, "hits", 45), pool(routed4, "uniform", 90), pool(routed6, "hits", 99), pool(routed6, "uniform", 100)], seed);
  }

  get random(): Random {
    return this.#random;
  }

  next(): { text: string; isHit: boolean } {
    const draw = this.#random.below(100);
    const pool = this.#pools.find(({ upTo }) => draw < upTo)!;
    const index = this.#random.below(pool.texts.length);
    return { text: pool.texts[index]!, isHit: pool.isHit[index]! };
  }
}

/** The tables that the lines are drawn from. */
export const LINE_TABLES: readonly DatasetName[] = ["routed4", "routed6"];
