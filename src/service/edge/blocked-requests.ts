import type { Address } from "../../address/address.ts";
import { AddressError } from "../../address/address-error.ts";
import { parseAddress } from "../../address/parse-address.ts";
import { formatPrefix } from "../../address/prefix.ts";
import type { BlockedCount } from "../../store/blocked.ts";
import type { Deployment } from "../../store/deployment.ts";
import { inSlices } from "../../turns/in-slices.ts";
import { scenarioOf } from "../bouncers/bouncers.ts";
import { OTHER } from "../bouncers/usage-metrics.ts";
import type { PublishedLists } from "../deployments/published-lists.ts";
import type { ServiceMemory } from "../rules/service-memory.ts";

/** Requests in one report; further ones are counted as rejected. */
const MAX_EVENTS = 10_000;

export interface BlockedRequests {
  readonly accepted: number;
  readonly rejected: number;
  readonly counts: readonly BlockedCount[];
}

/**
 * The requests that an edge component says that it has blocked, by the rule that lists the client's address: a JSON
 * document with `events`, or one event per line. Nothing else in it is kept, as nothing in it is trusted. Events without
 * an address are rejected. O(events), in slices.
 */
export async function blockedRequests(
  text: string,
  deployment: Deployment,
  services: { readonly memory: ServiceMemory; readonly lists: PublishedLists },
  now: number,
): Promise<BlockedRequests> {
  const sourceOf = await sourcesOf(deployment, services, now);
  const counting = function* (): Generator<undefined, BlockedRequests, undefined> {
    const counts = new Map<string, BlockedCount>();
    let [accepted, rejected] = [0, 0];
    for (const event of eventsIn(text)) {
      const address = accepted + rejected < MAX_EVENTS ? addressIn(event) : undefined;
      if (address === undefined) rejected++;
      else {
        accepted++;
        const { source, prefix } = sourceOf(address);
        const key = `${source} ${prefix}`;
        counts.set(key, { source, prefix, unit: "request", amount: (counts.get(key)?.amount ?? 0) + 1 });
      }
      yield;
    }
    return { accepted, rejected, counts: [...counts.values()] };
  };
  return inSlices(counting());
}

/** The events of a document, or of lines; undefined for what is none. */
function* eventsIn(text: string): Generator<unknown> {
  const whole = text.includes("\n") ? undefined : parsed(text);
  const { events } = (whole ?? parsed(text) ?? {}) as { events?: unknown };
  if (Array.isArray(events)) return yield* events;
  for (let start = 0; start < text.length;) {
    const end = text.indexOf("\n", start);
    const line = text.slice(start, end < 0 ? text.length : end);
    if (line.trim() !== "") yield parsed(line);
    start = end < 0 ? text.length : end + 1;
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
): Promise<(address: Address) => { readonly source: string; readonly prefix: string }> {
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
