import type { CutShard } from "./_text-buffer.ts";
import type { ShardResult } from "../engine/messages.ts";

/**
 * A dispatched shard, its input, and its pending result. `plan` is null for anything that is not a shard: the header of
 * an input, or the end of one that fails.
 */
export interface InFlightShard {
  readonly plan: CutShard | null;
  readonly input: number;
  readonly result: Promise<ShardResult>;
}

/**
 * The shards in flight, in the order of their lines, in which they are settled. Two loops share it, one that adds and
 * one that removes; with `changed`, either waits for the other, and for anything else that calls `wake`.
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
    shard.result.catch(() => {}); // reported when its turn comes
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
