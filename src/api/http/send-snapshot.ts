import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { OfferedSnapshot } from "../../service/snapshots/offered-snapshot.ts";
import { readByteRange } from "./byte-range.ts";
import { takesCoding } from "./content-coding.ts";
import { isKnown } from "./entity-tags.ts";

/** The media type of snapshots, which only this program uses. */
export const SNAPSHOT_TYPE = "application/octet-stream";

/** Bytes passed on at a time; the next ones follow once the client has taken them. */
const PIECE = 1 << 16;

/** Sends a snapshot or, if the request is for a range of its bytes, a part of it. All responses share its memory. */
export function sendSnapshot(
  request: FastifyRequest,
  reply: FastifyReply,
  { bytes, tag, digest }: OfferedSnapshot,
  fileName: string,
): FastifyReply {
  if (isKnown(request, reply, tag)) return reply.code(304).send();
  reply.headers({
    "accept-ranges": "bytes",
    "repr-digest": `sha-256=:${digest}:`,
    "content-disposition": `attachment; filename="${fileName}"`,
  });
  reply.type(SNAPSHOT_TYPE);
  // A client that refuses the uncompressed form gets a compressed one. Its bytes differ, so ranges do not apply to it.
  if (!takesCoding(request, undefined)) return reply.send(Readable.from(piecesOf(bytes)));
  const range = request.method === "GET" ? readByteRange(request, tag, bytes.length) : undefined;
  const { start, end } = range ?? { start: 0, end: bytes.length };
  if (range !== undefined) reply.code(206).header("content-range", `bytes ${start}-${end - 1}/${bytes.length}`);
  // For a buffer, the framework would send only the length.
  if (request.method === "HEAD") return reply.send(Buffer.from(bytes.buffer, 0, bytes.length));
  reply.header("content-length", end - start);
  return reply.send(Readable.from(piecesOf(bytes.subarray(start, end)), { objectMode: false }));
}

/** Copied, because sockets do not accept shared memory. */
function* piecesOf(bytes: Uint8Array): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += PIECE) yield Buffer.from(bytes.slice(at, at + PIECE));
}
