import { Agent, request } from "node:http";

export interface Sent {
  readonly method: string;
  /** As sent over the wire. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Uint8Array | undefined;
}

export interface Received {
  readonly status: number;
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
}

/** Sends a request and reads the whole response. Paths and headers are sent unchanged, unlike with `fetch`. */
export type Send = (sent: Sent) => Promise<Received>;

export function sender(url: string, connections = 32): { send: Send; close(): void } {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const { hostname: host, port } = new URL(url);
  const send: Send = ({ method, path, headers, body }) =>
    new Promise((resolve, reject) => {
      const length = body === undefined ? {} : { "Content-Length": String(Buffer.byteLength(body)) };
      const going = request(
        {
          agent,
          host,
          port,
          method,
          path,
          headers: { ...headers, ...length } as Record<string, string | string[]>,
          joinDuplicateHeaders: true,
        },
        (answer) => {
          const chunks: Buffer[] = [];
          answer.on("data", (chunk: Buffer) => chunks.push(chunk));
          answer.on("end", () =>
            resolve({
              status: answer.statusCode!,
              headers: answer.headers as Received["headers"],
              text: Buffer.concat(chunks).toString(),
            }),
          );
          answer.on("error", reject);
        },
      );
      going.on("error", reject);
      going.end(body);
    });
  return { send, close: () => agent.destroy() };
}
