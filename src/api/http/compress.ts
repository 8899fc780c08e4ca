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

/** `once`: for one answer. `forAll`: kept for all who ask, and worth more time. */
export type Effort = "once" | "forAll";

/** Bytes of an answer from which on it is compressed: a shorter one fits into one packet as it is. */
export const MIN_COMPRESSED = 1024;

const QUALITY: Readonly<Record<Effort, Readonly<Record<Coding, number>>>> = {
  once: { br: 4, gzip: 5 },
  forAll: { br: 9, gzip: 9 },
};
const CHUNK = 64 << 10;
/** Of brotli's window, as a power of two: as much as gzip has of memory, some 300 kB. */
const WINDOW = 16;
/** Bytes that a stream's compressor takes, roughly. */
export const COMPRESSOR_BYTES: number = 300 << 10;

const compressors = {
  br: promisify<Uint8Array, BrotliOptions, Buffer>(brotliCompress),
  gzip: promisify<Uint8Array, ZlibOptions, Buffer>(gzip),
};

/** In a thread of the pool, however long it is. */
export function compress(bytes: Uint8Array, coding: Coding, effort: Effort): Promise<Buffer> {
  const quality = QUALITY[effort][coding];
  if (coding === "gzip") return compressors.gzip(bytes, { level: quality, chunkSize: CHUNK });
  return compressors.br(bytes, {
    params: { [BROTLI_PARAM_QUALITY]: quality, [BROTLI_PARAM_SIZE_HINT]: bytes.length },
    chunkSize: CHUNK,
  });
}

/** A stream that gives on what it has been given before it waits for more: who has sent a line waits for its answer. */
export function compressor(coding: Coding): Transform {
  const quality = QUALITY.once[coding];
  if (coding === "gzip") return createGzip({ level: quality, flush: Z_SYNC_FLUSH });
  return createBrotliCompress({
    params: { [BROTLI_PARAM_QUALITY]: quality, [BROTLI_PARAM_LGWIN]: WINDOW },
    flush: BROTLI_OPERATION_FLUSH,
  });
}
