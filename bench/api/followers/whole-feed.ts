import { get } from "node:http";
import type { FilledStore } from "../fill-store.ts";
import { type Measurement, measurement } from "../measure.ts";
import { type Listener, processorSeconds } from "../processes.ts";

const LINE_FEED = 10;

/** All changes from the first one on, as NDJSON: changes a second, and processor time of the server for each. */
export async function measureWholeFeed(
  service: Listener,
  { key }: FilledStore,
  rounds: number,
): Promise<Measurement[]> {
  const [rates, costs]: [number[], number[]] = [[], []];
  for (let round = 0; round <= rounds; round++) {
    const [startedAt, before] = [performance.now(), processorSeconds(service)];
    const count = await countLines(`http://127.0.0.1:${service.port}/v1/changes?after=0`, key);
    const seconds = (performance.now() - startedAt) / 1000;
    if (round === 0) continue;
    rates.push(count / seconds);
    costs.push(((processorSeconds(service) - before) * 1e6) / count);
  }
  return [
    measurement("changes of a feed, read from the first one on", "changes/s", rates),
    measurement("changes of a feed, read from the first one on", "processor µs/change", costs),
  ];
}

function countLines(url: string, key: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { "X-API-Key": key, Accept: "application/x-ndjson" };
    const sent = get(url, { agent: false, headers }, (response) => {
      if (response.statusCode !== 200) return reject(new Error(`the feed: ${response.statusCode}`));
      let count = 0;
      response.on("data", (part: Buffer) => {
        for (let at = part.indexOf(LINE_FEED); at >= 0; at = part.indexOf(LINE_FEED, at + 1)) count++;
      });
      response.on("end", () => resolve(count));
      response.on("error", reject);
    });
    sent.on("error", reject);
  });
}
