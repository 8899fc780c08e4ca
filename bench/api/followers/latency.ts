import { once } from "node:events";
import { createServer, get, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "../../../src/client/client.ts";
import type { FilledStore } from "../fill-store.ts";
import { type Measurement, measurement } from "../measure.ts";
import type { Listener } from "../processes.ts";
import { askOnce } from "../requests.ts";

/** Milliseconds between two writes, and between two checks of a mirror. */
const [PAUSE, LOOK] = [30, 1];
const LIMIT = 60_000;

/** A receiver of webhooks, with the arrival time of each message by its address. */
export interface Receiver {
  readonly url: string;
  readonly arrived: Map<string, number>;
  close(): void;
}

const ADDRESS = /"ip":\s*"([\d.]+)/g;

export async function startReceiver(): Promise<Receiver> {
  const arrived = new Map<string, number>();
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (part: string) => (body += part));
    request.on("end", () => {
      for (const [, ip] of body.matchAll(ADDRESS)) arrived.set(ip!, performance.now());
      response.writeHead(204).end();
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  return { url, arrived, close: () => void server.close() };
}

/**
 * Rules that are added one at a time, and the milliseconds from the response until a stream has the change, a mirror
 * uses it, and a webhook has its message; 0 if that was before the response.
 */
export async function measureLatency(
  { port }: Listener,
  { key, emptyId }: FilledStore,
  receiver: Receiver,
  writes: number,
): Promise<Measurement[]> {
  const baseUrl = `http://127.0.0.1:${port}`;
  const streamed = new Map<string, number>();
  const stream = await openStream(`${baseUrl}/v1/changes`, key);
  stream.setEncoding("utf8").on("data", (part: string) => {
    for (const [, ip] of part.matchAll(ADDRESS)) streamed.set(ip!, performance.now());
  });
  const mirror = await new Client({ baseUrl, key }).mirror(emptyId);
  const mirrored = new Map<string, number>();
  const delays: Record<"stream" | "mirror" | "webhook", number[]> = { stream: [], mirror: [], webhook: [] };
  for (let write = 0; write < writes; write++) {
    const ip = `203.0.${write >> 8}.${write & 255}`;
    const path = `/v1/edl/ip-rulesets/${emptyId}/rules`;
    await askOnce(port, { method: "POST", path, key, body: JSON.stringify({ ip }) });
    const acknowledged = performance.now();
    while (!(mirrored.has(ip) && streamed.has(ip) && receiver.arrived.has(ip))) {
      if (!mirrored.has(ip) && mirror.rules.check(ip) !== null) mirrored.set(ip, performance.now());
      else await sleep(LOOK);
      if (performance.now() - acknowledged > LIMIT) throw new Error(`${ip} has not come everywhere`);
    }
    for (const [name, times] of [
      ["stream", streamed],
      ["mirror", mirrored],
      ["webhook", receiver.arrived],
    ] as const)
      delays[name].push(Math.max(0, times.get(ip)! - acknowledged));
    await sleep(PAUSE);
  }
  mirror.close();
  stream.destroy();
  return [
    measurement("from the response to a write until a stream has the change", "ms", delays.stream),
    measurement("from the response to a write until a mirror answers by it", "ms", delays.mirror),
    measurement("from the response to a write until a webhook arrives", "ms", delays.webhook),
  ];
}

export function openStream(url: string, key: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sent = get(url, { agent: false, headers: { "X-API-Key": key, Accept: "text/event-stream" } }, (response) => {
      if (response.statusCode === 200) resolve(response.on("error", () => {}));
      else reject(new Error(`a stream of changes: ${response.statusCode}`));
    });
    sent.on("error", reject);
  });
}
