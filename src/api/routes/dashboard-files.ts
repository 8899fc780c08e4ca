import type { FastifyReply, FastifyRequest } from "fastify";
import type { App } from "../app-type.ts";
import { chooseCoding, CODINGS, tellCoding, vary } from "../http/content-coding.ts";
import { type DashboardFile, readDashboardFiles } from "../dashboard-files.ts";
import { isKnown } from "../http/entity-tags.ts";
import { notFound } from "../problem.ts";

/** What pages of the dashboard may load and be part of: their own files, and nothing inline. */
const HEADERS = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
} as const;

/** Names of these carry a digest of what is in them. */
const HASHED = "/assets/";
const FOR_EVER = "public, max-age=31536000, immutable";

/** The files of the dashboard, from memory. A route for each: what was not there at the start, no request can name. */
export function addDashboardFiles(app: App, files: readonly DashboardFile[] = readDashboardFiles()): void {
  for (const file of files) app.get(file.path, (request, reply) => sendFile(file, request, reply));
  if (files.length === 0)
    app.get("/", () => {
      throw notFound("the dashboard has not been built; run `npm run build` and start the server again");
    });
}

function sendFile(
  { path, type, tag, bytes }: DashboardFile,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const coding = chooseCoding(
    request,
    CODINGS.filter((each) => Object.hasOwn(bytes, each)),
  );
  vary(reply.headers(HEADERS), "Accept-Encoding");
  const hasIt = isKnown(request, reply, `"${tag}"`);
  if (path.startsWith(HASHED)) reply.header("cache-control", FOR_EVER);
  if (hasIt) return reply.code(304).send();
  if (coding !== undefined) tellCoding(reply, coding);
  return reply.type(type).send(bytes[coding ?? "identity"]!);
}
