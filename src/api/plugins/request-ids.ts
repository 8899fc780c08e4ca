import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { FastifyInstance } from "fastify";
import { mayHaveSecret } from "../http/redact.ts";

const SANE = /^[A-Za-z0-9._~+/=:-]{1,128}$/;

/** The client's `X-Request-Id` if it is a plain token without a credential in it, otherwise a new id. */
export function requestId({ headers }: Pick<IncomingMessage, "headers">): string {
  const given = headers["x-request-id"];
  return typeof given === "string" && SANE.test(given) && !mayHaveSecret(given) ? given : randomUUID();
}

/** Every response carries the id of its request. */
export function addRequestIds(app: FastifyInstance): void {
  app.addHook("onRequest", (request, reply, done) => {
    reply.header("x-request-id", request.id);
    done();
  });
}
