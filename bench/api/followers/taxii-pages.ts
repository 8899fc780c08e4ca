import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type Measurement, measurement } from "../measure.ts";
import { type Listener, processorSeconds, residentMiB } from "../processes.ts";

const PYTHON = fileURLToPath(new URL("../../../tools/.venv/bin/python", import.meta.url));
const SCRIPT = fileURLToPath(new URL("taxii-pages.py", import.meta.url));
/** The maximum page size of the server. */
const PAGE = 5000;

/** A user and a password for one collection. */
export interface TaxiiAccess {
  readonly collectionId: string;
  readonly user: string;
  readonly password: string;
}

/**
 * The first request of all, which compares a ruleset with the empty collection, then complete reads by OASIS's client.
 */
export async function measureTaxiiPages(
  service: Listener,
  { collectionId, user, password }: TaxiiAccess,
  rules: number,
  rounds: number,
): Promise<Measurement[]> {
  const url = `http://127.0.0.1:${service.port}/taxii2/`;
  const startedAt = performance.now();
  const headers = { Authorization: `Basic ${btoa(`${user}:${password}`)}` };
  const first = await fetch(`${url}api/collections/${collectionId}/objects/?limit=1`, { headers });
  if (!first.ok) throw new Error(`TAXII: ${first.status} ${await first.text()}`);
  await first.arrayBuffer();
  const compared = performance.now() - startedAt;
  const [all, ratios, memory, processor]: [number[], number[], number[], number[]] = [[], [], [], []];
  for (let round = 0; round <= rounds; round++) {
    const before = processorSeconds(service);
    const { stdout } = await promisify(execFile)(PYTHON, [SCRIPT, url, user, password, String(PAGE)]);
    const { indicators, seconds, parsing } = JSON.parse(stdout) as Record<"indicators" | "seconds" | "parsing", number>;
    if (indicators !== rules) throw new Error(`TAXII: ${indicators} indicators instead of ${rules}`);
    memory.push(residentMiB(service, "VmRSS"));
    if (round === 0) continue;
    all.push(seconds * 1000);
    ratios.push(seconds / parsing);
    processor.push((processorSeconds(service) - before) * 1000);
  }
  return [
    measurement("TAXII: the first request, which makes a collection of a ruleset", "ms", [compared]),
    measurement("TAXII: all pages, by taxii2-client", "ms", all),
    measurement("TAXII: all pages, in times of the client's parsing of their JSON", "times", ratios),
    measurement("TAXII: all pages, by taxii2-client", "processor ms", processor),
    measurement("TAXII: the server's memory after each reading", "MiB", memory),
  ];
}
