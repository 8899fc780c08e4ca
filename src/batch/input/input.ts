import type { Readable } from "node:stream";

/** The first line is searched for in this much of an input; of a longer one, this much is taken for it. */
export const HEAD_BYTES: number = 1024 * 1024;

/**
 * An input that is ready to be read: a plain file, at any position, or the decompressed bytes of anything else, in
 * order.
 */
export type OpenInput = {
  readonly name: string;
  /**
   * Its beginning, as far as `isEnough` wants it: it is asked about ever more bytes, `HEAD_BYTES` at most. Before
   * anything is read.
   */
  peek(isEnough: (head: Buffer) => boolean): Promise<Buffer>;
  /** All its bytes, decompressed. */
  chunks(): AsyncGenerator<Buffer>;
} & (
  | { readonly kind: "file"; readonly descriptor: number; readonly size: number; close(): void }
  | { readonly kind: "stream" }
);

/** What messages call an input. */
export function inputName(input: string | Readable): string {
  return typeof input === "string" ? input : "input stream";
}
