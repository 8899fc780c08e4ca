import type { AnnouncementCommand } from "../../store/command.ts";
import type { Deployment } from "../../store/deployment.ts";
import { isExpiring } from "../../store/expiring-key.ts";
import type { ApiKey } from "../../store/state.ts";
import type { Store } from "../../store/store.ts";
import { inSlices } from "../../turns/in-slices.ts";
import type { Pulls } from "../deployments/pulls.ts";
import type { ServiceMemory } from "../rules/service-memory.ts";
import { RepeatedExchange } from "../store/repeated-exchange.ts";

/** Milliseconds between two looks. */
const EVERY = 10_000;

interface Needed {
  readonly store: Pick<Store, "write">;
  readonly memory: ServiceMemory;
  readonly pulls: Pulls;
  readonly now: () => number;
}

/**
 * Has two events appended to the feeds that no write causes: that a key expires soon, and that no one asks for a list
 * any more. Every server looks at what it has in memory, and asks the store to announce what it finds; the store knows
 * what has been announced already.
 */
export class Announcements {
  readonly #services: Needed;
  readonly #repeated: RepeatedExchange;
  #first: Promise<void> | undefined;
  /** Keys that have been announced, and deployments with the time of the last pull before that. */
  #keys = new Set<string>();
  #deployments = new Map<string, number | null>();

  constructor(services: Needed, every = EVERY) {
    this.#services = services;
    this.#repeated = new RepeatedExchange(() => this.#look(), every);
  }

  start(): void {
    this.#first = this.#look().then(() => this.#repeated.start());
  }

  async stop(): Promise<void> {
    await this.#repeated.stop();
    await this.#first;
  }

  async #look(): Promise<void> {
    const { memory, now } = this.#services;
    const at = now();
    // What is not found any more is forgotten.
    const keys = new Set<string>();
    const deployments = new Map<string, number | null>();
    for (const { id, organisationId } of await inSlices(expiring(memory.everyKey(), at))) {
      const command = { kind: "announce-expiring-key", organisationId, keyId: id } as const;
      if (this.#keys.has(id) || (await this.#announce({ ...command, actor: "server", at }))) keys.add(id);
    }
    for (const { id, organisationId } of await inSlices(silent(memory.everyDeployment(), this.#services.pulls, at))) {
      const pulledAt = this.#services.pulls.lastOf(id);
      const command = { kind: "announce-silent-deployment", organisationId, deploymentId: id } as const;
      const isKnown = this.#deployments.has(id) && this.#deployments.get(id) === pulledAt;
      if (isKnown || (await this.#announce({ ...command, actor: "server", at }))) deployments.set(id, pulledAt);
    }
    this.#keys = keys;
    this.#deployments = deployments;
  }

  /** Whether it is announced, now or before. */
  async #announce(command: AnnouncementCommand): Promise<boolean> {
    try {
      const { isAnnounced } = await this.#services.store.write<AnnouncementCommand["kind"]>(command);
      return isAnnounced;
    } catch {
      return false; // the store's outage is logged elsewhere, and what has been deleted is not found the next time
    }
  }
}

function* expiring(keys: Iterable<ApiKey>, now: number): Generator<undefined, ApiKey[], undefined> {
  const found: ApiKey[] = [];
  for (const key of keys) {
    if (isExpiring(key, now)) found.push(key);
    yield;
  }
  return found;
}

function* silent(
  deployments: readonly Deployment[],
  pulls: Pulls,
  now: number,
): Generator<undefined, Deployment[], undefined> {
  const found: Deployment[] = [];
  for (const deployment of deployments) {
    if (deployment.definition.active && pulls.isNotPulled(deployment, now)) found.push(deployment);
    yield;
  }
  return found;
}
