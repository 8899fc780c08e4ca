import { rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fillStore } from "../../../bench/api/fill-store.ts";
import { LoadConnection } from "../../../bench/api/load-connection.ts";
import { requestBytes } from "../../../bench/api/requests.ts";
import { Random } from "../../../bench/data/random.ts";
import { ServiceProcess } from "./service-process.ts";

export interface ShutdownOptions {
  readonly folder: string;
  readonly seed: number;
  readonly go: (shutdowns: number) => boolean;
  /** SIGKILL instead of SIGTERM is the negative control: it must lose requests. */
  readonly signal?: "SIGTERM" | "SIGKILL";
}

export interface ShutdownReport {
  shutdowns: number;
  answered: number;
  /** Requests whose last byte had been written before the signal was sent. */
  inFlight: number;
  /** The number of those that got no response, or a status other than 200 and 201. */
  failed: number;
  /** Requests sent after the signal that were not served: the client retries those elsewhere. */
  turnedAway: number;
  /** Ends with an exit code other than 0. */
  badExits: string[];
}

const CONNECTIONS = 16;
const REQUESTS = 400;

/**
 * R10: ends a server under load by a signal, at a random moment, and counts the outcomes of the requests in progress.
 */
export async function runShutdowns({ folder, seed, go, signal = "SIGTERM" }: ShutdownOptions): Promise<ShutdownReport> {
  const report: ShutdownReport = { shutdowns: 0, answered: 0, inFlight: 0, failed: 0, turnedAway: 0, badExits: [] };
  const random = new Random(seed);
  for (; go(report.shutdowns); report.shutdowns++) {
    const file = `${folder}/store-${report.shutdowns}.db`;
    const { key, rulesetId, emptyId } = await fillStore(file, 100, random);
    const service = await ServiceProcess.start(file);
    const clients = await Promise.all(Array.from({ length: CONNECTIONS }, () => LoadConnection.open(service.port)));
    const state = { isOver: false };
    const loops = clients.map((client) =>
      askUntilOver(client, requestsOf(random, key, rulesetId, emptyId), state, report),
    );
    await sleep(50 + random.below(200));
    const exit = service.end(signal);
    state.isOver = true;
    report.inFlight += clients.filter((client) => client.isWaiting).length;
    await Promise.all(loops);
    const code = await exit;
    if (code !== 0) report.badExits.push(String(code));
    for (const suffix of ["", "-wal", "-shm"]) rmSync(file + suffix, { force: true });
  }
  return report;
}

/** Lookups, bulk lookups, additions and pages. */
function requestsOf(random: Random, key: string, rulesetId: string, emptyId: string): Buffer[] {
  const path = "/v1/edl/ip-rulesets";
  const ips = Array.from({ length: 2000 }, (_, index) => `198.51.${100 + (index >> 8)}.${index & 255}`);
  return Array.from({ length: REQUESTS }, () => {
    switch (random.below(4)) {
      case 0:
        return requestBytes({ path: `/v1/cti/lookup/198.51.100.${random.below(256)}`, key });
      case 1:
        return requestBytes({ method: "POST", path: "/v1/cti/bulk_lookup", key, body: JSON.stringify({ ips }) });
      case 2:
        return requestBytes({
          method: "POST",
          path: `${path}/${emptyId}/rules`,
          key,
          body: JSON.stringify({ ip: `20.${random.below(256)}.${random.below(256)}.1` }),
        });
      default:
        return requestBytes({ path: `${path}/${rulesetId}/rules?page_size=50`, key });
    }
  });
}

/** Continues with some requests after the signal, until it is turned away. */
async function askUntilOver(
  client: LoadConnection,
  requests: readonly Buffer[],
  state: { readonly isOver: boolean },
  report: ShutdownReport,
): Promise<void> {
  for (let index = 0; ; index++) {
    const isInFlight = !state.isOver;
    const status = await new Promise<number>((resolve) =>
      client.ask(requests[index % requests.length]!, resolve, () => resolve(0)),
    );
    const isGood = status === 200 || status === 201;
    if (isGood) report.answered++;
    else if (isInFlight) report.failed++;
    else report.turnedAway++;
    if (!isGood) return client.close();
  }
}
