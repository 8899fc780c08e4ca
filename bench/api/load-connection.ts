import { createConnection, type Socket } from "node:net";

const LINE_END = Buffer.from("\r\n\r\n");
const LENGTH = /\r\ncontent-length: (\d+)/i;
const LAST = /\r\nconnection: close(?:\r\n|$)/i;

/** The handler while no request is in progress. */
const ready = (): void => {};

/**
 * A connection that sends a request, waits for the response, and sends the next. Of a response it reads only the status
 * and the length, so that the machine's time goes to the server. No pipelining; a response without Content-Length is an
 * error, except for 304.
 */
export class LoadConnection {
  readonly #socket: Socket;
  #head: Buffer = Buffer.alloc(0);
  /** Bytes of the answer's body still to come; -1 while its head is read. */
  #left = -1;
  #status = 0;
  /** Whether the response said when to retry. */
  hasRetryAfter = false;
  /** Whether the response said that the connection ends with it: the next request needs another connection. */
  isLast = false;
  #answered: (status: number) => void = ready;
  #failed: (error: Error) => void = ready;
  #error: Error | undefined;

  static async open(port: number): Promise<LoadConnection> {
    const socket = createConnection({ host: "127.0.0.1", port, noDelay: true });
    await new Promise<void>((resolve, reject) => socket.once("connect", resolve).once("error", reject));
    return new LoadConnection(socket);
  }

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", (chunk: Buffer) => this.#received(chunk));
    socket.on("error", (error) => this.#lost(error));
    socket.on("close", () => this.#lost(new Error("the server closed the connection")));
  }

  /** Whether a response is pending. */
  get isWaiting(): boolean {
    return this.#answered !== ready;
  }

  /** Sends a request and calls `answered` with its status when the response is complete. */
  ask(request: Uint8Array, answered: (status: number) => void, failed: (error: Error) => void): void {
    if (this.#error !== undefined) return failed(this.#error);
    this.#answered = answered;
    this.#failed = failed;
    this.#socket.write(request);
  }

  close(): void {
    this.#failed = ready;
    this.#socket.destroy();
  }

  #lost(error: Error): void {
    this.#error ??= error;
    this.#failed(this.#error);
    this.#failed = ready;
  }

  #received(chunk: Buffer): void {
    const body = this.#left < 0 ? this.#bodyOf(chunk) : chunk.length;
    if (body < 0) return;
    this.#left -= body;
    if (this.#left > 0) return;
    this.#left = -1;
    const answered = this.#answered;
    this.#answered = ready;
    answered(this.#status);
  }

  /** How many bytes of the body arrived with the end of the head; -1 if the head has not ended yet. */
  #bodyOf(chunk: Buffer): number {
    this.#head = this.#head.length === 0 ? chunk : Buffer.concat([this.#head, chunk]);
    const end = this.#head.indexOf(LINE_END);
    if (end < 0) return -1;
    const text = this.#head.toString("latin1", 0, end);
    this.#status = Number(text.slice(9, 12));
    // Nothing follows a 304, whatever its length says.
    const length = this.#status === 304 ? "0" : LENGTH.exec(text)?.[1];
    if (length === undefined) throw new Error(`an answer tells no length: ${text}`);
    this.isLast = LAST.test(text);
    this.hasRetryAfter = this.#status >= 429 && /\r\nretry-after: \d+\r\n/i.test(text);
    this.#left = Number(length);
    const body = this.#head.length - end - LINE_END.length;
    this.#head = Buffer.alloc(0);
    return body;
  }
}
