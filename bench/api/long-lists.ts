import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** As many as an external list may have. */
const ENTRIES = 1_000_000;

let origin: Promise<string> | undefined;

/** Where a list of the greatest length is published, on this machine, every second time with other entries. */
export function longList(): Promise<string> {
  return (origin ??= publish());
}

async function publish(): Promise<string> {
  const lists = [listOf(1 << 24), listOf(1 << 25)];
  let turn = 0;
  const server = createServer((_, response) => void response.end(lists[turn++ % lists.length])).unref();
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/list`;
}

function listOf(first: number): Buffer {
  const lines = Array.from({ length: ENTRIES }, (_, at) => {
    const address = first + 2 * at;
    return `${address >>> 24}.${(address >>> 16) & 255}.${(address >>> 8) & 255}.${address & 255}\n`;
  });
  return Buffer.from(lines.join(""));
}
