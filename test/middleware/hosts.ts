/** Real servers of every kind in which the middleware and the plugin run, with one interface. */
import { createServer, type RequestListener } from "node:http";
import { createServer as createHttp2Server } from "node:http2";
import type { AddressInfo, Server } from "node:net";
import express from "express";
import fastify from "fastify";
import { type ExpressGuardOptions, guard as middleware } from "../../src/express.ts";
import { guard as plugin } from "../../src/fastify.ts";
import type { GuardOptions } from "../../src/middleware/guard.ts";
import type { Visit } from "../../src/middleware/visit.ts";

/** Where a server listens: on any port of a host, or on the path of a Unix socket. */
type Listening = { readonly host: string; readonly port: 0 } | { readonly path: string };

export interface Host {
  /** The port, or the path of the socket. */
  readonly at: number | string;
  close(): Promise<void>;
}

export interface HostOptions extends GuardOptions {
  /** Answers denied requests with this text and status 451. */
  readonly deniedText?: string;
}

/** Starts a server that responds with what is known about the client; its errors have status 500. */
export type StartHost = (options: HostOptions, listening?: Listening) => Promise<Host>;

const LOCAL: Listening = { host: "127.0.0.1", port: 0 };

/** What the handlers of all servers respond with. */
function told({ address, isAllowed, reason, rule, services, network }: Visit): object {
  return { address, isAllowed, reason, rule: rule?.name ?? null, services: services?.cbs_ids ?? null, network };
}

function middlewareOptions({ deniedText, ...options }: HostOptions): ExpressGuardOptions {
  if (deniedText === undefined) return options;
  return { ...options, onDeny: (_, response) => void response.writeHead(451).end(deniedText) };
}

async function listen(server: Server, listening: Listening, close: () => Promise<void>): Promise<Host> {
  await new Promise<void>((resolve) => server.listen(listening, resolve));
  const at = server.address() as AddressInfo | string;
  return { at: typeof at === "string" ? at : at.port, close };
}

function closed(server: Server & { closeAllConnections?: () => void }): Promise<void> {
  server.closeAllConnections?.();
  return new Promise((resolve) => server.close(() => resolve()));
}

const startExpress: StartHost = (options, listening = LOCAL) => {
  const app = express();
  app.set("env", "test"); // no stack traces on the terminal
  app.use(middleware(middlewareOptions(options)));
  app.use((request, response) => void response.json(told(request.ipsieve!)));
  const server = createServer(app);
  return listen(server, listening, () => closed(server));
};

/** The middleware alone, called the way Connect and similar frameworks do it. */
function plainHandler(options: HostOptions): RequestListener {
  const guard = middleware(middlewareOptions(options));
  return (request: Parameters<typeof guard>[0], response) =>
    guard(request, response, (error) => {
      if (error !== undefined) response.writeHead(500).end(String(error));
      else response.end(JSON.stringify(told(request.ipsieve!)));
    });
}

const startPlain: StartHost = (options, listening = LOCAL) => {
  const server = createServer(plainHandler(options));
  return listen(server, listening, () => closed(server));
};

const startHttp2: StartHost = (options, listening = LOCAL) => {
  const server = createHttp2Server(plainHandler(options) as never);
  return listen(server, listening, () => closed(server));
};

function startFastify(http2: boolean): StartHost {
  return async ({ deniedText, ...options }, listening = LOCAL) => {
    const app = fastify(http2 ? ({ http2: true } as object) : { forceCloseConnections: true });
    const onDeny = {
      onDeny: (_: unknown, reply: { code(status: number): { send(text: string): unknown } }) =>
        reply.code(451).send(deniedText!),
    };
    app.register(plugin, { ...options, ...(deniedText === undefined ? {} : onDeny) });
    app.all("/*", (request) => told(request.ipsieve));
    await app.listen(listening);
    const at = app.server.address() as AddressInfo | string;
    return { at: typeof at === "string" ? at : at.port, close: () => app.close() };
  };
}

/** Servers by name; those that speak HTTP/2 are queried with its client. */
export const HOSTS: Readonly<Record<string, { readonly start: StartHost; readonly isHttp2?: true }>> = {
  express: { start: startExpress },
  "node:http": { start: startPlain },
  "node:http2": { start: startHttp2, isHttp2: true },
  fastify: { start: startFastify(false) },
  "fastify over HTTP/2": { start: startFastify(true), isHttp2: true },
};
