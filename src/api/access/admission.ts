import type { FastifyReply, FastifyRequest } from "fastify";

/** How requests are admitted. Both methods return the error if the request is rejected. */
export interface Admission {
  /** Called when the headers have arrived: the body is read only if the request is admitted. */
  admit(request: FastifyRequest, reply: FastifyReply): Error | undefined;
  /** Called when the body of a write has arrived, possibly much later: whether the caller may still send it. */
  confirm(request: FastifyRequest): Error | undefined;
}
