import { connect } from "node:net";
import { parentPort, workerData } from "node:worker_threads";

/** What `late-body.ts` is started with, as a thread of its own. */
export interface LateBody {
  readonly port: number;
  readonly length: number;
  /** One number: not 0 once the body is to be sent. */
  readonly go: Int32Array;
}

/**
 * Sends the head of a request without credentials, reports "answered", and sends the body and another request when told
 * to. Reports at the end what came, and how it ended.
 */
function sendLate({ port, length, go }: LateBody): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  const tell = (text: string): void => parentPort!.postMessage(text);
  let received = "";
  let end = "closed";
  const socket = connect({ port, host: "127.0.0.1" });
  socket.write(`POST /v1/cbs/lookup HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n`);
  socket.once("data", () => {
    tell("answered");
    Atomics.wait(go, 0, 0);
    socket.write(`${"x".repeat(length)}GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
  });
  socket.on("data", (chunk) => (received += chunk.toString()));
  socket.on("error", ({ message }) => (end = message));
  socket.on("close", () => tell([...(received.match(/HTTP\/1.1 \d+/g) ?? []), end].join(", ")));
}

if (workerData?.go !== undefined) sendLate(workerData);
