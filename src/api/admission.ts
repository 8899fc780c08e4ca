import type { FastifyReply, FastifyRequest } from "fastify";
import type { Problem } from "./problem.ts";

/** How a door lets requests in. Both give what refuses one. */
export interface Admission {
  /** When the head of a request is there: its body is not read unless it is let in. */
  admit(request: FastifyRequest, reply: FastifyReply): Problem | undefined;
  /** When the body of a write is there, which may be long after: whether who sent it may still do so. */
  confirm(request: FastifyRequest): Problem | undefined;
}
