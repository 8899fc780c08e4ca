import { formatAddress } from "../../src/address/format-address.ts";
import { bulkLookup } from "../../src/cti/bulk-lookup.ts";
import { CtiDataset } from "../../src/cti/dataset.ts";
import { openSnapshot } from "../../src/snapshot/open-snapshot.ts";
import { Random } from "../data/random.ts";
import { requireGood, type Measurement, measurement, medianOf } from "./measure.ts";
import type { Listener, LoadProcess } from "./processes.ts";
import { askOnce, requestBytes, type RequestText } from "./requests.ts";

const ADDRESSES = 10_000;
/** Milliseconds of one turn. */
const TURN = 1000;

/**
 * A bulk lookup of 10,000 addresses, one in eight of them IPv6: the lookups alone, in this process; the whole request,
 * over one connection; and reading and writing the same two bodies as JSON, which no JavaScript server can avoid.
 */
export async function measureBulk(
  service: Listener,
  key: string,
  dataset: string,
  load: LoadProcess,
  rounds: number,
): Promise<Measurement[]> {
  const ips = addresses(new Random(8));
  const request: RequestText = { method: "POST", path: "/v1/cti/bulk_lookup", key, body: JSON.stringify({ ips }) };
  const answer = await askOnce(service.port, request);
  const { metadata, table } = await openSnapshot(dataset);
  const threats = new CtiDataset(metadata, table);
  requireRight(answer, threats, ips);
  const [whole, json, lookups]: [number[], number[], number[]] = [[], [], []];
  for (let round = 0; round <= rounds; round++) {
    const report = await load.run({
      port: service.port,
      connections: 1,
      milliseconds: TURN,
      requests: [requestBytes(request)],
    });
    requireGood("bulk lookup", report);
    const samples = [
      report.median,
      timeOf(() => [JSON.parse(request.body!), JSON.stringify(JSON.parse(answer))]) - timeOf(() => JSON.parse(answer)),
      timeOf(() => bulkLookup(threats, ips)),
    ];
    if (round > 0) [whole, json, lookups].forEach((all, index) => all.push(samples[index]!));
  }
  return [
    measurement("bulk lookup of 10,000 addresses, whole request", "ms", whole),
    measurement("JSON.parse and JSON.stringify of its bodies", "ms", json),
    measurement(
      "bulk lookup inside the handler",
      "addresses/s",
      lookups.map((milliseconds) => (ADDRESSES * 1000) / milliseconds),
    ),
  ];
}

function addresses(random: Random): string[] {
  const different = new Set<string>();
  while (different.size < ADDRESSES) {
    const isKnown = random.below(2) === 0;
    const w0 = isKnown ? (0xc6336400 + random.below(256)) >>> 0 : random.word();
    if (random.below(8) === 0)
      different.add(formatAddress({ family: 6, w0: 0x20010db8, w1: random.word(), w2: 0, w3: random.word() }));
    else different.add(formatAddress({ family: 4, w0, w1: 0, w2: 0, w3: 0 }));
  }
  return [...different];
}

function requireRight(answer: string, threats: CtiDataset, ips: readonly string[]): void {
  const documents = JSON.parse(answer) as Record<string, { seen: boolean; spoofable: boolean | null }>;
  for (const ip of ips) {
    const { seen, spoofable } = threats.lookup(ip);
    if (documents[ip]?.seen !== seen || documents[ip].spoofable !== spoofable)
      throw new Error(`${ip}: ${JSON.stringify(documents[ip])}`);
  }
}

/** The median of some tens of calls, in milliseconds. */
function timeOf(action: () => unknown): number {
  return medianOf(
    Array.from({ length: 40 }, () => {
      const start = performance.now();
      action();
      return performance.now() - start;
    }),
  );
}
