import type { Writable } from "node:stream";
import { SLACK } from "../engine/thread-sizes.ts";
import type { RowOutput } from "../output/open-output.ts";
import { type RunMemory, viewOf } from "./_run-memory.ts";
import type { SharedBytes } from "../engine/messages.ts";

/** Where rows go: the output, and the buffers in which threads write them, which are reused. */
export class RowSink {
  readonly #memory: RunMemory;
  readonly #output: RowOutput;
  readonly #bufferBytes: number;
  readonly #spare: SharedBytes[] = [];

  private constructor(memory: RunMemory, output: RowOutput, rowBytes: number) {
    this.#memory = memory;
    this.#output = output;
    this.#bufferBytes = rowBytes + SLACK;
  }

  /** A buffer has room for `rowBytes` bytes of rows. */
  static async open(
    output: Writable | { readonly path: string },
    memory: RunMemory,
    rowBytes: number,
    stop: AbortSignal,
  ): Promise<RowSink> {
    // Loaded here, because runs that only count do not need it.
    const { openOutput } = await import("../output/open-output.ts");
    return new RowSink(memory, await openOutput(output, stop), rowBytes);
  }

  takeBuffer(): SharedBytes {
    return this.#spare.pop() ?? this.#memory.take(this.#bufferBytes).block;
  }

  /** Takes back a buffer; a larger one, made for a single row, is left to the garbage collector. */
  giveBack(buffer: SharedBytes): void {
    if (buffer.byteLength === this.#bufferBytes) this.#spare.push(buffer);
  }

  async write(rows: SharedBytes, byteLength: number): Promise<void> {
    this.#memory.hold(rows);
    try {
      await this.#output.write(viewOf(rows, this.#memory.memory).bytes.subarray(0, byteLength));
    } finally {
      this.#memory.letGo();
    }
  }

  /** Completes the output. */
  finish(): Promise<void> {
    return this.#output.finish();
  }

  /** Leaves nothing of the output behind, as far as possible. */
  discard(): Promise<void> {
    return this.#output.discard();
  }
}
