import { setTimeout } from "node:timers/promises";
import type { FilledStore } from "../api/fill-store.ts";
import type { Listener } from "../api/processes.ts";

/** A deployment of a ruleset, which has been published. */
export interface Feed {
  readonly origin: string;
  /** Of its file with both families, below the origin. */
  readonly path: string;
  readonly key: string;
  readonly rulesetId: string;
  readonly entries: number;
}

/** Times that are waited for a list, half a second each. */
const PATIENCE = 240;

export async function makeFeed({ port }: Listener, { key, rulesetId }: FilledStore): Promise<Feed> {
  const origin = `http://127.0.0.1:${port}`;
  const ask = async (path: string, body?: object): Promise<any> => {
    const headers = { "X-API-Key": key, "Content-Type": "application/json" };
    const sent = body === undefined ? { headers } : { method: "POST", headers, body: JSON.stringify(body) };
    const response = await fetch(origin + path, sent);
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json();
  };
  const { id } = await ask("/v1/edl/deployments/", { name: "bench", include: [{ ruleset: rulesetId }] });
  for (let turn = 0; turn < PATIENCE; turn++) {
    const { status, ipv4_entries_count: entries } = await ask(`/v1/edl/deployments/${id}`);
    if (status === "ok") {
      const { urls } = await ask(`/v1/edl/deployments/${id}/urls/`);
      return { origin, path: new URL(urls.combined[0]).pathname, key, rulesetId, entries };
    }
    await setTimeout(500);
  }
  throw new Error("the list was not published");
}

/** A device's request for the list, with a header of its own. */
export function pull({ path }: Feed, header: string): Uint8Array {
  return Buffer.from(`GET ${path} HTTP/1.1\r\nHost: bench\r\n${header}\r\n\r\n`);
}
