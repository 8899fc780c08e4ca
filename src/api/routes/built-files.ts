import type { FastifyReply, FastifyRequest } from "fastify";
import type { App } from "../app-type.ts";
import { chooseCoding, CODINGS, setCoding, vary } from "../http/content-coding.ts";
import { API_CONSOLE, type BuiltFile, builtFiles, DASHBOARD } from "../built-files.ts";
import { isKnown } from "../http/entity-tags.ts";
import { notFound } from "../problem.ts";

/**
 * What pages of the dashboard and the API console may load and be embedded in: their own files, and nothing inline;
 * requests go to this server only.
 */
const HEADERS = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
} as const;

/** Their names contain a digest of their content. */
const HASHED = "/assets/";
const FOR_EVER = "public, max-age=31536000, immutable";

/** The path of the API console; its files are beside it. */
const CONSOLE = "/docs/console";

/**
 * Serves the files of the dashboard from memory. Each has a route: no request can name a file that was not there at the
 * start.
 */
export function addDashboard(app: App, files: readonly BuiltFile[] = builtFiles(DASHBOARD)): void {
  for (const file of files) app.get(file.path, (request, reply) => sendFile(file, request, reply));
  if (files.length === 0) addUnbuilt(app, "/", "the dashboard");
}

/** The same for the API console. */
export function addApiConsole(app: App, files: readonly BuiltFile[] = builtFiles(API_CONSOLE)): void {
  for (const file of files) {
    const path = file.path === "/" ? CONSOLE : `/docs${file.path}`;
    app.get(path, (request, reply) => {
      // The page's links are relative to its path, wherever a proxy has put it.
      if (path === CONSOLE && hasSlashAtEnd(request)) return reply.redirect("../console", 308);
      return sendFile(file, request, reply);
    });
  }
  if (files.length === 0) addUnbuilt(app, CONSOLE, "the API console");
}

/** Whether the path ends with a slash, which the router ignores but relative links do not. */
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
