import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";

/**
 * The rest of a body that is read after the answer so that the connection can go on, in bytes; a longer one costs more
 * than a new connection.
 */
const MAX_DRAINED = 64 << 10;
/**
 * How long the rest of a body is read and thrown away after the answer, in milliseconds. A client that is cut off at
 * once may not see the answer.
 */
const LINGER = 3000;

/** After these there may be any amount more of the body. */
const CLOSING: ReadonlySet<number> = new Set([408, 413]);

/**
 * Has every answer that is given before the end of its request's body leave the connection in order: a short rest is
 * read to its end and the connection goes on; else the answer says that it closes, and the connection is closed when
 * the client has stopped sending, or after a while (RFC 9112, sections 9.3 and 9.6). Nothing that is left of a body is
 * ever read as a request.
 */
export function answerEarly(app: FastifyInstance): void {
  app.addHook("onSend", ({ raw }, reply, _payload, done) => {
    if (hasMoreToCome(raw) && (CLOSING.has(reply.statusCode) || restOf(raw) > MAX_DRAINED)) {
      reply.header("connection", "close");
      lingerAtEnd(raw.socket);
    }
    done();
  });
  app.addHook("onResponse", ({ raw }, _reply, done) => {
    if (hasMoreToCome(raw)) drain(raw);
    done();
  });
}

function hasMoreToCome({ headers, complete }: IncomingMessage): boolean {
  return !complete && (headers["transfer-encoding"] !== undefined || Number(headers["content-length"]) > 0);
}

/** How many bytes may still come: Infinity where the request does not say. */
function restOf({ headers, socket }: IncomingMessage): number {
  const length = headers["content-length"];
  // What the socket has read already is not counted off: the head is among it.
  return length === undefined || socket.destroyed ? Infinity : Number(length);
}

function drain(message: IncomingMessage): void {
  const { socket } = message;
  message.resume();
  setTimeout(() => message.complete || socket.destroy(), LINGER).unref();
}

/** When the answer is written, the connection is closed for writing, and what still comes is thrown away unread. */
function lingerAtEnd(socket: Socket): void {
  socket.destroySoon = () => {
    if (socket.destroyed) return;
    // No parser sees it any more.
    socket.removeAllListeners("data");
    socket.on("data", () => {}).once("end", () => socket.destroy());
    socket.resume();
    socket.end();
    setTimeout(() => socket.destroy(), LINGER).unref();
  };
}
