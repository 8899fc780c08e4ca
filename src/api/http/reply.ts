import { Readable } from "node:stream";
import type { FastifyReply } from "fastify";
import { inSlices } from "../../turns/in-slices.ts";

const JSON_TYPE = "application/json; charset=utf-8";

/**
 * Lookups and checks of one request that are answered at once: a few milliseconds. More are answered by `streamJson`.
 */
export const MAX_AT_ONCE = 200;

/**
 * Answers with JSON that is written already. As a text, which is sent in one piece with the headers; bytes take a call
 * of the system more, but a long text is encoded for each answer.
 */
export function sendJson(reply: FastifyReply, json: string | Buffer): FastifyReply {
  return reply.type(JSON_TYPE).send(json);
}

export function sendText(reply: FastifyReply, type: string, text: string | Buffer): FastifyReply {
  return reply.type(`${type}; charset=utf-8`).send(text);
}

/** Answers with JSON that is made while it is sent: no faster than the client reads, and with requests in between. */
export function streamJson(reply: FastifyReply, parts: Iterable<string>): FastifyReply {
  return reply.type(JSON_TYPE).send(streamOf(parts));
}

/** The bytes of texts that are made while they are sent. */
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

// oxlint-disable-next-line require-yield -- it is one step of work
function* oneOf(parts: Iterator<string>): Generator<undefined, IteratorResult<string>, undefined> {
  return parts.next();
}
