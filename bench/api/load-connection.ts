import { createConnection, type Socket } from "node:net";

const LINE_END = Buffer.from("\r\n\r\n");
const LENGTH = /\r\ncontent-length: (\d+)/i;
const LAST = /\r\nconnection: close(?:\r\n|$)/i;

/** What happens when nothing was asked for. */
const ready = (): void => {};

/**
 * A connection that asks, waits for the answer, and asks again. It reads of an answer only what it must: the status and
 * the length, so that the machine's time goes to the server. No pipelining; an answer without Content-Length is an
 * error but for 304.
 */
export class LoadConnection {
  readonly #socket: Socket;
  #head: Buffer = Buffer.alloc(0);
  /** Bytes of the answer's body still to come; -1 while its head is read. */
  #left = -1;
  #status = 0;
  /** Whether the answer said when to try again. */
  hasRetryAfter = false;
  /** Whether the answer said that the connection ends with it: what is asked next needs another connection. */
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

  /** Whether an answer is still to come. */
  get isWaiting(): boolean {
    return this.#answered !== ready;
  }

  /** Sends a request and calls `answered` with its status when all of the answer is there. */
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

  /** How many bytes of the body came with the end of the head; -1 where it has not ended yet. */
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
