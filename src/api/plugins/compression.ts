import { pipeline, type Readable } from "node:stream";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { compress, compressor, COMPRESSOR_BYTES, MIN_COMPRESSED } from "../http/compress.ts";
import { chooseCoding, type Coding, takesCoding, setCoding, vary } from "../http/content-coding.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /**
     * Whether its response contains a secret besides text that a client may have chosen: if it were compressed, its
     * length would reveal the secret (BREACH).
     */
    readonly hasSecret?: boolean;
  }

  interface FastifyRequest {
    /**
     * Bytes of the response that are in memory until the client has read it; not set for strings and for shared bytes.
     */
    answerBytes: number;
  }
}

/** Other types, such as gzip files, do not get shorter; events would wait for more of them. */
const COMPRESSIBLE = /^(text\/(?!event-stream)|application\/([\w.-]+\+)?(json|x-ndjson)|image\/svg)/;

/**
 * Compresses responses for clients that accept it, in threads of the pool or while they are streamed. Responses that
 * are already coded, such as shared files, are left alone. Call it before responses are counted: a response counts as
 * work until it is compressed.
 */
export function compressAnswers(app: FastifyInstance): void {
  app.decorateRequest("answerBytes", 0);
  app.addHook("onSend", (request, reply, payload, done) => {
    // Also set for responses too short to be compressed, so that caches learn the same from a 200 as from a 304.
    if (reply.statusCode === 304 || reply.hasHeader("etag")) vary(reply, "Accept-Encoding");
    if (!isBody(payload) || reply.hasHeader("content-encoding") || request.route?.config.hasSecret === true)
      return done(null, payload);
    const isWorthIt =
      COMPRESSIBLE.test(String(reply.getHeader("content-type"))) &&
      (isStream(payload) || payload.length >= MIN_COMPRESSED);
    if (isWorthIt) vary(reply, "Accept-Encoding");
    if (!isWorthIt && takesCoding(request, undefined)) return done(null, payload);
    const coding = chooseCoding(request);
    if (coding === undefined) return done(null, payload);
    answerCoded(request, reply, payload, coding).then((coded) => done(null, coded), done);
  });
}

type Body = string | Buffer | Readable;

function isBody(payload: unknown): payload is Body {
  return typeof payload === "string"
    ? payload !== ""
    : Buffer.isBuffer(payload)
      ? payload.length > 0
      : isStream(payload);
}

function isStream(payload: unknown): payload is Readable {
  return typeof (payload as Readable | null | undefined)?.pipe === "function";
}

async function answerCoded(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: Body,
  coding: Coding,
): Promise<Buffer | Readable> {
  if (isStream(payload)) {
    setCoding(reply, coding);
    request.answerBytes = COMPRESSOR_BYTES;
    // If one of the two streams ends, so does the other; the framework notices through the one that it sends.
    return pipeline(payload, compressor(coding), () => {});
  }
  const bytes = await compress(typeof payload === "string" ? Buffer.from(payload) : payload, coding, "once");
  setCoding(reply, coding);
  request.answerBytes = bytes.length;
  return bytes;
}
