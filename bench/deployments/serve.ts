import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { measurement, type Measurement, measureTurns } from "../api/measure.ts";
import { type Listener, type LoadProcess, startScript } from "../api/processes.ts";
import { type Feed, pull } from "./feed.ts";

const CONNECTIONS = 16;

/** The list unchanged (304) and packed from the cache, beside a bare route in turns. */
export async function measureServing(
  service: Listener,
  feed: Feed,
  { load, folder, rounds }: { readonly load: LoadProcess; readonly folder: string; readonly rounds: number },
): Promise<Measurement[]> {
  const response = await fetch(feed.origin + feed.path, { headers: { "Accept-Encoding": "identity" } });
  const tag = response.headers.get("etag")!;
  const file = join(folder, "list.txt");
  writeFileSync(file, Buffer.from(await response.arrayBuffer()));
  const bare = await startScript("../deployments/bare-feed.ts", [file]);
  try {
    const unchanged = [pull(feed, `If-None-Match: ${tag}`)];
    const packed = [pull(feed, "Accept-Encoding: gzip")];
    const measurements = await measureTurns(load, rounds, [
      { subject: "unchanged list (304)", server: service, requests: unchanged, connections: CONNECTIONS },
      { subject: "bare Fastify, 304", server: bare, requests: unchanged, connections: CONNECTIONS },
      { subject: "list packed by gzip, from the cache", server: service, requests: packed, connections: CONNECTIONS },
      { subject: "bare Fastify, packed", server: bare, requests: packed, connections: CONNECTIONS },
    ]);
    return [...measurements, ...ratios(measurements), measurement("entries of the list", "times", [feed.entries])];
  } finally {
    await bare.stop();
  }
}

/** Of each request's rate to the bare route's, turn by turn, and of the bare route's processor time to its own. */
function ratios(measurements: readonly Measurement[]): Measurement[] {
  const samplesOf = (subject: string, unit: Measurement["unit"]): readonly number[] =>
    measurements.find((each) => each.subject === subject && each.unit === unit)!.samples;
  return [
    ["unchanged list (304)", "bare Fastify, 304"],
    ["list packed by gzip, from the cache", "bare Fastify, packed"],
  ].flatMap(([subject, bare]) => {
    const rate = (one: string): readonly number[] => samplesOf(one, "requests/s");
    const cost = (one: string): readonly number[] => samplesOf(one, "processor µs/request");
    const divided = (above: readonly number[], below: readonly number[]): number[] =>
      above.map((value, turn) => value / below[turn]!);
    return [
      measurement(`${subject}, rate to the bare route's`, "times", divided(rate(subject!), rate(bare!))),
      measurement(`${subject}, bare route's processor time to it`, "times", divided(cost(bare!), cost(subject!))),
    ];
  });
}
