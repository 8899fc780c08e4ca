import type { Address } from "../../address/address.ts";
import { AddressError } from "../../address/address-error.ts";
import { parseAddress } from "../../address/parse-address.ts";
import { formatPrefix } from "../../address/prefix.ts";
import { JsonListError, JsonListReader } from "../../json/json-list.ts";
import type { BlockedCount } from "../../store/records/blocked.ts";
import type { Deployment } from "../../store/records/deployment.ts";
import { inSlices } from "../../turns/in-slices.ts";
import { scenarioOf } from "../bouncers/bouncers.ts";
import { OTHER } from "../bouncers/usage-metrics.ts";
import type { PublishedLists } from "../deployments/published-lists.ts";
import type { ServiceMemory } from "../store/service-memory.ts";

/** Requests in one report; further ones are counted as rejected. */
const MAX_EVENTS = 10_000;
const LIST = { member: "events", isBareAllowed: false, maxDepth: 16 } as const;
/** Bytes between two interruptions, and of the longest line. */
const STEP = 64 << 10;
const [NEWLINE, SPACE] = [0x0a, 0x20];

export interface BlockedRequests {
  readonly accepted: number;
  readonly rejected: number;
  readonly counts: readonly BlockedCount[];
}

/**
 * The requests that an edge component reports as blocked, by the rule that lists the client's address: a JSON document
 * with `events`, or one event per line. Nothing else in the report is kept, because nothing in it is trusted. Events
 * without an address are rejected. O(bytes), in slices.
 */
export async function blockedRequests(
  report: Buffer,
  deployment: Deployment,
  services: { readonly memory: ServiceMemory; readonly lists: PublishedLists },
  now: number,
): Promise<BlockedRequests> {
  const sourceOf = await sourcesOf(deployment, services, now);
  return inSlices(counting(report, sourceOf));
}

function* counting(report: Buffer, sourceOf: SourceOf): Generator<undefined, BlockedRequests, undefined> {
  return (yield* countingDocument(report, new Tally(sourceOf))) ?? (yield* countingLines(report, new Tally(sourceOf)));
}

/** Undefined for anything other than a document with `events`. */
function* countingDocument(report: Buffer, tally: Tally): Generator<undefined, Tally | undefined, undefined> {
  const reader = new JsonListReader({ ...LIST, maxItems: Number.POSITIVE_INFINITY });
  try {
    for (let at = 0; at < report.length; at += STEP)
      for (const events of reader.write(report.subarray(at, at + STEP))) {
        for (const event of events) tally.add(() => event);
        yield;
      }
    const { events } = (reader.end() ?? {}) as { events?: unknown };
    return Array.isArray(events) ? tally : undefined;
  } catch (error) {
    if (error instanceof JsonListError) return undefined;
    throw error;
  }
}

function* countingLines(report: Buffer, tally: Tally): Generator<undefined, Tally, undefined> {
  for (let start = 0; ;) {
    for (; start < report.length && report[start]! <= SPACE; start++) if (start % STEP === 0) yield;
    if (start === report.length) return tally;
    const newline = report.indexOf(NEWLINE, start);
    const line = report.subarray(start, newline < 0 ? report.length : newline);
    tally.add(() => (line.length > STEP ? undefined : parsed(line.toString())));
    start += line.length;
    yield;
  }
}

type SourceOf = (address: Address) => { readonly source: string; readonly prefix: string };

/** Counts events by what lists their addresses. */
class Tally implements BlockedRequests {
  readonly #sourceOf: SourceOf;
  readonly #counts = new Map<string, BlockedCount>();
  accepted = 0;
  rejected = 0;

  constructor(sourceOf: SourceOf) {
    this.#sourceOf = sourceOf;
  }

  get counts(): readonly BlockedCount[] {
    return [...this.#counts.values()];
  }

  /** `read` is not called for events beyond the limit. */
  add(read: () => unknown): void {
    const address = this.accepted + this.rejected < MAX_EVENTS ? addressIn(read()) : undefined;
    if (address === undefined) return void this.rejected++;
    this.accepted++;
    const { source, prefix } = this.#sourceOf(address);
    const key = `${source} ${prefix}`;
    const amount = (this.#counts.get(key)?.amount ?? 0) + 1;
    this.#counts.set(key, { source, prefix, unit: "request", amount });
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The middleware's events have `client.ip`. */
function addressIn(event: unknown): Address | undefined {
  const { client, client_ip: other } = (event ?? {}) as { client?: { ip?: unknown } | null; client_ip?: unknown };
  const text = client?.ip ?? other;
  if (typeof text !== "string") return undefined;
  try {
    return parseAddress(text);
  } catch (error) {
    if (error instanceof AddressError) return undefined;
    throw error;
  }
}

async function sourcesOf(
  { organisationId, definition: { include } }: Deployment,
  { memory, lists }: { readonly memory: ServiceMemory; readonly lists: PublishedLists },
  now: number,
): Promise<SourceOf> {
  const gathered = await Promise.all(
    include.map((source) => lists.sources.gather(organisationId, source, now).catch(() => undefined)),
  );
  return (address) => {
    const source = include.find((_, index) => gathered[index]?.addresses.has(address) === true);
    if (source === undefined) return { source: OTHER, prefix: "" };
    const rules = "ruleset" in source ? memory.ruleset(organisationId, source.ruleset)?.rules : undefined;
    const rule = rules?.deciding(address, now);
    return { source: scenarioOf(source), prefix: rule === undefined || rule === null ? "" : formatPrefix(rule.prefix) };
  };
}
