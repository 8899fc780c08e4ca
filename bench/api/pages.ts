import { formatAddress } from "../../src/address/format-address.ts";
import { Random } from "../data/random.ts";
import type { FilledStore } from "./fill-store.ts";
import { type Measurement, measurement, requireGood } from "./measure.ts";
import { type Listener, LoadProcess } from "./processes.ts";
import { askOnce, requestBytes } from "./requests.ts";

const WRITES_PER_SECOND = 500;
const TURN = 4000;
const PAGE = 100;

/** Pages from anywhere in a ruleset of `count` rules, while the same ruleset is written to. */
export async function measurePages(
  service: Listener,
  { key, rulesetId }: FilledStore,
  count: number,
  load: LoadProcess,
  rounds: number,
): Promise<Measurement[]> {
  const path = `/v1/edl/ip-rulesets/${rulesetId}/rules`;
  const random = new Random(4);
  await requirePage(service, key, path);
  const reads = Array.from({ length: 500 }, () =>
    requestBytes({ path: `${path}?page=${1 + random.below(count / PAGE)}&page_size=${PAGE}`, key }),
  );
  const writer = new LoadProcess();
  const [p99, rates, written]: [number[], number[], number[]] = [[], [], []];
  try {
    for (let round = 0; round <= rounds; round++) {
      const writes = Array.from({ length: 4000 }, () =>
        requestBytes({
          method: "POST",
          path,
          key,
          body: JSON.stringify({ ip: formatAddress({ family: 4, w0: publicAddress(random), w1: 0, w2: 0, w3: 0 }) }),
        }),
      );
      const [pages, additions] = await Promise.all([
        load.run({ port: service.port, connections: 2, milliseconds: TURN, requests: reads, rate: 200 }),
        writer.run({
          port: service.port,
          connections: 64,
          milliseconds: TURN,
          requests: writes,
          rate: WRITES_PER_SECOND,
        }),
      ]);
      requireGood("rules page", pages);
      requireGood("addRule", additions);
      if (round === 0) continue;
      p99.push(pages.p99);
      rates.push(pages.median);
      written.push(additions.answers / additions.seconds);
    }
  } finally {
    writer.stop();
  }
  return [
    measurement("rules page anywhere in 1,000,000 rules, 99th percentile", "ms", p99),
    measurement("rules page anywhere in 1,000,000 rules, median", "ms", rates),
    measurement("writes beside it", "requests/s", written),
  ];
}

/** The last page begins where the others end. */
async function requirePage(service: Listener, key: string, path: string): Promise<void> {
  const page = async (query: string): Promise<{ items: { ip: string }[]; count: number }> =>
    JSON.parse(await askOnce(service.port, { path: `${path}?${query}`, key })) as never;
  const { count } = await page("page=1&page_size=1");
  const last = await page(`page=${Math.ceil(count / PAGE)}&page_size=${PAGE}`);
  const single = await page(`page=${count}&page_size=1`);
  if (last.items.length !== ((count - 1) % PAGE) + 1 || single.items[0]!.ip !== last.items.at(-1)!.ip)
    throw new Error(`the last of ${count} rules is not where it must be`);
}

/** From 16.0.0.0 to 63.255.255.255, where nothing is for special purposes. */
function publicAddress(random: Random): number {
  return 0x10000000 + random.below(0x30000000);
}
