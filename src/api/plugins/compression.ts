import { pipeline, type Readable } from "node:stream";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { compress, compressor, COMPRESSOR_BYTES, MIN_COMPRESSED } from "../http/compress.ts";
import { chooseCoding, type Coding, takesCoding, setCoding, vary } from "../http/content-coding.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /**
     * Whether its answer holds a secret, beside what the client may have chosen: its length would reveal it, if it
     * were compressed (BREACH).
     */
    readonly tellsSecret?: boolean;
  }

  interface FastifyRequest {
    /** Bytes that its answer takes until it has been read, where it is no text and no one else's, too. */
    answerBytes: number;
  }
}

/** Other types, such as gzip files, are not made shorter. */
const COMPRESSIBLE = /^(text\/|application\/([\w.-]+\+)?(json|x-ndjson)|image\/svg)/;

/**
 * Compresses answers for who asks for it, in threads of the pool, or while they are streamed. What comes coded, such as
 * files that are made once for all, stays as it is. Call it before the answers are counted: as long as it is
 * compressed, an answer is work.
 */
export function compressAnswers(app: FastifyInstance): void {
  app.decorateRequest("answerBytes", 0);
  app.addHook("onSend", (request, reply, payload, done) => {
    if (reply.statusCode === 304) vary(reply, "Accept-Encoding");
    if (!isBody(payload) || reply.hasHeader("content-encoding") || request.route?.config.tellsSecret === true)
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
    // What ends one of them ends the other, too; the framework learns it from the one that it sends.
    return pipeline(payload, compressor(coding), () => {});
  }
  const bytes = await compress(typeof payload === "string" ? Buffer.from(payload) : payload, coding, "once");
  setCoding(reply, coding);
  request.answerBytes = bytes.length;
  return bytes;
}
