import type { Store } from "../store/store.ts";
import type { Clock } from "./clock.ts";
import type { CatalogueView } from "./catalogue-view.ts";
import type { Metrics } from "./metrics.ts";
import type { FailureLimits, KeyLimits } from "./rate-limits.ts";
import type { ServiceMemory } from "./service-memory.ts";
import type { Settings } from "./settings.ts";
import type { SnapshotHolder } from "./snapshot-holder.ts";

/** What the routes work with. */
export interface Services {
  readonly settings: Settings;
  readonly now: Clock;
  readonly store: Store;
  readonly memory: ServiceMemory;
  readonly catalogue: SnapshotHolder<CatalogueView>;
  readonly keyLimits: KeyLimits;
  readonly failureLimits: FailureLimits;
  readonly metrics: Metrics;
}
