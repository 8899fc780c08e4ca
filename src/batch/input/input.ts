import type { Readable } from "node:stream";

/** The first line is searched for in this much of an input; of a longer line, this much is examined. */
export const HEAD_BYTES: number = 1024 * 1024;

/**
 * An input that is ready to be read: a plain file, at any position, or the decompressed bytes of anything else, in
 * order.
 */
export type OpenInput = {
  readonly name: string;
  /**
   * Its beginning, as much as `isEnough` requires: it is called with more and more bytes, `HEAD_BYTES` at most. To be
   * called before anything is read.
   */
  peek(isEnough: (head: Buffer) => boolean): Promise<Buffer>;
  /** All its bytes, decompressed. */
  chunks(): AsyncGenerator<Buffer>;
} &
  /** Its bytes are `[start, size)` of the file. */
  (
    | {
        readonly kind: "file";
        readonly descriptor: number;
        readonly start: number;
        readonly size: number;
        /** Reads bytes from a position of the file on to `into[at, ...)`: returns how many, 0 at its end. */
        readTo(into: Buffer, at: number, length: number, position: number): Promise<number>;
        close(): void;
      }
    | { readonly kind: "stream" }
  );

/** The name of an input in messages. */
export function inputName(input: string | Readable): string {
  return typeof input === "string" ? input : "input stream";
}
