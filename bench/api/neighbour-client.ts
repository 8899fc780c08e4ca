import { Agent, type IncomingMessage, request } from "node:http";
import type { NeighbourAccess, OwnParts } from "./neighbour-messages.ts";

export interface Exchange {
  /** 0: the connection ended without an answer. */
  readonly status: number;
  /** Up to 64 kB of the answer's body. */
  readonly text: string;
}

export interface Sending {
  readonly type?: string;
  readonly body?: Uint8Array | string;
  readonly headers?: Readonly<Record<string, string>>;
  /** An address of this machine that it comes from; each has a connection of its own. */
  readonly from?: string;
}

/** The neighbour's own address: limits by address tell it from the victim. */
const ADDRESS = "127.0.0.2";
const MAX_TEXT = 1 << 16;
/** Milliseconds until something is sent again after a connection that failed. */
const PAUSE = 20;
/** How long the server has to reject a body by its length alone, in milliseconds. */
const REFUSES_WITHIN = 300;

/**
 * One connection, which sends a request, reads the whole response, and sends the next. Responses before the end of a
 * body and broken connections are tolerated.
 */
export class Client {
  readonly access: NeighbourAccess;
  readonly own: OwnParts;
  /** What paths begin with. */
  readonly base: string;
  statuses: Record<string, number> = {};
  bytesSent = 0;
  isServerGone = false;
  #agent = new Agent({ keepAlive: true, maxSockets: 1, localAddress: ADDRESS });
  readonly #headers: Readonly<Record<string, string>>;

  constructor(access: NeighbourAccess, own: OwnParts, scope: "public" | "dashboard") {
    this.access = access;
    this.own = own;
    this.base = scope === "public" ? "/v1" : "/dashboard/api";
    this.#headers = scope === "public" ? { "X-API-Key": access.key } : sessionHeaders(own.session);
  }

  /** Requests that prepare others do not count. */
  beginCounting(): void {
    this.statuses = {};
    this.bytesSent = 0;
  }

  async ask(method: string, path: string, { type, body, headers = {}, from }: Sending = {}): Promise<Exchange> {
    const agent = from === undefined ? this.#agent : new Agent({ localAddress: from });
    const content =
      body === undefined
        ? {}
        : { "Content-Type": type ?? "application/json", "Content-Length": String(Buffer.byteLength(body)) };
    const exchange = await new Promise<Exchange>((resolve) => {
      const going = request({
        agent,
        host: "127.0.0.1",
        port: this.access.port,
        method,
        path,
        headers: { ...this.#headers, ...content, ...headers },
      });
      let answer: IncomingMessage | undefined;
      let text = "";
      const end = (): void => resolve({ status: answer?.statusCode ?? 0, text });
      going.on("response", (message) => {
        answer = message;
        message.on("data", (chunk: Buffer) => {
          if (text.length < MAX_TEXT) text += chunk.toString("latin1");
        });
        message.on("close", end).on("error", end);
      });
      going.on("error", (error: NodeJS.ErrnoException) => {
        this.isServerGone ||= error.code === "ECONNREFUSED";
        end();
      });
      going.on("close", end);
      going.end(body);
    });
    this.bytesSent += body === undefined ? 0 : Buffer.byteLength(body);
    const status = exchange.status === 0 ? "none" : String(exchange.status);
    this.statuses[status] = (this.statuses[status] ?? 0) + 1;
    if (exchange.status === 0) await new Promise((resolve) => setTimeout(resolve, PAUSE));
    return exchange;
  }

  /** As another user's session, or no one's. */
  asSession(token: string): Readonly<Record<string, string>> {
    return sessionHeaders(token);
  }

  /**
   * The longest body up to `most` bytes, a quarter less each time, that the operation does not reject by its length
   * alone.
   */
  async permittedBytes(method: string, path: string, type: string, most: number): Promise<number> {
    for (let bytes = most; bytes > 1024; bytes >>= 2)
      if (!(await this.#isRefused(method, path, type, bytes))) return bytes;
    return 1024;
  }

  #isRefused(method: string, path: string, type: string, bytes: number): Promise<boolean> {
    return new Promise((resolve) => {
      const going = request({
        host: "127.0.0.1",
        localAddress: ADDRESS,
        port: this.access.port,
        method,
        path,
        headers: { ...this.#headers, "Content-Type": type, "Content-Length": String(bytes) },
      });
      const timer = setTimeout(() => end(false), REFUSES_WITHIN);
      const end = (isRefused: boolean): void => {
        clearTimeout(timer);
        resolve(isRefused);
        going.destroy();
      };
      going.on("response", ({ statusCode }) => end(statusCode === 413)).on("error", () => end(false));
      going.flushHeaders();
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

function sessionHeaders(token: string): Readonly<Record<string, string>> {
  return { Cookie: `ipsieve-session=${token}`, "Sec-Fetch-Site": "same-origin" };
}
