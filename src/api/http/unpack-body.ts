import { createGunzip } from "node:zlib";
import { Problem } from "../problem.ts";
import type { ArrivingBody } from "./arriving-body.ts";

/** Bytes that are unpacked at a time. */
const PART = 64 << 10;

/**
 * What a body of gzip unpacks to, at most `limit` bytes. It counts towards the memory for bodies, part by part, so that
 * no more is unpacked than may be kept. Rejects with Problem (400, 408, 413, 503). O(unpacked bytes).
 */
export async function unpackBody(body: ArrivingBody, limit: number): Promise<Buffer> {
  const packed = await body.whole();
  // A body that can never fit beside its packed form is a different error, because trying again would not help.
  const most = Math.min(limit, body.maxKept - packed.length);
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of partsOf(packed)) {
    length += part.length;
    if (length > most) throw new Problem("content-too-large", `the body is longer than ${most} bytes unpacked`);
    body.keep(part.length);
    parts.push(part);
  }
  return Buffer.concat(parts, length);
}

async function* partsOf(packed: Buffer): AsyncGenerator<Buffer, void, undefined> {
  const gunzip = createGunzip({ chunkSize: PART });
  gunzip.end(packed);
  try {
    yield* gunzip as AsyncIterable<Buffer>;
  } catch {
    throw new Problem("validation-error", "the body is not gzip, although Content-Encoding says so");
  }
  // The decoder ignores what follows a member if that begins with a NUL.
  if (gunzip.bytesWritten < packed.length)
    throw new Problem(
      "validation-error",
      `the body is not gzip: what follows byte ${gunzip.bytesWritten} is no further member`,
    );
}
