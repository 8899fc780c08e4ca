import type { ServerResponse } from "node:http";
import { Server as Listener, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import { isWaitingForTurn } from "./pipelining.ts";

declare module "fastify" {
  interface FastifyInstance {
    connections: Connections;
  }
}

/** Milliseconds between two checks of the connections while the server closes. */
const POLL = 20;

/** Tracks the connections of the application from now on. */
export function followConnections(app: FastifyInstance): void {
  const connections = new Connections(app.server);
  app.decorate("connections", connections);
  app.addHook("onRequest", (request, reply, done) => {
    connections.answer(request.raw.socket, reply.raw);
    done();
  });
}

/**
 * The connections of a server, so that it can close without truncating a response. Node's own `closeIdleConnections`,
 * which its `close` calls, considers a connection idle as soon as the response has been passed to it: what a slow
 * reader has not received yet would be lost.
 */
class Connections {
  readonly #listener: Listener;
  /** The last response of each connection; earlier ones are sent first. */
  readonly #open = new Map<Socket, ServerResponse | undefined>();
  #isClosing = false;

  constructor(listener: Listener) {
    this.#listener = listener;
    listener.on("connection", (socket) => this.#add(socket));
  }

  /** Records the response to a request that has just arrived. */
  answer(socket: Socket, response: ServerResponse): void {
    // The name "localhost" has a listener for each of its addresses, and only the first one is known here.
    if (!this.#open.has(socket)) this.#add(socket);
    this.#open.set(socket, response);
  }

  /**
   * Connections with a request in progress: its body is still arriving, or its response has not been passed to the
   * system yet.
   */
  get busy(): number {
    return this.#open.values().reduce((count, response) => count + (isUnderWay(response) ? 1 : 0), 0);
  }

  /** Whether a request of the connection is in progress. */
  isBusy(socket: Socket): boolean {
    return isUnderWay(this.#open.get(socket));
  }

  /** Whether the server is shutting down and load balancers should send no more requests. */
  get isClosing(): boolean {
    return this.#isClosing;
  }

  /** Asks clients whose responses have not started to use another connection next time. */
  announceClose(): void {
    this.#isClosing = true;
    for (const response of this.#open.values())
      if (isUnderWay(response) && !response!.headersSent) response!.setHeader("connection", "close");
  }

  /**
   * Accepts no more connections, and closes each as soon as it is idle. Resolves when none is left, or after this many
   * milliseconds.
   */
  async drain(limit: number): Promise<void> {
    // Not the method of HTTP servers, for the reason above.
    Listener.prototype.close.call(this.#listener);
    for (const end = performance.now() + limit; ; await sleep(POLL)) {
      for (const [socket, response] of this.#open)
        if (!isUnderWay(response) && !isWaitingForTurn(socket)) socket.destroy();
      if (this.#open.size === 0 || performance.now() >= end) return;
    }
  }

  /**
   * Cuts off what is in progress by a reset: a response without a length ends with its connection, and would look
   * complete after an orderly end.
   */
  cutOff(): void {
    for (const socket of this.#open.keys()) socket.resetAndDestroy();
  }

  #add(socket: Socket): void {
    this.#open.set(socket, undefined);
    socket.once("close", () => this.#open.delete(socket));
  }
}

function isUnderWay(response: ServerResponse | undefined): boolean {
  return response !== undefined && !response.destroyed && !(response.writableFinished && response.req.complete);
}
