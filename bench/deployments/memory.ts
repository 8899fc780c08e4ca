import { fileURLToPath } from "node:url";
import { type Measurement, measurement, requireGood } from "../api/measure.ts";
import { type Listener, type LoadProcess, residentMiB, tellsOf } from "../api/processes.ts";
import { type Feed, pull } from "./feed.ts";
import { MEMORY_IN_USE } from "./memory-meter.ts";

const CONNECTIONS = 16;
/** Pulls of the whole list, packed, and unchanged; the first quarter does not count: until then caches fill. */
const PULLS_OF_QUARTER = 5000;
/** Milliseconds of load between two looks at the number of pulls. */
const PERIOD = 500;
const KIB = 1024;
const MIB = 1 << 20;

const fileNamed = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
/** How the service is started for it; with a leak: for the negative control. */
export const METERED: readonly string[] = ["--expose-gc", "--import", fileNamed("memory-meter.ts")];
export const LEAKING: readonly string[] = [...METERED, "--import", fileNamed("leak.ts")];

interface Quarter {
  readonly pulls: number;
  /** After a complete collection, in bytes. */
  readonly inUse: number;
  /** Before it, after each period. */
  readonly resident: readonly number[];
}

/** What 20,000 pulls of the list leave in memory, of a service that was started with METERED or LEAKING. */
export async function measureMemory(
  name: string,
  service: Listener,
  feed: Feed,
  load: LoadProcess,
): Promise<Measurement[]> {
  const requests = await requestsOf(feed);
  const quarters: Quarter[] = [];
  for (let quarter = 0; quarter < 4; quarter++) quarters.push(await pullQuarter(service, load, requests));
  const [first, ...counted] = quarters as [Quarter, Quarter, Quarter, Quarter];
  const pulls = counted.reduce((sum, quarter) => sum + quarter.pulls, 0);
  const kept = (counted[2]!.inUse - first.inUse) / pulls;
  return [
    measurement(`${name}: in use after each 5,000 of ${pulls + first.pulls} pulls`, "MiB", inUseOf(quarters)),
    ...quarters.map(({ resident }, at) => measurement(`${name}: resident in quarter ${at + 1}`, "MiB", resident)),
    measurement(`${name}: kept of each pull after the first quarter`, "KiB", [kept / KIB]),
  ];
}

function inUseOf(quarters: readonly Quarter[]): number[] {
  return quarters.map(({ inUse }) => inUse / MIB);
}

async function pullQuarter(service: Listener, load: LoadProcess, requests: readonly Uint8Array[]): Promise<Quarter> {
  const resident: number[] = [];
  let pulls = 0;
  while (pulls < PULLS_OF_QUARTER) {
    const report = await load.run({ port: service.port, connections: CONNECTIONS, milliseconds: PERIOD, requests });
    requireGood("pulls", report);
    pulls += report.answers;
    resident.push(residentMiB(service, "VmRSS"));
  }
  return { pulls, resident, inUse: await tellsOf(service, MEMORY_IN_USE) };
}

/** Half of the pulls find the list unchanged. */
async function requestsOf(feed: Feed): Promise<Uint8Array[]> {
  const response = await fetch(feed.origin + feed.path, { method: "HEAD", headers: { "Accept-Encoding": "identity" } });
  const tag = response.headers.get("etag")!;
  return [pull(feed, `If-None-Match: ${tag}`), pull(feed, "Accept-Encoding: gzip")];
}
