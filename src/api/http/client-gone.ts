import type { FastifyReply } from "fastify";
import { Problem } from "../problem.ts";

/** Aborted when the client closes its connection before it has the whole response: no one waits for the result. */
export function clientGone({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  raw.once("close", () => {
    if (!raw.writableFinished) gone.abort(new Problem("request-timeout", "the client has closed the connection"));
  });
  return gone.signal;
}
