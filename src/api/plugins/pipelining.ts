import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import { turn } from "../../turns/in-slices.ts";
import { originOf } from "../../service/access/rate-limits.ts";
import { TurnBudget, type WaitingConnection } from "../http/turn-budget.ts";

/** What ends a head, and a body of chunks. */
const EMPTY_LINE = "\r\n\r\n";
/** Bytes that the parser is given at least, if they are there: no more than two requests fit into them. */
const MIN_BYTES = 64;
/** The same within a body of chunks, which may have empty lines in it. */
const MIN_CHUNKED_BYTES = 1024;
const NOTHING = Buffer.alloc(0);

/**
 * Has the parser get a request only when those before it on the same connection have been answered. By itself it makes
 * requests of all that has been read, thousands in 64 KiB, and all of them would be answered in one turn of the event
 * loop. What comes after a request under way stays with the connection, which is not read meanwhile; then its next
 * request waits for its turn, which only one of all such connections has at a time. Of all connections together no more
 * requests are begun in a turn than its budget allows.
 */
export function takeOneByOne({ server }: FastifyInstance): void {
  const budget = new TurnBudget();
  server.on("connection", (socket: PacedSocket) => {
    const [parse] = socket.listeners("data") as [Parse];
    // Those before it are the socket's own.
    const end = socket.listeners("end").at(-1) as () => void;
    socket[PACED] = new PacedConnection(socket, budget, parse, end);
  });
  server.prependListener("request", ({ socket }: IncomingMessage, response: ServerResponse) => {
    const paced = (socket as PacedSocket)[PACED];
    paced?.begin(response);
  });
  // It has no parser any more.
  server.prependListener("connect", (_request: IncomingMessage, socket: PacedSocket) => socket[PACED]?.leave());
}

type Parse = (bytes: Buffer) => void;

/** At the socket itself, as in `limits.ts`. */
const PACED = Symbol("paced connection");
type PacedSocket = Socket & { [PACED]?: PacedConnection };

/** Milliseconds for which the request that a connection has begun last had waited for its turn. */
export function waitedForTurn(socket: PacedSocket): number {
  return socket[PACED]?.waited ?? 0;
}

/** Whether a request has come that waits for its turn. */
export function isWaitingForTurn(socket: PacedSocket): boolean {
  return socket[PACED]?.isWaiting === true;
}

class PacedConnection implements WaitingConnection {
  /** The answer to its last request. */
  #last: ServerResponse | undefined;
  /**
   * Of a body whose length is known, what the parser has not been given yet. Some bytes of it may have come with the
   * head.
   */
  #bodyLeft = 0;
  readonly #socket: Socket;
  readonly #budget: TurnBudget;
  readonly #parse: Parse;
  readonly #end: () => void;
  /** Since when its next request has waited for a turn; null where none does. */
  #waitsSince: number | null = null;
  #waited = 0;
  #origin: string | undefined;
  /** What has come of the next request and after it, while that may not begin. */
  #unparsed: Buffer = NOTHING;
  /** Whether the client has ended its side meanwhile. */
  #hasEnded = false;
  /** Whether its next request is one of those of this turn. */
  #isAdmitted = false;
  #isOver = false;

  /** Instead of the listeners that pass to the parser of all bytes and of their end. */
  constructor(socket: Socket, budget: TurnBudget, parse: Parse, end: () => void) {
    this.#socket = socket;
    this.#budget = budget;
    this.#parse = parse;
    this.#end = end;
    socket.off("data", parse).off("end", end);
    socket.on("data", this.#take).on("end", this.#takeEnd);
  }

  begin(response: ServerResponse): void {
    this.#last = response;
    this.#bodyLeft = Number(response.req.headers["content-length"] ?? 0);
  }

  get waited(): number {
    return this.#waited;
  }

  get isWaiting(): boolean {
    return this.#waitsSince !== null;
  }

  get origin(): string {
    return (this.#origin ??= originOf(this.#socket.remoteAddress ?? ""));
  }

  admit(): void {
    this.#waited = performance.now() - this.#waitsSince!;
    this.#waitsSince = null;
    this.#isAdmitted = true;
    this.#goOn();
  }

  leave(): void {
    this.#isOver = true;
    this.#socket.off("data", this.#take).off("end", this.#takeEnd);
  }

  readonly #take = (bytes: Buffer): void => {
    if (this.#unparsed.length > 0) return this.#keepMore(bytes);
    for (let at = 0; at < bytes.length && !this.#isOver && !this.#socket.destroyed;) {
      if (this.#isBusy) return this.#hold(bytes.subarray(at));
      if (!this.#isInBody && !this.#mayBegin()) return this.#wait(bytes.subarray(at));
      const end = this.#endOfPiece(bytes, at);
      this.#parse(at === 0 && end === bytes.length ? bytes : bytes.subarray(at, end));
      at = end;
    }
  };

  /**
   * A client that sends no more may still read: the connection would be closed before the answer to its last request.
   */
  readonly #takeEnd = (): void => {
    if (this.#unparsed.length > 0) return void (this.#hasEnded = true);
    if (!this.#isBusy) return this.#end();
    // Once the connection is gone there is no parser to call.
    this.#last!.once("close", () => this.#socket.destroyed || this.#end());
  };

  /** Whether what comes next is another request, and the one before it is not answered. */
  get #isBusy(): boolean {
    const last = this.#last;
    return last !== undefined && last.req.complete && !last.writableFinished && !last.destroyed;
  }

  get #isInBody(): boolean {
    return this.#last?.req.complete === false;
  }

  #mayBegin(): boolean {
    if (this.#isAdmitted) return !(this.#isAdmitted = false);
    this.#waited = 0;
    return this.#budget.take();
  }

  #endOfPiece(bytes: Buffer, at: number): number {
    if (this.#isInBody && this.#bodyLeft > 0) {
      const length = Math.min(this.#bodyLeft, bytes.length - at);
      this.#bodyLeft -= length;
      return at + length;
    }
    const least = at + (this.#isInBody ? MIN_CHUNKED_BYTES : MIN_BYTES);
    if (least >= bytes.length) return bytes.length;
    const found = bytes.indexOf(EMPTY_LINE, least - EMPTY_LINE.length);
    return found < 0 ? bytes.length : found + EMPTY_LINE.length;
  }

  /** Until the request under way is answered. */
  #hold(rest: Buffer): void {
    this.#unparsed = rest;
    this.#socket.pause();
    this.#last!.once("close", () => void turn().then(() => this.#goOn()));
  }

  /** Does not stop the socket, which would take longer than a cheap request: mostly no more comes. */
  #wait(rest: Buffer): void {
    this.#unparsed = rest;
    this.#waitsSince = performance.now();
    this.#budget.wait(this);
  }

  #keepMore(bytes: Buffer): void {
    this.#unparsed = Buffer.concat([this.#unparsed, bytes]);
    this.#socket.pause();
  }

  #goOn(): void {
    const bytes = this.#unparsed;
    this.#unparsed = NOTHING;
    if (this.#socket.isPaused()) this.#socket.resume();
    this.#take(bytes);
    if (this.#hasEnded) this.#takeEnd();
  }
}
