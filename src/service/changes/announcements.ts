import type { AnnouncementCommand } from "../../store/command.ts";
import type { Deployment } from "../../store/records/deployment.ts";
import { isExpiring } from "../../store/expiring-key.ts";
import type { Credential } from "../../store/records/credential.ts";
import type { Store } from "../../store/store.ts";
import { StoreError } from "../../store/store-error.ts";
import { inSlices } from "../../turns/in-slices.ts";
import type { Pulls } from "../deployments/pulls.ts";
import type { ServiceMemory } from "../store/service-memory.ts";
import { Periodic } from "../periodic.ts";

/** Milliseconds between two checks. */
const EVERY = 10_000;

interface Dependencies {
  readonly store: Pick<Store, "write">;
  readonly memory: ServiceMemory;
  readonly pulls: Pulls;
  readonly now: () => number;
}

/**
 * Has two events appended to the feeds that no write causes: a key expires soon, and devices have stopped requesting a
 * list. Every server checks its memory and asks the store to announce what it finds; the store knows what has been
 * announced already.
 */
export class Announcements {
  readonly #services: Dependencies;
  readonly #repeated: Periodic;
  #isStopped = false;
  /** Keys that have been announced, and deployments with the time of the last pull before that. */
  #keys = new Set<string>();
  #deployments = new Map<string, number | null>();

  constructor(services: Dependencies, every = EVERY) {
    this.#services = services;
    this.#repeated = new Periodic(() => this.#poll(), every);
  }

  start(): void {
    this.#repeated.startNow();
  }

  /** Resolves once the write in progress has ended; what it did not announce is left to the next server. */
  stop(): Promise<void> {
    this.#isStopped = true;
    return this.#repeated.stop();
  }

  async #poll(): Promise<void> {
    const at = this.#services.now();
    try {
      await this.#announceKeys(at);
      await this.#announceDeployments(at);
    } catch {
      // The store's outage is logged elsewhere; the next check continues with the rest.
    }
  }

  /** Rejects when the store fails, because announcing the next key would only wait for the store too. */
  async #announceKeys(at: number): Promise<void> {
    const found = await inSlices(expiring(this.#services.memory.everyCredential(), at));
    // Entries that no longer apply are forgotten.
    this.#keys = new Set(found.map(({ id }) => id).filter((id) => this.#keys.has(id)));
    for (const { id, organisationId } of found) {
      if (this.#isStopped) return;
      if (this.#keys.has(id)) continue;
      const command = { kind: "announce-expiring-key", organisationId, keyId: id } as const;
      if (await this.#announce({ ...command, actor: "server", at })) this.#keys.add(id);
    }
  }

  /** Likewise. */
  async #announceDeployments(at: number): Promise<void> {
    const { memory, pulls } = this.#services;
    const found = await inSlices(silent(memory.everyDeployment(), pulls, at));
    const ids = new Set(found.map(({ id }) => id));
    this.#deployments = new Map([...this.#deployments].filter(([id]) => ids.has(id)));
    for (const { id, organisationId } of found) {
      if (this.#isStopped) return;
      const pulledAt = pulls.lastOf(id);
      if (this.#deployments.has(id) && this.#deployments.get(id) === pulledAt) continue;
      const command = { kind: "announce-silent-deployment", organisationId, deploymentId: id } as const;
      if (await this.#announce({ ...command, actor: "server", at })) this.#deployments.set(id, pulledAt);
      else this.#deployments.delete(id);
    }
  }

  /** Whether it is announced, now or before. Rejects when the store fails. */
  async #announce(command: AnnouncementCommand): Promise<boolean> {
    try {
      const { isAnnounced } = await this.#services.store.write<AnnouncementCommand["kind"]>(command);
      return isAnnounced;
    } catch (error) {
      if (error instanceof StoreError && error.code === "deployment-not-found") return false; // deleted meanwhile
      throw error;
    }
  }
}

function* expiring(all: Iterable<Credential>, now: number): Generator<undefined, Credential[], undefined> {
  const found: Credential[] = [];
  for (const credential of all) {
    if (credential.kind === "api" && isExpiring(credential, now)) found.push(credential);
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
