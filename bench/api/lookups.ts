import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { formatAddress } from "../../src/address/format-address.ts";
import { Random } from "../data/random.ts";
import type { Documents } from "./bare.ts";
import type { FilledStore } from "./fill-store.ts";
import { type Measurement, measureTurns } from "./measure.ts";
import { type LoadProcess, type Listener, startScript } from "./processes.ts";
import { askOnce, requestBytes, type RequestText } from "./requests.ts";

const ADDRESSES = 500;

/** The three routes that look up one address, each beside the bare route that returns the same documents. */
export async function measureLookups(
  service: Listener,
  { key, rulesetId }: FilledStore,
  load: LoadProcess,
  folder: string,
  rounds: number,
): Promise<Measurement[]> {
  const random = new Random(5);
  const ips = Array.from({ length: ADDRESSES }, (_, index) => addressAt(index, random));
  const ctiOf = (ip: string): RequestText => ({ path: `/v1/cti/lookup/${ip}`, key });
  const cbsOf = (ip: string): RequestText => ({ path: `/v1/cbs/lookup?ip=${ip}`, key });
  const checkOf = (ip: string): RequestText => ({
    method: "POST",
    path: `/v1/edl/ip-rulesets/${rulesetId}/rules:check`,
    key,
    body: JSON.stringify({ ip }),
  });
  const bare = await startBare(service, ips, { cti: ctiOf, cbs: cbsOf, check: checkOf }, folder);
  try {
    for (const requestOf of [ctiOf, cbsOf, checkOf]) await requireSame(service, bare, ips.map(requestOf));
    const turn = (subject: string, server: Listener, of: (ip: string) => RequestText) => ({
      subject,
      server,
      requests: ips.map((ip) => requestBytes(of(ip))),
      connections: 64,
    });
    return await measureTurns(load, rounds, [
      // Compared routes run side by side.
      turn("bare Fastify, threat document", bare, ctiOf),
      turn("GET /v1/cti/lookup", service, ctiOf),
      turn("POST rules:check, 1,000,000 rules", service, checkOf),
      turn("bare Fastify, body read, answer of a check", bare, checkOf),
      turn("GET /v1/cbs/lookup", service, cbsOf),
      turn("bare Fastify, services document", bare, cbsOf),
    ]);
  } finally {
    await bare.stop();
  }
}

/** Half at random, half from networks in the bundled catalogue and the threat sample. */
function addressAt(index: number, random: Random): string {
  const known = [0x01010100, 0x08080800, 0x0d200000, 0x34000000, 0x68100000, 0xc6336400];
  const w0 = index % 2 === 0 ? random.word() : (known[random.below(known.length)]! + random.below(256)) >>> 0;
  return formatAddress({ family: 4, w0, w1: 0, w2: 0, w3: 0 });
}

async function startBare(
  service: Listener,
  ips: readonly string[],
  { cti, cbs, check }: Readonly<Record<keyof Documents, (ip: string) => RequestText>>,
  folder: string,
): Promise<Listener> {
  const ask = async (of: (ip: string) => RequestText): Promise<Record<string, object>> =>
    Object.fromEntries(
      await Promise.all(
        ips.map(async (ip) => [ip, JSON.parse(await askOnce(service.port, of(ip))) as object] as const),
      ),
    );
  const documents: Documents = { cti: await ask(cti), cbs: await ask(cbs), check: await ask(check) };
  const path = join(folder, "documents.json");
  writeFileSync(path, JSON.stringify(documents));
  return startScript("bare.ts", [path]);
}

/** Both return the same bytes. */
async function requireSame(one: Listener, other: Listener, requests: readonly RequestText[]): Promise<void> {
  for (const request of requests) {
    const [a, b] = await Promise.all([askOnce(one.port, request), askOnce(other.port, request)]);
    if (a !== b) throw new Error(`${request.path}: ${a} and ${b} differ`);
  }
}
