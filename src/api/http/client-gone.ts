import type { FastifyReply } from "fastify";
import { Problem } from "../problem.ts";

/** Aborted when the client closes its connection before it has the whole response: no one waits for the result. */
export function clientGone({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  const check = (): void => {
    if (!raw.writableFinished) gone.abort(new Problem("request-timeout", "the client has closed the connection"));
  };
  // The client may have closed it while the body was being read; the event has then already fired.
  if (raw.destroyed) check();
  else raw.once("close", check);
  return gone.signal;
}
