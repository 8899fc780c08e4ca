import type { MalformedInputLine, RepeatedAddress } from "../identify-result.ts";
import type { TimeCount } from "../engine/time-counter.ts";
import type { InputPosition } from "./_input-position.ts";
import type { ShardResult } from "../engine/messages.ts";

/** Malformed lines whose positions are kept. */
const MAX_MALFORMED_LINES = 20;

/** What a run has counted so far: lines when their shard is settled, bytes as they are read. */
export class RunTotals {
  lines = 0;
  /** Lines with an address, and how many of them have a match. */
  addresses = 0;
  matched = 0;
  malformed = 0;
  readonly malformedLines: MalformedInputLine[] = [];
  /** By the beginning of each minute, hour or day; NaN: lines without a time. */
  readonly times = new Map<number, TimeCount>();
  repeatedAddress: RepeatedAddress | null = null;
  readonly emptyInputs: string[] = [];
  /** Bytes of the inputs as they are stored. */
  bytesRead = 0;
  /** Bytes of rows, before compression. */
  bytesWritten = 0;
  /** Bytes of the shards that are settled. */
  #bytesDone = 0;

  /** Bytes of rows per byte of lines, as far as known; 0: unknown. */
  get rowGrowth(): number {
    return this.#bytesDone === 0 ? 0 : this.bytesWritten / this.#bytesDone;
  }

  /** Adds a part of a shard, whose first line is the next one of the input. */
  add(part: ShardResult, position: InputPosition): void {
    this.lines += part.lines;
    this.addresses += part.addresses;
    this.matched += part.matched;
    this.malformed += part.malformed;
    for (const { from, lines, addresses, matched } of part.times) {
      const count = this.times.get(from) ?? { from, lines: 0, addresses: 0, matched: 0 };
      this.times.set(from, count);
      count.lines += lines;
      count.addresses += addresses;
      count.matched += matched;
    }
    for (const { linesBefore, column, reason } of part.malformedLines.slice(
      0,
      MAX_MALFORMED_LINES - this.malformedLines.length,
    )) {
      this.malformedLines.push({ file: position.file, line: position.nextLine + linesBefore, column, reason });
    }
  }

  shardDone(bytes: number): void {
    this.#bytesDone += bytes;
  }
}
