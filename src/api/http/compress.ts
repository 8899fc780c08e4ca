import type { Transform } from "node:stream";
import { promisify } from "node:util";
import {
  brotliCompress,
  type BrotliOptions,
  constants,
  createBrotliCompress,
  createGzip,
  gzip,
  type ZlibOptions,
} from "node:zlib";
import type { Coding } from "./content-coding.ts";

const { BROTLI_OPERATION_FLUSH, BROTLI_PARAM_LGWIN, BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT, Z_SYNC_FLUSH } =
  constants;

/** `once`: for one response. `forAll`: kept for all clients, and worth more time. */
export type Effort = "once" | "forAll";

/** Minimum bytes of a response that is compressed: a shorter one fits into one packet anyway. */
export const MIN_COMPRESSED = 1024;

const QUALITY: Readonly<Record<Effort, Readonly<Record<Coding, number>>>> = {
  once: { br: 4, gzip: 5 },
  forAll: { br: 9, gzip: 9 },
};
const CHUNK = 64 << 10;
/** Brotli's window as a power of two: about as much memory as gzip uses, some 300 kB. */
const WINDOW = 16;
/** Approximate bytes that the compressor of a stream uses. */
export const COMPRESSOR_BYTES: number = 300 << 10;

const compressors = {
  br: promisify<Uint8Array, BrotliOptions, Buffer>(brotliCompress),
  gzip: promisify<Uint8Array, ZlibOptions, Buffer>(gzip),
};

/** Runs in a thread of the pool, whatever the length. */
export function compress(bytes: Uint8Array, coding: Coding, effort: Effort): Promise<Buffer> {
  const quality = QUALITY[effort][coding];
  if (coding === "gzip") return compressors.gzip(bytes, { level: quality, chunkSize: CHUNK });
  return compressors.br(bytes, {
    params: { [BROTLI_PARAM_QUALITY]: quality, [BROTLI_PARAM_SIZE_HINT]: bytes.length },
    chunkSize: CHUNK,
  });
}

/**
 * A stream that passes on everything it has received before it waits for more: a client that has sent a line is waiting
 * for its result.
 */
export function compressor(coding: Coding): Transform {
  const quality = QUALITY.once[coding];
  if (coding === "gzip") return createGzip({ level: quality, chunkSize: CHUNK, flush: Z_SYNC_FLUSH });
  return createBrotliCompress({
    params: { [BROTLI_PARAM_QUALITY]: quality, [BROTLI_PARAM_LGWIN]: WINDOW },
    flush: BROTLI_OPERATION_FLUSH,
  });
}
