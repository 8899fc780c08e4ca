import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import { turn } from "../../turns/in-slices.ts";
import { originOf } from "../../service/access/rate-limits.ts";
import { giveBack, isReused, keepBytes } from "../http/kept-bytes.ts";
import { countRead } from "../http/read-buffers.ts";
import { RequestBounds } from "../http/request-bounds.ts";
import { TurnBudget, type WaitingConnection } from "../http/turn-budget.ts";

/** A connection with more bytes than this waiting for a turn is paused. */
const SHORT = 4 << 10;
const NOTHING = Buffer.alloc(0);

/**
 * Passes a request to the parser only when those before it on the same connection have been responded to. By itself,
 * the parser turns everything that has been read into requests, thousands in 64 KiB, and all of them would be processed
 * in one turn of the event loop. Bytes that follow a request in progress stay with the connection, which is paused. Its
 * next request then waits for its turn; only one such connection has a turn at a time. Over all connections, no more
 * requests are started per turn than the budget allows.
 */
export function limitPipelining({ server }: FastifyInstance): void {
  const budget = new TurnBudget();
  server.on("connection", (socket: PacedSocket) => {
    budget.accepted();
    const [parse] = socket.listeners("data") as [Parse];
    // The listeners before it are the socket's own.
    const end = socket.listeners("end").at(-1) as () => void;
    socket[PACED] = new PacedConnection(socket, budget, parse, end);
  });
  server.prependListener("request", ({ socket }: IncomingMessage, response: ServerResponse) => {
    const paced = (socket as PacedSocket)[PACED];
    paced?.begin(response);
  });
  // The socket no longer has a parser.
  server.prependListener("connect", (_request: IncomingMessage, socket: PacedSocket) => socket[PACED]?.leave());
}

type Parse = (bytes: Buffer) => void;

/** Stored at the socket itself, as in `limits.ts`. */
const PACED = Symbol("paced connection");
type PacedSocket = Socket & { [PACED]?: PacedConnection };

/** Milliseconds for which the connection's current request had waited for its turn. */
export function waitedForTurn(socket: PacedSocket): number {
  return socket[PACED]?.waited ?? 0;
}

/** Whether a request has arrived that waits for its turn. */
export function isWaitingForTurn(socket: PacedSocket): boolean {
  return socket[PACED]?.isWaiting === true;
}

/**
 * Leaves the rest of the current request's body unread while the request waits. Part of the body may have been read
 * together with the headers.
 */
export function holdBody(socket: PacedSocket): void {
  socket[PACED]?.holdBody();
}

/** Resumes reading. Discarded bytes need not be copied, because nothing will use them. */
export function continueBody(socket: PacedSocket, isDiscarded = false): void {
  socket[PACED]?.continueBody(isDiscarded);
}

/** The part of a socket by which `node:http` itself stops reading; `pause` would read up to 64 KiB more. */
interface ReadHandle {
  readonly _handle?: { readStop(): number; readStart(): number } | null;
}

class PacedConnection implements WaitingConnection {
  /** The response to its last request. */
  #last: ServerResponse | undefined;
  readonly #bounds = new RequestBounds();
  readonly #socket: Socket;
  readonly #budget: TurnBudget;
  readonly #parse: Parse;
  readonly #end: () => void;
  /** When its next request began to wait for a turn; null if none is waiting. */
  #waitsSince: number | null = null;
  #waited = 0;
  #origin: string | undefined;
  /** Bytes of the next request and of what follows, while that request may not start. */
  #unparsed: Buffer = NOTHING;
  /** Whether the client has ended its side meanwhile. */
  #hasEnded = false;
  /** Whether its next request may start in this turn. */
  #isAdmitted = false;
  #isBodyHeld = false;
  /** Whether the rest of the current body is discarded. */
  #isDiscarded = false;
  #isStopped = false;
  #isOver = false;

  /** Replaces the listeners that pass all bytes, and their end, to the parser. */
  constructor(socket: Socket, budget: TurnBudget, parse: Parse, end: () => void) {
    this.#socket = socket;
    this.#budget = budget;
    this.#parse = parse;
    this.#end = end;
    socket.off("data", parse).off("end", end);
    socket.on("data", this.#read).on("end", this.#takeEnd);
  }

  begin(response: ServerResponse): void {
    this.#last = response;
    this.#bounds.begin(response.req.headers);
    this.#isBodyHeld = false;
    this.#isDiscarded = false;
  }

  holdBody(): void {
    this.#isBodyHeld = true;
  }

  continueBody(isDiscarded: boolean): void {
    this.#isDiscarded = isDiscarded;
    if (!this.#isBodyHeld) return;
    this.#isBodyHeld = false;
    if (this.#unparsed.length > 0) this.#goOn();
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
    this.#socket.off("data", this.#read).off("end", this.#takeEnd);
  }

  readonly #read = (bytes: Buffer): void => {
    countRead(bytes.length);
    if (this.#unparsed.length > 0) this.#keepMore(bytes);
    else this.#take(bytes);
  };

  #take(bytes: Buffer): void {
    for (let at = 0; at < bytes.length && !this.#isOver && !this.#socket.destroyed;) {
      if (this.#isBusy) return this.#hold(bytes.subarray(at));
      if (this.#isInBody && this.#isBodyHeld) return this.#keep(bytes.subarray(at));
      if (!this.#isInBody && !this.#mayBegin()) return this.#wait(bytes.subarray(at));
      const end = this.#bounds.endOf(bytes, at);
      const piece = at === 0 && end === bytes.length ? bytes : bytes.subarray(at, end);
      // The reader of the body keeps its parts; the first one may arrive together with the headers.
      const isKept = isReused(bytes) && !(this.#isInBody && this.#isDiscarded);
      this.#parse(isKept ? Buffer.from(piece) : piece);
      at = end;
    }
  }

  /**
   * A client that has stopped sending may still read: otherwise the connection would be closed before the response to
   * its last request.
   */
  readonly #takeEnd = (): void => {
    if (this.#unparsed.length > 0) return void (this.#hasEnded = true);
    if (!this.#isBusy) return this.#end();
    // Once the connection is gone, there is no parser to call.
    this.#last!.once("close", () => this.#socket.destroyed || this.#end());
  };

  /** Whether the next bytes are another request while the previous one is still in progress. */
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

  /** Until the request in progress has been responded to. */
  #hold(rest: Buffer): void {
    this.#keep(rest);
    this.#last!.once("close", () => void turn().then(() => this.#goOn()));
  }

  /** Does not pause for a short rest: usually nothing more arrives, and pausing costs more than a cheap request. */
  #wait(rest: Buffer): void {
    if (rest.length < SHORT) this.#unparsed = keepBytes(rest);
    else this.#keep(rest);
    this.#waitsSince = performance.now();
    this.#budget.wait(this);
  }

  #keep(rest: Buffer): void {
    this.#unparsed = keepBytes(rest);
    this.#stopReading();
  }

  #keepMore(bytes: Buffer): void {
    const kept = this.#unparsed;
    this.#unparsed = Buffer.concat([kept, bytes]);
    giveBack(kept);
    this.#stopReading();
  }

  #goOn(): void {
    const bytes = this.#unparsed;
    this.#unparsed = NOTHING;
    this.#readOn();
    this.#take(bytes);
    giveBack(bytes);
    if (this.#hasEnded) this.#takeEnd();
  }

  #stopReading(): void {
    this.#isStopped = true;
    (this.#socket as ReadHandle)._handle?.readStop();
  }

  #readOn(): void {
    if (!this.#isStopped) return;
    this.#isStopped = false;
    (this.#socket as ReadHandle)._handle?.readStart();
  }
}
