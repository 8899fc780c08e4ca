import { randomUUID } from "node:crypto";
import {
  type Deployment,
  type Pull,
  type PullLog,
  type PullToRecord,
  silenceOf,
} from "../../store/records/deployment.ts";
import { type Activity, FIRST_ERROR } from "../../store/records/activity.ts";
import type { Store } from "../../store/store.ts";
import type { ServiceMemory } from "../store/service-memory.ts";
import { Periodic } from "../periodic.ts";

/** Milliseconds between two exchanges with the store. */
const EVERY = 5000;
/** Pulls shown per deployment; of earlier ones, only the number and the bytes are shown. */
const KEPT = 100;
const MAX_AGENT = 200;
const DAY = 86_400_000;

interface PullServices {
  readonly store: Store;
  readonly memory: ServiceMemory;
}

/** `earlier`: the earlier pulls of the same day that are only counted. */
interface WaitingPull {
  readonly pull: Pull;
  earlier: { readonly pulls: number; readonly bytes: number };
}

const NONE = { pulls: 0, bytes: 0 };

/** Records who has fetched files of deployments, every few seconds, for all servers together. */
export class Pulls {
  readonly #services: PullServices;
  /** By deployment, the oldest first. */
  #waiting = new Map<string, WaitingPull[]>();
  /** What was passed to the store and is not confirmed yet: a repeated write must have the same content. */
  #sent: readonly PullToRecord[] = [];
  #last = new Map<string, number>();
  readonly #repeated = new Periodic(() => this.#exchange(), EVERY);

  constructor(services: PullServices) {
    this.#services = services;
  }

  async start(): Promise<void> {
    await this.#readOthers();
    this.#repeated.start();
  }

  async stop(): Promise<void> {
    await this.#repeated.stop();
    await this.#record();
  }

  add(pull: Pull): void {
    const { deploymentId } = pull;
    const own = this.#waiting.get(deploymentId);
    if (own === undefined) this.#waiting.set(deploymentId, [{ pull, earlier: NONE }]);
    else {
      own.push({ pull, earlier: NONE });
      // One more than is shown: it may hold the counts of the day before.
      if (own.length > KEPT + 1) joinOldest(own);
    }
    this.#note(pull);
  }

  /** When a file of the deployment was fetched last; null: never. */
  lastOf(id: string): number | null {
    return this.#last.get(id) ?? null;
  }

  /** Whether devices have stopped requesting it: there was no request for three of its intervals. */
  isNotPulled({ id, createdAt, definition }: Deployment, now: number): boolean {
    const since = Math.max(createdAt, this.lastOf(id) ?? 0);
    return now - since > silenceOf(definition);
  }

  /** Recorded pulls, and those still to be recorded. */
  async logOf(id: string): Promise<PullLog> {
    const { pulls, days } = await this.#services.store.read("pulls", id);
    const sent = this.#sent.filter(({ deploymentId }) => deploymentId === id);
    const own = [...sent, ...(this.#waiting.get(id) ?? []).map(toRecord)];
    const added = own.map(({ id: _id, earlier: _earlier, ...pull }) => pull).reverse();
    const counts = new Map(days.map((day) => [day.day, day]));
    for (const { at, bytes, earlier } of own) {
      const day = dayOf(at);
      const { pulls: before, bytes: bytesBefore } = counts.get(day) ?? NONE;
      const [count, sum] = [before + earlier.pulls + 1, bytesBefore + earlier.bytes + bytes];
      counts.set(day, { day, pulls: count, bytes: sum });
    }
    return {
      pulls: [...added, ...pulls].slice(0, KEPT),
      days: [...counts.values()].sort((one, other) => one.day - other.day),
    };
  }

  /** The organisation's activity, with the pulls that are still to be recorded. */
  async activity(organisationId: string, now: number): Promise<Activity> {
    const activity = await this.#services.store.read("activity", organisationId, now);
    const own = [...this.#sent, ...[...this.#waiting.values()].flatMap((each) => each.map(toRecord))].filter(
      ({ deploymentId }) => this.#services.memory.deployment(organisationId, deploymentId) !== undefined,
    );
    const days = new Map(activity.days.map(({ day, pulls }) => [day, pulls]));
    for (const { at, earlier } of own) days.set(dayOf(at), (days.get(dayOf(at)) ?? 0) + 1 + earlier.pulls);
    const errors = own
      .filter(({ status, at }) => status >= FIRST_ERROR && at > now - DAY)
      .map(({ deploymentId, status, at }) => ({ deploymentId, status, count: 1, at }));
    return {
      ...activity,
      days: [...days].map(([day, pulls]) => ({ day, pulls })).sort((one, other) => one.day - other.day),
      errors: [...activity.errors, ...errors],
    };
  }

  #note({ deploymentId, at }: Pick<Pull, "deploymentId" | "at">): void {
    this.#last.set(deploymentId, Math.max(at, this.lastOf(deploymentId) ?? 0));
  }

  async #exchange(): Promise<void> {
    await this.#record();
    try {
      if (this.#services.memory.everyDeployment().length > 0) await this.#readOthers();
    } catch {
      // The store's outage is logged elsewhere; this is tried again.
    }
  }

  async #record(): Promise<void> {
    if (this.#sent.length === 0) {
      this.#sent = [...this.#waiting.values()].flatMap((own) => own.map(toRecord));
      this.#waiting = new Map();
    }
    if (this.#sent.length === 0) return;
    try {
      await this.#services.store.record("pulls", this.#sent);
      this.#sent = [];
    } catch {
      // The next exchange records them.
    }
  }

  async #readOthers(): Promise<void> {
    for (const pull of await this.#services.store.read("pullTimes")) this.#note(pull);
  }
}

/**
 * Merges the oldest pull that is followed by another of the same day into that one: only its number and bytes are kept.
 */
function joinOldest(own: WaitingPull[]): void {
  const index = own.findIndex(({ pull }, at) => at + 1 < own.length && dayOf(pull.at) === dayOf(own[at + 1]!.pull.at));
  if (index < 0) return;
  const [joined] = own.splice(index, 1) as [WaitingPull];
  const next = own[index]!;
  next.earlier = {
    pulls: next.earlier.pulls + joined.earlier.pulls + 1,
    bytes: next.earlier.bytes + joined.earlier.bytes + joined.pull.bytes,
  };
}

function toRecord({ pull, earlier }: WaitingPull): PullToRecord {
  const agent = pull.agent.slice(0, MAX_AGENT).toWellFormed().replaceAll("\0", "");
  return { ...pull, agent, earlier, id: randomUUID() };
}

function dayOf(at: number): number {
  return at - (at % DAY);
}
