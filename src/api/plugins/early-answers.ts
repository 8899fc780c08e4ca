import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

/**
 * Maximum remaining bytes of a body that are read after the response to keep the connection. Clients that read no
 * response before they have sent their request, which are most, send all of it anyway, and a new connection costs more
 * than reading what has arrived.
 */
const MAX_DRAINED = 1 << 20;
/**
 * Milliseconds for which the rest of a body is read and discarded after the response. A client that is cut off
 * immediately may not see the response.
 */
const LINGER = 3000;
/** In so many steps: see `closeLater`. */
const LINGER_STEPS = 10;

/** With these statuses, any amount of the body may remain. */
const CLOSING: ReadonlySet<number> = new Set([408, 413]);

/**
 * Makes every response that is sent before the end of its request's body leave the connection in order: a short rest is
 * read to its end and the connection continues; otherwise the response announces that the connection will be closed,
 * and it is closed when the client has stopped sending, or after a while (RFC 9112, sections 9.3 and 9.6). The rest of
 * a body is never read as a request.
 */
export function answerEarly(app: FastifyInstance): void {
  app.addHook("onSend", (request, reply, _payload, done) => {
    leaveInOrder(request, reply);
    done();
  });
  app.addHook("onResponse", ({ raw }, _reply, done) => {
    if (hasMoreToCome(raw)) drain(raw);
    done();
  });
}

/** Call it before the headers of a response are sent. */
export function leaveInOrder({ raw }: FastifyRequest, reply: FastifyReply): void {
  if (!hasMoreToCome(raw) || (!CLOSING.has(reply.statusCode) && restOf(raw) <= MAX_DRAINED)) return;
  reply.header("connection", "close");
  lingerAtEnd(raw.socket);
}

function hasMoreToCome({ headers, complete }: IncomingMessage): boolean {
  return !complete && (headers["transfer-encoding"] !== undefined || Number(headers["content-length"]) > 0);
}

/** How many bytes may still come: Infinity if the request does not say. */
function restOf({ headers, socket }: IncomingMessage): number {
  const length = headers["content-length"];
  // What the socket has already read is not subtracted: it includes the headers.
  return length === undefined || socket.destroyed ? Infinity : Number(length);
}

function drain(message: IncomingMessage): void {
  const { socket } = message;
  const timer = closeLater(socket);
  message.once("close", () => clearInterval(timer)).resume();
}

/** Once the response is written, the connection is closed for writing, and further data is discarded unread. */
function lingerAtEnd(socket: Socket): void {
  socket.destroySoon = () => {
    if (socket.destroyed) return;
    // From now on, incoming data does not reach a parser.
    socket.removeAllListeners("data");
    socket.on("data", () => {}).once("end", () => socket.destroy());
    socket.resume();
    socket.end();
    closeLater(socket);
  };
}

/**
 * Closes a connection after `LINGER`. Time in which the process is busy, or waits for the processor, counts as one step:
 * its timers fire before it reads what has arrived meanwhile, and a client that has sent everything in time would be cut
 * off and see no response.
 */
function closeLater(socket: Socket): NodeJS.Timeout {
  let left = LINGER_STEPS;
  const timer = setInterval(() => {
    if (--left > 0 && !socket.destroyed) return;
    clearInterval(timer);
    socket.destroy();
  }, LINGER / LINGER_STEPS).unref();
  return timer;
}
