import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { bodyTypesOf } from "../openapi/operations.ts";
import { Problem, type ProblemKind } from "../problem.ts";
import { problemOf } from "../problem-of.ts";
import { redact, safePath } from "../http/redact.ts";
import { streamOf } from "../http/reply.ts";
import { joined } from "../../service/encoded.ts";
import { ServiceError } from "../../service/service-error.ts";
import type { Services } from "../../service/services.ts";
import type { RouteScope } from "../operation.ts";
import { SAFE_HEADERS } from "./safe-headers.ts";

declare module "fastify" {
  interface FastifyInstance {
    /** The RateLimit headers of an address, for responses sent before a key is checked. */
    addressWindow(address: string): Readonly<Record<string, string>>;
  }
}

/** Responds to every error with a problem document; unexpected errors are logged and reported without details. */
export function answerProblems(app: FastifyInstance, { access: { failureLimits }, settings }: Services): void {
  app.decorate("addressWindow", (address: string) => failureLimits.peek(address, settings.failuresPerMinute).headers);
  app.setErrorHandler((error: Error, request, reply) => {
    // The framework closes the connection whenever a body is rejected, because more of it may come: see
    // early-answers.ts for when that is so.
    if (!app.connections.isClosing && mayStay(request)) reply.header("connection", "keep-alive");
    // If no route takes the request, what else is wrong with it does not matter.
    const isOurs = error instanceof Problem || error instanceof ServiceError;
    const isRefused = !isOurs || ABOUT_REQUEST.has(problemOf(error).kind);
    return answerError(request.is404 && isRefused ? notRouted(app, request) : error, request, reply);
  });
  app.setNotFoundHandler((request, reply) => answerProblem(notRouted(app, request), request, reply));
}

/** Whether the client wants to keep its connection. */
function mayStay({ raw: { httpVersion, headers } }: FastifyRequest): boolean {
  return httpVersion === "1.1" && !/\bclose\b/i.test(headers.connection ?? "");
}

/** Problems about the content of a request. */
const ABOUT_REQUEST: ReadonlySet<ProblemKind> = new Set([
  "validation-error",
  "content-too-large",
  "unsupported-media-type",
]);

export function answerError(error: Error, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const problem = withTypes(problemOf(error), error, request);
  // A client that disconnects in the middle of a body gets no response, and nothing is wrong with the server.
  const isGone =
    (request.raw.destroyed && !request.raw.complete) || (error as FastifyError).code === "ERR_STREAM_PREMATURE_CLOSE";
  if (problem.status >= 500 && problem.kind !== "service-unavailable" && !isGone)
    request.log.error({ request_id: request.id, err: error }, "unexpected error");
  return answerProblem(problem, request, reply);
}

/** For a body of another type, the error names the types that the operation accepts. */
function withTypes(problem: Problem, error: Error, { route }: FastifyRequest): Problem {
  if ((error as FastifyError).code !== "FST_ERR_CTP_INVALID_MEDIA_TYPE") return problem;
  const types = bodyTypesOf(route.schema ?? {});
  return types.length === 0 ? problem : new Problem(problem.kind, `${problem.message}; send ${types.join(" or ")}`);
}

export function answerProblem(problem: Problem, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { type, text } = bodyOfProblem(problem, safePath(request.url), request.id);
  // Requests rejected before the hooks have run have none of these yet.
  if (!reply.hasHeader("ratelimit-limit")) reply.headers(request.server.addressWindow(request.ip));
  // Headers of the response that it replaces.
  reply.removeHeader("content-encoding").removeHeader("etag");
  reply
    .code(problem.status)
    .header("x-request-id", request.id)
    .headers(SAFE_HEADERS)
    .headers(problem.details.headers ?? {});
  if (problem.status === 401 && !reply.hasHeader("www-authenticate"))
    reply.header("www-authenticate", CHALLENGES[request.route.config?.scope ?? "public"]);
  const { list } = problem.details;
  // As bytes: a string would have a charset appended to its type, which JSON does not have.
  return reply.type(type).send(list === undefined ? Buffer.from(text) : streamOf(joined(withList(text, list))));
}

/** How to authenticate, which every 401 says (RFC 9110, section 15.5.2), unless the problem has a challenge of its own. */
const CHALLENGES: Readonly<Record<RouteScope, string>> = {
  public: 'ApiKey realm="api", header="X-API-Key"',
  dashboard: 'Session realm="dashboard"',
};

/** The text of an object with a list as its last property; without any key in it. */
function* withList(text: string, { name, items }: NonNullable<Problem["details"]["list"]>): Generator<string> {
  let start = `${text.slice(0, -1)},"${name}":[`;
  for (const item of items) {
    yield start + redact(JSON.stringify(item));
    start = ",";
  }
  yield `${start === "," ? "" : start}]}`;
}

/** The body of a problem and its media type; without any key in it. */
export function bodyOfProblem(
  problem: Problem,
  path: string,
  id: string,
): { readonly type: string; readonly text: string } {
  const isThreatError = (problem.status === 400 || problem.status === 500) && isThreatPath(path);
  const body = isThreatError ? { message: problem.message, request_id: id } : problem.document(path, id);
  return { type: isThreatError ? "application/json" : "application/problem+json", text: redact(JSON.stringify(body)) };
}

/** Where 400 and 500 have the form of the threat-intelligence service. */
function isThreatPath(path: string): boolean {
  return path.startsWith("/v1/cti/") || path === "/bulk_lookup" || path === "/bulk_lookup/";
}

export function nothingAt(path: string): Problem {
  return new Problem("not-found", `nothing is served at ${path}; see /openapi.json for the paths`);
}

function notRouted(app: FastifyInstance, request: FastifyRequest): Problem {
  const path = safePath(request.url);
  const allowed = app.allowedMethods(path);
  // An encoded colon is part of an id, and no id has one: the router finds nothing, although the path has this method.
  if (allowed.length === 0 || allowed.includes(request.method)) return nothingAt(path);
  const detail = `${request.method} is not allowed at ${path}; use ${allowed.join(" or ")}`;
  return new Problem("method-not-allowed", detail, { headers: { allow: allowed.join(", ") } });
}
