/**
 * The least that Fastify can do for a list at a URL: a route without credentials, limits, logs and a record of pulls,
 * which sends the same bytes. `node bare-feed.ts FILE`.
 */
import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import fastify from "fastify";

const bytes = readFileSync(process.argv[2]!);
const packed = gzipSync(bytes);
const tag = `"${hash("sha256", bytes, "base64url").slice(0, 22)}"`;
const changed = new Date().toUTCString();

const app = fastify();
app.get("/feeds/:token/:file", (request, reply) => {
  const { "if-none-match": known, "accept-encoding": codings } = request.headers;
  reply.headers({ etag: tag, "last-modified": changed, vary: "Accept-Encoding", "cache-control": "no-cache" });
  if (known === tag) return reply.code(304).send();
  reply.type("text/plain; charset=utf-8");
  return codings === undefined ? reply.send(bytes) : reply.header("content-encoding", "gzip").send(packed);
});
await app.listen({ host: "127.0.0.1", port: 0 });
console.log(`http://127.0.0.1:${(app.server.address() as AddressInfo).port}`);
process.once("SIGTERM", () => void app.close());
