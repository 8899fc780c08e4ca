import type { CutShard } from "./_cut-shards.ts";
import type { ShardResult } from "./messages.ts";

/**
 * A shard that was dispatched, which input it belongs to, and its result to come. `plan` is null for what is no shard:
 * the header of an input, or the end of one that fails.
 */
export interface InFlightShard {
  readonly plan: CutShard | null;
  readonly input: number;
  readonly result: Promise<ShardResult>;
}

/**
 * The shards in flight, in the order of their lines, which is the order in which they are settled. Two loops share it,
 * one that adds and one that removes; `changed` lets either wait for the other, and for whatever else calls `wake`.
 */
export class ShardQueue {
  readonly #shards: InFlightShard[] = [];
  readonly #waiting: (() => void)[] = [];
  #isComplete = false;

  get length(): number {
    return this.#shards.length;
  }

  get first(): InFlightShard | undefined {
    return this.#shards[0];
  }

  /** Whether no more will be added. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  add(shard: InFlightShard): void {
    shard.result.catch(() => {}); // seen when its turn comes
    this.#shards.push(shard);
    this.wake();
  }

  removeFirst(): void {
    this.#shards.shift();
    this.wake();
  }

  complete(): void {
    this.#isComplete = true;
    this.wake();
  }

  /** Resolves at the next call of `wake`. */
  changed(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
