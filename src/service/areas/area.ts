import type { Logger } from "pino";
import type { Change } from "../../store/change.ts";
import type { Peers } from "../processes/peers.ts";
import type { Settings } from "../settings.ts";
import type { GuardedStore } from "../store/guarded-store.ts";
import type { ServiceMemory } from "../store/service-memory.ts";
import type { Metrics } from "../usage/metrics.ts";

/** What every area is made of. */
export interface Basis {
  readonly settings: Settings;
  /** Milliseconds since 1970 UTC. Every response reads it once. */
  readonly now: () => number;
  readonly store: GuardedStore;
  /** The other processes of this server, which know what is not in the store. */
  readonly peers: Peers;
  readonly memory: ServiceMemory;
  readonly metrics: Metrics;
}

/** With the log, which routes have of their requests. */
export interface LoggedBasis extends Basis {
  readonly log: Logger;
}

/** A part of the service: what it holds is made at once, works from `start` on, and ends with `close`. */
export interface Area {
  start(): Promise<void>;
  /** Also if it was not started, or only in part. */
  close(): Promise<void>;
  /** Notes changes that memory has applied. */
  apply?(changes: readonly Change[]): void;
  /** Everything may have changed: the state has been loaded again. */
  forget?(): void;
}
