import { addressTexts } from "./texts.ts";
import { ensureDataset, readDataset } from "./dataset.ts";
import { Random } from "./random.ts";
import type { QueryKind } from "./queries.ts";
import type { Dataset, DatasetName } from "./dataset.ts";

/** Addresses of which a share is drawn, with their values in the table. */
interface Pool {
  readonly texts: readonly string[];
  /** The value id of each address, 0 = none. */
  readonly values: Uint32Array;
  /** Up to this number of a hundred draws comes from this pool or one before it. */
  readonly upTo: number;
}

/** Which queries of which tables are drawn from, and the number of a hundred draws up to which each is. */
export type Mix = readonly (readonly [DatasetName, QueryKind, number])[];

/**
 * Of a hundred lines 45 have a routed IPv4 address, 45 any IPv4 address, 9 a routed IPv6 address and 1 any of 2000::/3.
 */
export const BOTH_FAMILIES: Mix = [
  ["routed4", "hits", 45],
  ["routed4", "uniform", 90],
  ["routed6", "hits", 99],
  ["routed6", "uniform", 100],
];

/** Addresses drawn from the queries of datasets: seeded, each with its right answer. */
export class LineSource {
  readonly #pools: readonly Pool[];
  readonly #random: Random;

  private constructor(pools: readonly Pool[], seed: number) {
    this.#pools = pools;
    this.#random = new Random(seed);
  }

  static async create(seed: number, mix: Mix): Promise<LineSource> {
    const datasets = new Map<DatasetName, Dataset>();
    for (const [name] of mix) {
      await ensureDataset(name);
      if (!datasets.has(name)) datasets.set(name, readDataset(name));
    }
    const pools = mix.map(([name, kind, upTo]): Pool => {
      const { table, queries } = datasets.get(name)!;
      return { texts: addressTexts(table.family, queries[kind].words), values: queries[kind].answers, upTo };
    });
    return new LineSource(pools, seed);
  }

  get random(): Random {
    return this.#random;
  }

  next(): { text: string; value: number } {
    const draw = this.#random.below(100);
    const pool = this.#pools.find(({ upTo }) => draw < upTo)!;
    const index = this.#random.below(pool.texts.length);
    return { text: pool.texts[index]!, value: pool.values[index]! };
  }
}

/** The tables that the lines are drawn from. */
export const LINE_TABLES: readonly DatasetName[] = ["routed4", "routed6"];
