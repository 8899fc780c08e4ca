import { randomUUID } from "node:crypto";
import { type Pull, type PullLog, silenceOf, type Deployment } from "../../store/deployment.ts";
import type { Store } from "../../store/store.ts";
import type { ServiceMemory } from "../rules/service-memory.ts";
import { RepeatedExchange } from "../store/repeated-exchange.ts";

/** Milliseconds between two exchanges with the store. */
const EVERY = 5000;
/** Pulls that wait for the store; older ones are forgotten. */
const MAX_WAITING = 10_000;
const KEPT = 100;
const MAX_AGENT = 200;
const DAY = 86_400_000;

interface PullServices {
  readonly store: Store;
  readonly memory: ServiceMemory;
}

type Recorded = Pull & { readonly id: string };

/** Records who has fetched files of deployments, every few seconds, for all servers together. */
export class Pulls {
  readonly #services: PullServices;
  #waiting: Recorded[] = [];
  #last = new Map<string, number>();
  readonly #repeated = new RepeatedExchange(() => this.#exchange(), EVERY);

  constructor(services: PullServices) {
    this.#services = services;
  }

  async start(): Promise<void> {
    await this.#learn();
    this.#repeated.start();
  }

  async stop(): Promise<void> {
    await this.#repeated.stop();
    await this.#record();
  }

  add(pull: Pull): void {
    const agent = pull.agent.slice(0, MAX_AGENT).toWellFormed().replaceAll("\0", "");
    this.#waiting.push({ ...pull, agent, id: randomUUID() });
    if (this.#waiting.length > MAX_WAITING) this.#waiting.shift();
    this.#note(pull);
  }

  /** When a file of the deployment was fetched last; null: never. */
  lastOf(id: string): number | null {
    return this.#last.get(id) ?? null;
  }

  /** Whether devices have stopped asking: for three of its intervals, no one has. */
  isNotPulled({ id, createdAt, definition }: Deployment, now: number): boolean {
    const since = Math.max(createdAt, this.lastOf(id) ?? 0);
    return now - since > silenceOf(definition);
  }

  /** Recorded pulls, and those still to be recorded. */
  async logOf(id: string): Promise<PullLog> {
    const { pulls, days } = await this.#services.store.read("pulls", id);
    const own = this.#waiting.filter(({ deploymentId }) => deploymentId === id);
    const added = own.map(({ id: _id, ...pull }) => pull).reverse();
    const counts = new Map(days.map((day) => [day.day, day]));
    for (const { at, bytes } of own) {
      const day = at - (at % DAY);
      const before = counts.get(day) ?? { day, pulls: 0, bytes: 0 };
      counts.set(day, { day, pulls: before.pulls + 1, bytes: before.bytes + bytes });
    }
    return {
      pulls: [...added, ...pulls].slice(0, KEPT),
      days: [...counts.values()].sort((one, other) => one.day - other.day),
    };
  }

  #note({ deploymentId, at }: Pick<Pull, "deploymentId" | "at">): void {
    this.#last.set(deploymentId, Math.max(at, this.lastOf(deploymentId) ?? 0));
  }

  async #exchange(): Promise<void> {
    await this.#record();
    try {
      if (this.#services.memory.everyDeployment().length > 0) await this.#learn();
    } catch {
      // The store's outage is logged elsewhere; this is tried again.
    }
  }

  async #record(): Promise<void> {
    const pulls = this.#waiting;
    if (pulls.length === 0) return;
    try {
      await this.#services.store.record("pulls", pulls);
      // Further pulls have arrived meanwhile.
      const recorded = new Set(pulls.map(({ id }) => id));
      this.#waiting = this.#waiting.filter(({ id }) => !recorded.has(id));
    } catch {
      // They are recorded with the next ones.
    }
  }

  async #learn(): Promise<void> {
    for (const pull of await this.#services.store.read("pullTimes")) this.#note(pull);
  }
}
