import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { parsePrefix } from "../../src/address/prefix.ts";
import type { DownloadOptions } from "../../src/update/download.ts";

const tls = (name: string): string => join(import.meta.dirname, "tls", name);

/** The authority that signed the server's certificate, which was made for these tests and has no other use. */
export const CA_FILE = tls("ca.crt");
const CA = readFileSync(CA_FILE, "utf8");

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** A real web server on this machine whose responses, good or bad, are set for each path. */
export interface Publisher {
  readonly port: number;
  /** By path; other paths get 404. */
  readonly pages: Map<string, Handler>;
  /** All requests so far. */
  readonly requests: { readonly path: string; readonly headers: IncomingMessage["headers"] }[];
  /** `https://publisher.test:PORT/path` */
  url(path: string, host?: string): string;
  /**
   * Options of a downloader that reaches it: names ending in .test resolve to this machine, under the rules that
   * `options` may change.
   */
  options(options?: Partial<DownloadOptions>): DownloadOptions;
  close(): Promise<void>;
}

const NAMES: Readonly<Record<string, readonly string[]>> = {
  "publisher.test": ["127.0.0.1"],
  "www.publisher.test": ["127.0.0.1"],
  "files.publisher.test": ["127.0.0.1"],
  "other.test": ["127.0.0.1"],
  localhost: ["127.0.0.1"],
  "metadata.test": ["169.254.169.254"],
  "private.test": ["10.1.2.3"],
  "loopback.test": ["127.0.0.2"],
  "loopback6.test": ["::1"],
  "mapped.test": ["::ffff:10.1.2.3"],
  "translated.test": ["64:ff9b::a01:203"],
  "mixed.test": ["127.0.0.1", "192.168.0.1"],
};

export async function startPublisher(): Promise<Publisher> {
  const pages = new Map<string, Handler>();
  const requests: Publisher["requests"][number][] = [];
  const server = createServer(
    { key: readFileSync(tls("server.key")), cert: readFileSync(tls("server.crt")) },
    (request, response) => {
      const path = request.url ?? "";
      requests.push({ path, headers: request.headers });
      const page = pages.get(path.split("?", 1)[0]!);
      if (page === undefined) response.writeHead(404).end("not found");
      else page(request, response);
    },
  );
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    pages,
    requests,
    url: (path, host = "publisher.test") => `https://${host}:${port}${path}`,
    options: (options = {}) => ({
      userAgent: "ipsieve/test",
      ca: CA,
      allow: [parsePrefix("127.0.0.1")],
      resolve: async (host) =>
        NAMES[host] ?? Promise.reject(Object.assign(new Error("no such name"), { code: "ENOTFOUND" })),
      ...options,
      // A good response may take as long as a busy machine needs; a second attempt follows at once.
      limits: { pause: 1, totalTime: 60_000, idleTime: 60_000, ...options.limits },
    }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A page that is sent whole, with its length. */
export function page(content: string | Buffer, headers: Record<string, string> = {}): Handler {
  return (_, response) =>
    void response.writeHead(200, { "content-length": Buffer.byteLength(content), ...headers }).end(content);
}

export function status(code: number, headers: Record<string, string> = {}): Handler {
  return (_, response) => void response.writeHead(code, headers).end(`status ${code}`);
}

/** One handler for each request; the last one for all that follow. */
export function inTurn(...handlers: Handler[]): Handler {
  let next = 0;
  return (request, response) => handlers[Math.min(next++, handlers.length - 1)]!(request, response);
}

/** Sends pieces of a body for as long as the client reads. */
export function endless(piece: string | Buffer, milliseconds: number, headers: Record<string, string> = {}): Handler {
  return (_, response) => {
    response.writeHead(200, headers);
    const timer = setInterval(() => response.write(piece), milliseconds);
    response.on("close", () => clearInterval(timer));
  };
}
