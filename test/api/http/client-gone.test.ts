import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type AddressInfo } from "node:net";
import { after, test } from "node:test";
import { fastify } from "fastify";
import { clientGone } from "../../../src/api/http/client-gone.ts";
import { until } from "../../until.ts";

const signals: AbortSignal[] = [];
const app = fastify({ forceCloseConnections: true });
app.post("/at-once", (_request, reply) => {
  signals.push(clientGone(reply));
  return { done: true };
});
app.post("/never", (_request, reply) => {
  signals.push(clientGone(reply));
  return new Promise(() => {});
});
const late: AbortSignal[] = [];
app.post("/late", async (_request, reply) => {
  await once(reply.raw, "close");
  late.push(clientGone(reply));
});
await app.listen({ port: 0, host: "127.0.0.1" });
const { port } = app.server.address() as AddressInfo;
after(() => app.close());

function send(path: string) {
  const socket = connect(port, "127.0.0.1");
  const body = '{"a":1}';
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  return socket;
}

test("the signal is aborted when the client closes its connection before the response", async () => {
  const socket = send("/never");
  await until("the request has come", () => signals.length === 1);
  assert.equal(signals[0]!.aborted, false, "the end of the body is no end of the client");
  socket.destroy();
  await until("the signal is aborted", () => signals[0]!.aborted);
  assert.match((signals[0]!.reason as Error).message, /closed the connection/);
});

test("the signal is not aborted when the client closes it afterwards", async () => {
  const socket = send("/at-once");
  await once(socket, "data");
  socket.destroy();
  const other = send("/never");
  await until("the next request has come", () => signals.length === 3);
  other.destroy();
  await until("the next client is gone", () => signals[2]!.aborted);
  assert.equal(signals[1]!.aborted, false);
});

test("the signal is aborted from the start if the client has already disconnected", async () => {
  const requests = new Promise<void>((resolve) => app.server.once("request", () => resolve()));
  const socket = send("/late");
  await requests;
  socket.destroy();
  await until("the handler goes on", () => late.length === 1);
  assert.equal(late[0]!.aborted, true);
});
