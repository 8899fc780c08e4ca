import type { FastifyInstance } from "fastify";

/**
 * Headers of every response, including errors: browsers do not guess another type from the content, show it within
 * other sites, or keep it unless the operation says so.
 */
export const SAFE_HEADERS = {
  "x-content-type-options": "nosniff",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-store",
} as const;

/** An operation whose responses may be cached sets `cache-control` itself. */
export function setSafeHeaders(app: FastifyInstance): void {
  app.addHook("onRequest", (_request, reply, done) => {
    reply.headers(SAFE_HEADERS);
    done();
  });
}
