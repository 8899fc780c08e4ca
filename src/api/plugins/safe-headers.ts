import type { FastifyInstance } from "fastify";

/**
 * Headers of every answer, errors too: no browser guesses another type from the content, shows it within other sites,
 * or keeps it unless the operation says so.
 */
export const SAFE_HEADERS = {
  "x-content-type-options": "nosniff",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-store",
} as const;

/** An operation whose answers may be kept sets `cache-control` itself. */
export function setSafeHeaders(app: FastifyInstance): void {
  app.addHook("onRequest", (_request, reply, done) => {
    reply.headers(SAFE_HEADERS);
    done();
  });
}
