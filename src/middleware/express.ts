import type { IncomingMessage, ServerResponse } from "node:http";
import { denial, PROBLEM_TYPE } from "./denial.ts";
import { Guard, type GuardOptions } from "./guard.ts";
import type { Visit } from "./visit.ts";

/** What the middleware needs from a request: one of Express, Connect, or plain `node:http`. */
export type GuardedRequest = IncomingMessage & { ipsieve?: Visit; readonly originalUrl?: string };

/** Continues with the next middleware, or with the error handler. */
export type Next = (error?: unknown) => void;

/** The options of the middleware. `Request` and `Response` are those of your framework. */
export interface ExpressGuardOptions<Request = GuardedRequest, Response = ServerResponse> extends GuardOptions {
  /**
   * Responds to a denied request, instead of the problem document with status 403; no further middleware runs. What it
   * throws goes to the error handler.
   */
  readonly onDeny?: (request: Request, response: Response, visit: Visit) => unknown;
}

declare global {
  // The types of Express merge it into their request.
  namespace Express {
    interface Request {
      /** What is known about the client, once the middleware of `ipsieve/express` has run. */
      ipsieve?: Visit;
    }
  }
}

/**
 * Middleware that finds the client of every request behind your proxies, decides by rulesets whether to allow it, and
 * describes it in `request.ipsieve`.
 *
 *     app.use(guard({ deny: blocklist, trustedProxies: ["10.0.0.0/8"] }));
 *
 * @throws TypeError for invalid options, AddressError for a malformed proxy
 */
export function guard<Request = GuardedRequest, Response = ServerResponse>(
  options: ExpressGuardOptions<Request, Response> = {},
): (request: GuardedRequest, response: ServerResponse, next: Next) => void {
  const { onDeny, ...rest } = options;
  if (onDeny !== undefined && typeof onDeny !== "function") throw new TypeError("onDeny is a function");
  const decider = new Guard(rest);
  const deny = (onDeny ?? answer) as (request: GuardedRequest, response: ServerResponse, visit: Visit) => unknown;
  return (request, response, next) => {
    try {
      const visit = decider.visit(request.socket.remoteAddress, request.headers);
      request.ipsieve = visit;
      if (!decider.denies(visit)) return next();
      // Not only of promises of this realm; `async` makes every failure a rejection.
      void (async () => deny(request, response, visit))().catch(next);
    } catch (error) {
      next(error);
    }
  };
}

function answer(request: GuardedRequest, response: ServerResponse, visit: Visit): void {
  const body = JSON.stringify(denial(visit, request.originalUrl ?? request.url ?? "/"));
  response.statusCode = 403;
  response.setHeader("Content-Type", PROBLEM_TYPE);
  response.setHeader("Content-Length", Buffer.byteLength(body));
  response.end(request.method === "HEAD" ? undefined : body);
}
