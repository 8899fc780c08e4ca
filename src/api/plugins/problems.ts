import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Problem, type ProblemKind } from "../problem.ts";
import { problemOf } from "../problem-of.ts";
import { redact, safePath } from "../http/redact.ts";
import { streamOf } from "../http/reply.ts";
import { joined } from "../../service/encoded.ts";
import { ServiceError } from "../../service/service-error.ts";
import type { Services } from "../../service/services.ts";
import { SAFE_HEADERS } from "./safe-headers.ts";

declare module "fastify" {
  interface FastifyInstance {
    /** The RateLimit headers of an address, for answers that are given before a key is looked at. */
    addressWindow(address: string): Readonly<Record<string, string>>;
  }
}

/** Answers every error by a problem document; what no one expected is logged, and answered without details. */
export function answerProblems(app: FastifyInstance, { isClosing, failureLimits, settings }: Services): void {
  app.decorate("addressWindow", (address: string) => failureLimits.peek(address, settings.failuresPerMinute).headers);
  app.setErrorHandler((error: Error, request, reply) => {
    // The framework hangs up wherever a body is rejected, as more of it may come: see early-answers.ts for when that is
    // so.
    if (!isClosing() && mayStay(request)) reply.header("connection", "keep-alive");
    // What is wrong with a request does not matter where no route takes it.
    const isOurs = error instanceof Problem || error instanceof ServiceError;
    const isRefused = !isOurs || ABOUT_REQUEST.has(problemOf(error).kind);
    return answerError(request.is404 && isRefused ? notRouted(app, request) : error, request, reply);
  });
  app.setNotFoundHandler((request, reply) => answerProblem(notRouted(app, request), request, reply));
}

/** Whether the client wants its connection to stay. */
function mayStay({ raw: { httpVersion, headers } }: FastifyRequest): boolean {
  return httpVersion === "1.1" && !/\bclose\b/i.test(headers.connection ?? "");
}

/** Problems of what a request says. */
const ABOUT_REQUEST: ReadonlySet<ProblemKind> = new Set([
  "validation-error",
  "content-too-large",
  "unsupported-media-type",
]);

export function answerError(error: Error, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const problem = problemOf(error);
  // Who hangs up in the middle of a body has no answer coming, and nothing is wrong with the server.
  const isGone =
    (request.raw.destroyed && !request.raw.complete) || (error as FastifyError).code === "ERR_STREAM_PREMATURE_CLOSE";
  if (problem.status >= 500 && problem.kind !== "service-unavailable" && !isGone)
    request.log.error({ request_id: request.id, err: error }, "unexpected error");
  return answerProblem(problem, request, reply);
}

export function answerProblem(problem: Problem, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { type, text } = bodyOfProblem(problem, safePath(request.url), request.id);
  // What is rejected before the hooks have run has none of these yet.
  if (!reply.hasHeader("ratelimit-limit")) reply.headers(request.server.addressWindow(request.ip));
  // Of the answer that it takes the place of.
  reply.removeHeader("content-encoding").removeHeader("etag");
  reply
    .code(problem.status)
    .header("x-request-id", request.id)
    .headers(SAFE_HEADERS)
    .headers(problem.details.headers ?? {});
  const { list } = problem.details;
  // As bytes: a text would have a charset appended to its type, which JSON has not.
  return reply.type(type).send(list === undefined ? Buffer.from(text) : streamOf(joined(withList(text, list))));
}

/** The text of an object with a list as its last member; without any key that stands in it. */
function* withList(text: string, { name, items }: NonNullable<Problem["details"]["list"]>): Generator<string> {
  let start = `${text.slice(0, -1)},"${name}":[`;
  for (const item of items) {
    yield start + redact(JSON.stringify(item));
    start = ",";
  }
  yield `${start === "," ? "" : start}]}`;
}

/** The body of a problem and its media type; without any key that stands in it. */
export function bodyOfProblem(
  problem: Problem,
  path: string,
  id: string,
): { readonly type: string; readonly text: string } {
  const isThreatError = (problem.status === 400 || problem.status === 500) && isThreatPath(path);
  const body = isThreatError ? { message: problem.message, request_id: id } : problem.document(path, id);
  return { type: isThreatError ? "application/json" : "application/problem+json", text: redact(JSON.stringify(body)) };
}

/** Where 400 and 500 have the shape of the threat-intelligence service. */
function isThreatPath(path: string): boolean {
  return path.startsWith("/v1/cti/") || path === "/bulk_lookup" || path === "/bulk_lookup/";
}

export function nothingAt(path: string): Problem {
  return new Problem("not-found", `nothing is served at ${path}; see /openapi.json for the paths`);
}

function notRouted(app: FastifyInstance, request: FastifyRequest): Problem {
  const path = safePath(request.url);
  const allowed = app.allowedMethods(path);
  if (allowed.length === 0) return nothingAt(path);
  const detail = `${request.method} is not allowed at ${path}; use ${allowed.join(" or ")}`;
  return new Problem("method-not-allowed", detail, { headers: { allow: allowed.join(", ") } });
}
