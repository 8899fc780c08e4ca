import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A message as it arrived. */
export interface Received {
  readonly headers: IncomingHttpHeaders;
  /** The bytes, which the signature covers. */
  readonly body: string;
  readonly path: string;
  /** Milliseconds by a monotonic clock. */
  readonly at: number;
}

/** Answers a request; by default with 204. */
export type Responder = (response: ServerResponse, received: Received) => void;

const accept: Responder = (response) => void response.writeHead(204).end();

/** A server that receives webhook messages, and responds as a test says. */
export class WebhookReceiver {
  readonly received: Received[] = [];
  respond: Responder = accept;
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on("data", (part: Buffer) => parts.push(part));
      request.on("end", () => {
        const { headers, url = "" } = request;
        const received = { headers, body: Buffer.concat(parts).toString(), path: url, at: performance.now() };
        this.received.push(received);
        this.respond(response, received);
      });
    });
  }

  static async start(): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver();
    receiver.#server.listen(0, "127.0.0.1");
    await once(receiver.#server, "listening");
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The messages that have arrived at a path. */
  at(path: string): Received[] {
    return this.received.filter((received) => received.path === path);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}
