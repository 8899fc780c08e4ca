/** What `limitPipelining` does with the connections of a server of `node:http`, apart from the rest of the service. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import type { FastifyInstance } from "fastify";
import { MAX_BEGUN } from "../../../src/api/http/turn-budget.ts";
import { limitPipelining } from "../../../src/api/plugins/pipelining.ts";
import { until } from "../../until.ts";

async function serve(context: TestContext, server: Server): Promise<number> {
  limitPipelining({ server } as FastifyInstance);
  await once(server.listen(0, "127.0.0.1", 1000), "listening");
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

async function open(context: TestContext, port: number, localAddress: string): Promise<Socket> {
  const socket = connect({ port, host: "127.0.0.1", localAddress });
  socket.on("error", () => {});
  context.after(() => socket.destroy());
  await once(socket, "connect");
  return socket;
}

test("an address with one connection does not wait for the hundreds of another", async (context) => {
  const begun: string[] = [];
  const server = createServer((request, response) => {
    begun.push(request.socket.remoteAddress!);
    response.end("ok");
  });
  const port = await serve(context, server);
  const many = await Promise.all(Array.from({ length: 6 * MAX_BEGUN }, () => open(context, port, "127.0.0.1")));
  const one = await open(context, port, "127.0.0.2");
  await until("all are accepted", async () => {
    const count = await new Promise((resolve) => server.getConnections((_, found) => resolve(found)));
    return count === many.length + 1;
  });
  for (const socket of [...many, one]) socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  await until("all have begun", () => begun.length === many.length + 1);
  // Those of the turn in which it came, and of the next one.
  assert.ok(begun.indexOf("127.0.0.2") <= 3 * MAX_BEGUN, String(begun.indexOf("127.0.0.2")));
});

test("nothing listens any more on a connection that asked for a tunnel, as it has no parser", async (context) => {
  const server = createServer();
  const listeners: number[] = [];
  server.on("connect", (_request, socket) => {
    listeners.push(socket.listenerCount("data"));
    socket.end("HTTP/1.1 405 Method Not Allowed\r\n\r\n");
  });
  const port = await serve(context, server);
  const socket = await open(context, port, "127.0.0.1");
  socket.write("CONNECT x:443 HTTP/1.1\r\nHost: x:443\r\n\r\n");
  await once(socket, "data");
  assert.deepEqual(listeners, [0]);
});
