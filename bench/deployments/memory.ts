import { type Measurement, measurement, medianOf, requireGood } from "../api/measure.ts";
import { type Listener, type LoadProcess, residentMiB } from "../api/processes.ts";
import type { Feed } from "./feed.ts";

const CONNECTIONS = 16;
/** Pulls of the whole list, packed, and unchanged. */
const PULLS = Number(process.env["PULLS"] ?? 20_000);
/** Milliseconds of load between two looks at the number of pulls. */
const PERIOD = 500;
const KIB_PER_MIB = 1024;

interface Look {
  readonly pulls: number;
  readonly mebibytes: number;
}

/**
 * Resident memory over 20,000 pulls, of which the first 5,000 do not count: until then heap and caches grow. What is
 * kept of each pull is the difference of the second and the last quarter, by medians.
 */
export async function measureMemory(
  name: string,
  service: Listener,
  feed: Feed,
  load: LoadProcess,
): Promise<Measurement[]> {
  const looks: Look[] = [];
  const requests = await requestsOf(feed);
  for (let pulls = 0; pulls < PULLS;) {
    const report = await load.run({ port: service.port, connections: CONNECTIONS, milliseconds: PERIOD, requests });
    requireGood("pulls", report);
    pulls += report.answers;
    looks.push({ pulls, mebibytes: residentMiB(service, "VmRSS") });
  }
  if (process.env["LOOKS"])
    console.log(looks.map(({ pulls, mebibytes }) => `${pulls} ${mebibytes.toFixed(0)}`).join(" | "));
  const [second, last] = [looks.filter(isIn(1)), looks.filter(isIn(3))];
  const grown = medianOf(second.map(size).map((before) => medianOf(last.map(size)) - before));
  const apart = medianOf(last.map(({ pulls }) => pulls)) - medianOf(second.map(({ pulls }) => pulls));
  return [
    measurement(`${name}: resident in the second quarter of ${looks.at(-1)!.pulls} pulls`, "MiB", second.map(size)),
    measurement(`${name}: resident in the last quarter`, "MiB", last.map(size)),
    measurement(`${name}: kept of each pull`, "KiB", [(grown * KIB_PER_MIB) / apart]),
  ];
}

/** Half of the pulls find the list unchanged. */
async function requestsOf({ origin, path }: Feed): Promise<Uint8Array[]> {
  const response = await fetch(origin + path, { method: "HEAD", headers: { "Accept-Encoding": "identity" } });
  const tag = response.headers.get("etag")!;
  return [`If-None-Match: ${tag}`, "Accept-Encoding: gzip"].map((header) =>
    Buffer.from(`GET ${path} HTTP/1.1\r\nHost: bench\r\n${header}\r\n\r\n`),
  );
}

const isIn =
  (quarter: number) =>
  ({ pulls }: Look): boolean =>
    Math.min(3, Math.floor((4 * pulls) / PULLS)) === quarter;

const size = ({ mebibytes }: Look): number => mebibytes;
