import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** A response as received on a connection. */
export interface RawAnswer {
  readonly status: number;
  /** By name in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

/** A request with a body that is sent in pieces. */
export interface SlowRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly framing: "length" | "chunked";
  readonly body: Buffer;
}

export interface ExchangeReport {
  /** The complete responses. */
  readonly answers: readonly RawAnswer[];
  /**
   * How it ended; `stuck`: nothing happened within the limit, neither a response to the second request nor the end of
   * the connection.
   */
  readonly end: "answered" | "closed" | "stuck";
}

/** The id of the second request, by which its response is recognised. */
export const CANARY = "canary";
/** The id of the requests that bodies consist of: a server that treats a body as requests answers with it. */
const SMUGGLED = "smuggled";
const SMUGGLED_REQUEST = `GET /livez HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: ${SMUGGLED}\r\n\r\n`;

export function smuggledRequests(size: number): Buffer {
  return Buffer.alloc(size, SMUGGLED_REQUEST);
}

/** Milliseconds for an early response to arrive before the body is sent. */
const HEAD_START = 15;
const PIECE = 1 << 14;
/**
 * Milliseconds in which nothing is received or accepted until an exchange counts as stuck, however long it takes in
 * all.
 */
const LIMIT = 120_000;

/**
 * Sends a request whose body follows later, and after that another request on the same connection, whatever has been
 * answered meanwhile.
 */
export async function exchange(port: number, request: SlowRequest, milliseconds = LIMIT): Promise<ExchangeReport> {
  const socket = connect({ host: "127.0.0.1", port, noDelay: true });
  const received: Buffer[] = [];
  let length = 0;
  socket
    .on("error", () => {})
    .on("data", (chunk: Buffer) => {
      received.push(chunk);
      length += chunk.length;
      stuckTimer.refresh();
    })
    .on("drain", () => stuckTimer.refresh());
  const stuck = new AbortController();
  const stuckTimer = setTimeout(() => stuck.abort(), milliseconds);
  const limit = stuck.signal;
  await once(socket, "connect");
  const isOver = (): boolean => socket.readableEnded || socket.destroyed || limit.aborted;
  void sendAll(socket, request, limit);
  for (let [parsed, before, count] = [0, 0, 0]; !isOver() && count < 2; await sleep(2)) {
    const isQuiet = length === before;
    before = length;
    // A long response is not parsed again for each of its pieces.
    if (length === parsed || (!isQuiet && length < 1.5 * parsed)) continue;
    parsed = length;
    count = parseAnswers(Buffer.concat(received)).length;
  }
  // Anything after the second response would be a response to the body's bytes.
  if (!isOver()) await sleep(HEAD_START);
  const answers = parseAnswers(Buffer.concat(received));
  const isClosed = socket.readableEnded || socket.destroyed;
  clearTimeout(stuckTimer);
  socket.destroy();
  return { answers, end: answers.length >= 2 ? "answered" : isClosed ? "closed" : "stuck" };
}

async function sendAll(
  socket: Socket,
  { method, path, headers, framing, body }: SlowRequest,
  limit: AbortSignal,
): Promise<void> {
  const all = {
    Host: "localhost",
    "X-Request-Id": "first",
    ...headers,
    ...(framing === "length" ? { "Content-Length": String(body.length) } : { "Transfer-Encoding": "chunked" }),
  };
  try {
    socket.write(
      `${method} ${path} HTTP/1.1\r\n${Object.entries(all)
        .map(([name, value]) => `${name}: ${value}\r\n`)
        .join("")}\r\n`,
    );
    await Promise.race([once(socket, "data", { signal: limit }), sleep(HEAD_START)]);
    for (let at = 0; at < body.length && socket.writable; at += PIECE) {
      const piece = body.subarray(at, at + PIECE);
      if (framing === "chunked") socket.write(`${piece.length.toString(16)}\r\n`);
      const isTaken = socket.write(piece);
      if (framing === "chunked") socket.write("\r\n");
      if (!isTaken) await once(socket, "drain", { signal: limit });
    }
    if (framing === "chunked") socket.write("0\r\n\r\n");
    socket.write(`GET /livez HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: ${CANARY}\r\n\r\n`);
  } catch {
    // The connection has ended, or the limit is over: the report shows it.
  }
}

/** The complete responses at the start of the bytes. @throws Error if something else follows one */
export function parseAnswers(bytes: Buffer): RawAnswer[] {
  return completeAnswers(bytes).answers;
}

/** The same, and where what follows them begins. */
export function completeAnswers(bytes: Buffer): { readonly answers: RawAnswer[]; readonly end: number } {
  const answers: RawAnswer[] = [];
  let at = 0;
  while (at < bytes.length) {
    const end = bytes.indexOf("\r\n\r\n", at);
    if (end < 0) break;
    const [line, ...fields] = bytes.toString("latin1", at, end).split("\r\n");
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(line!)?.[1]);
    if (Number.isNaN(status)) throw new Error(`this is no answer: ${JSON.stringify(line!.slice(0, 200))}`);
    const headers = new Map(
      fields.map((field) => [
        field.slice(0, field.indexOf(":")).toLowerCase(),
        field.slice(field.indexOf(":") + 1).trim(),
      ]),
    );
    const body = bodyAt(bytes, end + 4, status, headers);
    if (body === undefined) break;
    at = body.end;
    if (status >= 200) answers.push({ status, headers, body: body.bytes });
  }
  return { answers, end: at };
}

/** Undefined if a part of it is missing. */
function bodyAt(
  bytes: Buffer,
  start: number,
  status: number,
  headers: ReadonlyMap<string, string>,
): { bytes: Buffer; end: number } | undefined {
  if (headers.get("transfer-encoding") === "chunked") return chunksAt(bytes, start);
  const length = status === 204 || status === 304 || status < 200 ? 0 : Number(headers.get("content-length") ?? 0);
  return start + length > bytes.length
    ? undefined
    : { bytes: bytes.subarray(start, start + length), end: start + length };
}

function chunksAt(bytes: Buffer, start: number): { bytes: Buffer; end: number } | undefined {
  const parts: Buffer[] = [];
  for (let at = start; ;) {
    const line = bytes.indexOf("\r\n", at);
    const size = line < 0 ? NaN : Number.parseInt(bytes.toString("latin1", at, line), 16);
    if (Number.isNaN(size) || line + 2 + size + 2 > bytes.length) return undefined;
    parts.push(bytes.subarray(line + 2, line + 2 + size));
    at = line + 2 + size + 2;
    if (size === 0) return { bytes: Buffer.concat(parts), end: at };
  }
}

/** The error of an exchange; undefined if there is none. */
export function errorIn({ answers, end }: ExchangeReport): string | undefined {
  const ids = answers.map(({ headers }) => headers.get("x-request-id"));
  if (ids.includes(SMUGGLED)) return "bytes of the body were read as a request";
  if (end === "stuck")
    return answers.length === 0
      ? "no answer came, and the connection stayed open"
      : "the request after it was never answered";
  if (answers.length === 0) return "the connection was closed without an answer";
  if (ids[0] !== "first") return `the first answer is the one to ${ids[0]}`;
  if (end === "answered")
    return ids.length === 2 && ids[1] === CANARY ? undefined : `the answers are those to ${ids.join(", ")}`;
  // A stream's headers were sent before it was known that the connection would end.
  const { status, headers } = answers[0]!;
  return headers.get("connection") === "close" || headers.get("transfer-encoding") === "chunked"
    ? undefined
    : `the connection was closed after ${status} without Connection: close`;
}
