import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import { turn } from "../../service/in-slices.ts";

/** What ends a head, and a body of chunks. */
const EMPTY_LINE = "\r\n\r\n";
/** Bytes that the parser is given at least, if they are there: no more than two requests fit into them. */
const MIN_BYTES = 64;
/** The same within a body of chunks, which may have empty lines in it. */
const MIN_CHUNKED_BYTES = 1024;

/**
 * Has the parser get a request only when those before it on the same connection have been answered. By itself it makes
 * requests of all that has been read, thousands in 64 KiB, and all of them would be answered in one turn of the event
 * loop. What comes behind a request under way stays with the connection, which is not read meanwhile; then its next
 * request waits for its turn, which only one of all such connections has at a time.
 */
export function takeOneByOne({ server }: FastifyInstance): void {
  server.on("connection", (socket: PacedSocket) => {
    const [parse] = socket.listeners("data") as [Parse];
    // Those before it are the socket's own.
    const end = socket.listeners("end").at(-1) as () => void;
    socket[PACED] = new PacedConnection(socket, parse, end);
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

class PacedConnection {
  /** The answer to its last request. */
  #last: ServerResponse | undefined;
  /**
   * Of a body whose length is known, what the parser has not been given yet. Some bytes of it may have come with the
   * head.
   */
  #bodyLeft = 0;
  readonly #socket: Socket;
  readonly #parse: Parse;
  readonly #end: () => void;
  #isHeld = false;
  #isOver = false;

  /** In place of the listeners that tell the parser of all bytes and of their end. */
  constructor(socket: Socket, parse: Parse, end: () => void) {
    this.#socket = socket;
    this.#parse = parse;
    this.#end = end;
    socket.off("data", parse).off("end", end);
    socket.on("data", this.#take).on("end", this.#takeEnd);
  }

  begin(response: ServerResponse): void {
    this.#last = response;
    this.#bodyLeft = Number(response.req.headers["content-length"] ?? 0);
  }

  leave(): void {
    this.#isOver = true;
    this.#socket.off("data", this.#take).off("end", this.#takeEnd);
  }

  readonly #take = (bytes: Buffer): void => {
    for (let at = 0; at < bytes.length && !this.#isOver && !this.#socket.destroyed;) {
      if (this.#isBusy) return this.#hold(bytes.subarray(at));
      const end = this.#endOfPiece(bytes, at);
      this.#parse(at === 0 && end === bytes.length ? bytes : bytes.subarray(at, end));
      at = end;
    }
  };

  /**
   * A client that sends no more may still read: the connection would be closed before the answer to its last request.
   */
  readonly #takeEnd = (): void => {
    if (!this.#isBusy) return this.#end();
    // Once the connection is gone there is no parser to tell.
    this.#last!.once("close", () => this.#socket.destroyed || this.#end());
  };

  /** Whether what comes next is another request, and the one before it is not answered. */
  get #isBusy(): boolean {
    const last = this.#last;
    return last !== undefined && last.req.complete && !last.writableFinished && !last.destroyed;
  }

  #endOfPiece(bytes: Buffer, at: number): number {
    const isInBody = this.#last?.req.complete === false;
    if (isInBody && this.#bodyLeft > 0) {
      const length = Math.min(this.#bodyLeft, bytes.length - at);
      this.#bodyLeft -= length;
      return at + length;
    }
    const least = at + (isInBody ? MIN_CHUNKED_BYTES : MIN_BYTES);
    if (least >= bytes.length) return bytes.length;
    const found = bytes.indexOf(EMPTY_LINE, least - EMPTY_LINE.length);
    return found < 0 ? bytes.length : found + EMPTY_LINE.length;
  }

  #hold(rest: Buffer): void {
    this.#socket.pause();
    this.#socket.unshift(rest);
    if (this.#isHeld) return;
    this.#isHeld = true;
    this.#last!.once("close", () => void turn().then(() => this.#goOn()));
  }

  #goOn(): void {
    this.#isHeld = false;
    this.#socket.resume();
  }
}
