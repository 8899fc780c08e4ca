import type { BatchLimits } from "../identify-options.ts";
import type { RunTotals } from "./_run-totals.ts";

const FIRST_SHARD_BYTES = 64 * 1024;
/** Maximum number of times that shards double in size; the size limit is reached long before. */
const MAX_DOUBLINGS = 16;
/** How much of a row buffer the rows of a shard are expected to fill. */
const FILL = 0.8;

/** Decides how large the next shard is: this affects speed and memory, never results. */
export class ShardSizer {
  readonly #limits: BatchLimits;
  readonly #totals: RunTotals;
  #shards = 0;
  #bytes = 0;

  constructor(limits: BatchLimits, totals: RunTotals) {
    this.#limits = limits;
    this.#totals = totals;
  }

  /** Bytes of all shards so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Counts a shard that was cut. */
  add(bytes: number): void {
    this.#shards++;
    this.#bytes += bytes;
  }

  /** Small at first, so that all threads have work soon; then so that the rows of a shard fit into a row buffer. */
  next(): number {
    const { shardBytes, rowBytes } = this.#limits;
    const ramp = FIRST_SHARD_BYTES * 2 ** Math.min(this.#shards, MAX_DOUBLINGS);
    const growth = this.#totals.rowGrowth;
    const fitting = growth === 0 ? shardBytes : (FILL * rowBytes) / growth;
    return Math.max(1, Math.trunc(Math.min(shardBytes, ramp, Math.max(fitting, FIRST_SHARD_BYTES))));
  }
}
