import type { FastifyReply, FastifyRequest } from "fastify";

/** How requests are let in. Both give the error of one that is not. */
export interface Admission {
  /** When the head of a request is there: its body is not read unless it is let in. */
  admit(request: FastifyRequest, reply: FastifyReply): Error | undefined;
  /** When the body of a write is there, which may be long after: whether who sent it may still do so. */
  confirm(request: FastifyRequest): Error | undefined;
}
