import { hash } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { type Measurement, measurement } from "../api/measure.ts";
import { type Listener, residentMiB } from "../api/processes.ts";
import type { Feed } from "./feed.ts";

const DOWNLOADS = 100;
/** Each client downloads so often; a new list is published every two seconds at most. */
const TIMES = 5;

/**
 * Slow clients download the list at the same time, again and again, while rules are added: every body must be complete
 * and of one generation, by the digest in its tag. Rejects if one is not, or if all were of the same generation.
 */
export async function measureDownloads(service: Listener, feed: Feed): Promise<Measurement[]> {
  const writing = { isDone: false };
  const tags = new Set<string>();
  let wrong = 0;
  const client = async (): Promise<void> => {
    for (let time = 0; time < TIMES; time++) {
      const response = await fetch(feed.origin + feed.path, { headers: { "Accept-Encoding": "identity" } });
      const bytes = await readSlowly(response);
      const tag = response.headers.get("etag") ?? "";
      tags.add(tag);
      if (response.status !== 200 || tag !== `"${hash("sha256", bytes, "base64url").slice(0, 22)}"`) wrong++;
    }
  };
  const clients = Promise.all(Array.from({ length: DOWNLOADS }, client)).finally(() => (writing.isDone = true));
  const [rules] = await Promise.all([addRules(feed, writing), clients]);
  if (wrong > 0) throw new Error(`${wrong} of ${DOWNLOADS * TIMES} downloads are not of one generation`);
  if (tags.size < 2) throw new Error("all downloads are of one generation: nothing was tested");
  return [
    measurement(`${DOWNLOADS} downloads at once, ${TIMES} times: most resident`, "MiB", [
      residentMiB(service, "VmHWM"),
    ]),
    measurement("... generations downloaded", "times", [tags.size]),
    measurement("... rules added meanwhile", "times", [rules]),
  ];
}

async function addRules({ origin, key, rulesetId }: Feed, writing: { isDone: boolean }): Promise<number> {
  let count = 0;
  while (!writing.isDone) {
    const body = JSON.stringify({ ip: `21.${count >> 8}.${count & 255}.0/24` });
    const headers = { "X-API-Key": key, "Content-Type": "application/json" };
    const path = `/v1/edl/ip-rulesets/${rulesetId}/rules`;
    const response = await fetch(origin + path, { method: "POST", headers, body });
    if (!response.ok) throw new Error(`rules: ${response.status} ${await response.text()}`);
    count++;
    await setTimeout(100);
  }
  return count;
}

/** Piece by piece, with other work in between. */
async function readSlowly(response: Response): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for await (const part of response.body!) {
    parts.push(part);
    await setTimeout(1);
  }
  return Buffer.concat(parts);
}
