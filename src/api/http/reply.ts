import { Readable } from "node:stream";
import type { FastifyReply } from "fastify";
import { inSlices } from "../../turns/in-slices.ts";

const JSON_TYPE = "application/json; charset=utf-8";

/**
 * Lookups and checks of one request that are processed in one step: a few milliseconds. Longer responses use
 * `streamJson`.
 */
export const MAX_AT_ONCE = 200;

/**
 * Sends JSON text. A string goes out in one piece with the headers; bytes need another system call, but a long string
 * would be encoded for each response.
 */
export function sendJson(reply: FastifyReply, json: string | Buffer): FastifyReply {
  return reply.type(JSON_TYPE).send(json);
}

export function sendText(reply: FastifyReply, type: string, text: string | Buffer): FastifyReply {
  return reply.type(`${type}; charset=utf-8`).send(text);
}

/**
 * Sends JSON that is produced while it is sent: no faster than the client reads, with other requests served in between.
 */
export function streamJson(reply: FastifyReply, parts: Iterable<string>): FastifyReply {
  return reply.type(JSON_TYPE).send(streamOf(parts));
}

/** The bytes of texts that are produced while they are sent. */
export function streamOf(parts: Iterable<string>): Readable {
  return Readable.from(inTurns(parts[Symbol.iterator]()), { objectMode: false });
}

async function* inTurns(parts: Iterator<string>): AsyncGenerator<Buffer> {
  for (;;) {
    const { done, value } = await inSlices(oneOf(parts));
    if (done === true) return;
    yield Buffer.from(value);
  }
}

// oxlint-disable-next-line require-yield -- one step of work
function* oneOf(parts: Iterator<string>): Generator<undefined, IteratorResult<string>, undefined> {
  return parts.next();
}
