import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { parseAnswers, type RawAnswer } from "./raw-exchange.ts";

export interface SentRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined: it has no body. */
  readonly body?: Buffer | undefined;
}

/** Milliseconds without any data after which an exchange counts as stuck. */
const LIMIT = 120_000;
/** Milliseconds for the server to notice what was sent before its client disconnects. */
const MOMENT = 5;

/** Where a client disconnects. */
export type Stage = "in the body" | "before the response" | "in the response";
/** The stages that every request has. */
export const STAGES: readonly Stage[] = ["before the response", "in the response"];

/** Sends a request up to the given stage, and resets the connection. `chunked`: the body is in chunks. */
export async function hangUp(port: number, sent: SentRequest, stage: Stage, isChunked: boolean): Promise<void> {
  const socket = await open(port);
  const bytes = bytesOf(sent, isChunked);
  const length = stage === "in the body" ? halfOf(sent, bytes) : bytes.length;
  // Whichever comes first: some responses are early, and some connections are closed.
  const answered = Promise.race([once(socket, "data"), once(socket, "close")]).catch(() => {});
  await new Promise<void>((resolve) => socket.write(bytes.subarray(0, length), () => resolve()));
  await (stage === "in the response" ? answered : sleep(MOMENT));
  socket.resetAndDestroy();
}

/** What was received, and whether the server closed the connection in order or with a reset. */
export interface WholeAnswer {
  /** Undefined: there was none, or it was incomplete. */
  readonly answer: RawAnswer | undefined;
  readonly received: string;
  readonly end: "closed" | "reset" | "stuck";
}

/** Sends a complete request on a connection of its own, and reads to the end. */
export function askAlone(port: number, sent: SentRequest): Promise<WholeAnswer> {
  const alone = { ...sent, headers: { ...sent.headers, Connection: "close" } };
  return readToEnd(port, bytesOf(alone, false));
}

/** Sends the first half of a body and then nothing, and reads to the end. */
export function goSilent(port: number, sent: SentRequest, isChunked: boolean, limit = LIMIT): Promise<WholeAnswer> {
  const bytes = bytesOf(sent, isChunked);
  return readToEnd(port, bytes.subarray(0, halfOf(sent, bytes)), limit);
}

async function readToEnd(port: number, bytes: Buffer, limit = LIMIT): Promise<WholeAnswer> {
  const socket = await open(port);
  const parts: Buffer[] = [];
  let isReset = false;
  const stuck = new AbortController();
  const timer = setTimeout(() => stuck.abort(), limit);
  socket.on("error", () => (isReset = true));
  socket.on("data", (part: Buffer) => {
    parts.push(part);
    timer.refresh();
  });
  socket.write(bytes);
  await once(socket, "close", { signal: stuck.signal }).catch(() => {});
  clearTimeout(timer);
  socket.destroy();
  const received = Buffer.concat(parts);
  const end = stuck.signal.aborted ? "stuck" : isReset ? "reset" : "closed";
  return { answer: parseAnswers(received)[0], received: received.toString("latin1", 0, 500), end };
}

async function open(port: number): Promise<Socket> {
  const socket = connect({ host: "127.0.0.1", port, noDelay: true });
  await once(socket, "connect");
  return socket.on("error", () => {});
}

function bytesOf({ method, path, headers, body }: SentRequest, isChunked: boolean): Buffer {
  const framing = isChunked ? { "Transfer-Encoding": "chunked" } : { "Content-Length": String(body?.length ?? 0) };
  const fields = Object.entries({ Host: "localhost", ...headers, ...(body === undefined ? {} : framing) });
  const head = `${method} ${path} HTTP/1.1\r\n${fields.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`;
  const content = body === undefined ? [] : isChunked ? inChunks(body) : [body];
  return Buffer.concat([Buffer.from(head), ...content]);
}

/** Two chunks, split so that half of the body ends between them. */
function inChunks(body: Buffer): Buffer[] {
  const half = Math.ceil(body.length / 2);
  const chunk = (bytes: Buffer) => [Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from("\r\n")];
  const parts = [body.subarray(0, half), body.subarray(half)].filter(({ length }) => length > 0);
  return [...parts.flatMap(chunk), Buffer.from("0\r\n\r\n")];
}

/** The length of a request up to the middle of its body. */
function halfOf({ body }: SentRequest, bytes: Buffer): number {
  const start = bytes.indexOf("\r\n\r\n") + 4;
  return body === undefined ? start - 2 : start + Math.floor((bytes.length - start) / 2);
}
