import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { FeedPoller, type Sightings, tagOf } from "./feed-poller.ts";

const LIST = "192.0.2.0/24\n198.51.100.7\n";

/** Servers that disarm firewalls, each in its own way. */
const BROKEN: Readonly<Record<string, (response: ServerResponse) => void>> = {
  "an empty list": (response) => send(response, ""),
  "half a list": (response) => send(response, LIST.slice(0, LIST.length / 2)),
  "401": (response) => response.writeHead(401).end(),
  "404": (response) => response.writeHead(404).end(),
  "500": (response) => response.writeHead(500).end(),
  "503 that says nothing about when to come back": (response) => response.writeHead(503).end(),
  "304 for another list": (response) => response.writeHead(304, { etag: '"another"' }).end(),
};

function send(response: ServerResponse, text: string): void {
  response.writeHead(200, { etag: tagOf(text), "content-length": text.length }).end(text);
}

/** Negative control: the broken servers that a poller does not detect, of which there must be none. */
export async function missedBrokenFeeds(): Promise<string[]> {
  const missed: string[] = [];
  for (const [what, respond] of Object.entries(BROKEN)) if (!(await isFound(respond))) missed.push(what);
  return missed;
}

async function isFound(respond: (response: ServerResponse) => void): Promise<boolean> {
  const server = createServer((_request, response) => respond(response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const seen: Sightings = { answers: {}, wrong: [] };
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const poller = new FeedPoller(url, seen, (body) => (body === LIST ? undefined : "it was never published"));
  while (seen.wrong.length === 0 && Object.values(seen.answers).reduce((sum, count) => sum + count, 0) < 20)
    await sleep(5);
  await poller.end();
  server.close();
  return seen.wrong.length > 0;
}
