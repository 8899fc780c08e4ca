import type { FastifyReply, FastifyRequest } from "fastify";
import type { App } from "../app-type.ts";
import { chooseCoding, CODINGS, setCoding, vary } from "../http/content-coding.ts";
import { API_CONSOLE, type BuiltFile, readBuiltFiles } from "../built-files.ts";
import { isKnown } from "../http/entity-tags.ts";
import { notFound } from "../problem.ts";

/**
 * What pages of the dashboard and the API console may load and be part of: their own files, and nothing inline; what
 * they ask is this server's.
 */
const HEADERS = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
} as const;

/** Names of these carry a digest of what is in them. */
const HASHED = "/assets/";
const FOR_EVER = "public, max-age=31536000, immutable";

/** Where the API console stands; what it loads is beside it. */
const CONSOLE = "/docs/console";

/** The files of the dashboard, from memory. A route for each: what was not there at the start, no request can name. */
export function addDashboard(app: App, files: readonly BuiltFile[] = readBuiltFiles()): void {
  for (const file of files) app.get(file.path, (request, reply) => sendFile(file, request, reply));
  if (files.length === 0) addUnbuilt(app, "/", "the dashboard");
}

/** The same for the API console. */
export function addApiConsole(app: App, files: readonly BuiltFile[] = readBuiltFiles(API_CONSOLE)): void {
  for (const file of files) {
    const path = file.path === "/" ? CONSOLE : `/docs${file.path}`;
    app.get(path, (request, reply) => {
      // What the page refers to stands beside it, wherever a proxy has put it.
      if (path === CONSOLE && hasSlashAtEnd(request)) return reply.redirect("../console", 308);
      return sendFile(file, request, reply);
    });
  }
  if (files.length === 0) addUnbuilt(app, CONSOLE, "the API console");
}

/** Whether the path ends with a slash, which the router ignores, and what is relative to a page does not. */
export function hasSlashAtEnd({ url }: FastifyRequest): boolean {
  return /^[^?]*\/(\?|$)/.test(url);
}

function addUnbuilt(app: App, path: string, what: string): void {
  app.get(path, () => {
    throw notFound(`${what} has not been built; run \`npm run build\` and start the server again`);
  });
}

function sendFile({ path, type, tag, bytes }: BuiltFile, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const coding = chooseCoding(
    request,
    CODINGS.filter((each) => Object.hasOwn(bytes, each)),
  );
  vary(reply.headers(HEADERS), "Accept-Encoding");
  const hasIt = isKnown(request, reply, `"${tag}"`);
  if (path.startsWith(HASHED)) reply.header("cache-control", FOR_EVER);
  if (hasIt) return reply.code(304).send();
  if (coding !== undefined) setCoding(reply, coding);
  return reply.type(type).send(bytes[coding ?? "identity"]!);
}
