import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { OfferedSnapshot } from "../../service/snapshots/offered-snapshot.ts";
import { readByteRange } from "./byte-range.ts";
import { takesCoding } from "./content-coding.ts";
import { isKnown } from "./entity-tags.ts";

/** Its media type: of no program but ours. */
export const SNAPSHOT_TYPE = "application/octet-stream";

/** Bytes that are passed on at a time, as fast as the client takes them. */
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
  // Who refuses what is not compressed gets it compressed: then there are other bytes, and no ranges of these.
  if (!takesCoding(request, undefined)) return reply.send(Readable.from(piecesOf(bytes)));
  const range = request.method === "GET" ? readByteRange(request, tag, bytes.length) : undefined;
  const { start, end } = range ?? { start: 0, end: bytes.length };
  if (range !== undefined) reply.code(206).header("content-range", `bytes ${start}-${end - 1}/${bytes.length}`);
  // Of a buffer the framework sends only the length.
  if (request.method === "HEAD") return reply.send(Buffer.from(bytes.buffer, 0, bytes.length));
  reply.header("content-length", end - start);
  return reply.send(Readable.from(piecesOf(bytes.subarray(start, end)), { objectMode: false }));
}

/** Copies, as a socket takes no memory that threads share. */
function* piecesOf(bytes: Uint8Array): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += PIECE) yield Buffer.from(bytes.slice(at, at + PIECE));
}
