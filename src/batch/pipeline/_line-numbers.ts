import type { AskFirstLine } from "./_shard-runner.ts";
import type { Stop } from "./_stop.ts";

/**
 * Numbers the lines of an input whose shards are processed at the same time, in any order. Only the thread that reads a
 * shard knows how many lines it has; the number of its first line is known once all shards before it have reported
 * theirs:
 *
 *     shard 1: 1 .. n     shard 2: n + 1 .. n + m     shard 3: n + m + 1 ..
 *              `--- n lines --^          `--- m lines --^
 */
export class LineNumbers {
  readonly #stop: Stop;
  /** The number of the first line of the next shard. */
  #next: Promise<number> = Promise.resolve(1);

  constructor(stop: Stop) {
    this.#stop = stop;
  }

  /** Starts another input, at the line with this number. */
  startAt(line: number): void {
    this.#next = Promise.resolve(line);
  }

  /** For the next shard: is called with its number of lines, and returns the number of its first one. */
  nextShard(): AskFirstLine {
    const first = this.#next;
    let count!: (textLines: number) => void;
    const counted = new Promise<number>((resolve) => (count = resolve));
    this.#next = Promise.all([first, counted]).then(([number, textLines]) => number + textLines);
    return (textLines) => {
      count(textLines);
      return this.#stop.orStopped(first); // a shard before it may fail
    };
  }
}
