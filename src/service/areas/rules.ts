import type { Change } from "../../store/change.ts";
import { UndoLog } from "../changes/undo.ts";
import { FairQueue } from "../fair-queue.ts";
import { BackgroundFreezes } from "../rules/background-freezes.ts";
import { RuleRows } from "../rules/rule-rows.ts";
import { RulesetSnapshots } from "../snapshots/ruleset-snapshots.ts";
import type { SnapshotFolder } from "../store/snapshot-folder.ts";
import type { LoadedMemory } from "../store/loading-store.ts";
import type { Area, LoggedBasis } from "./area.ts";
import { Parts } from "./parts.ts";

export interface RulesOptions {
  /** Where snapshots of rulesets are kept for the next start; undefined: nowhere. */
  readonly store: { readonly folder?: SnapshotFolder | undefined };
  /** Milliseconds between two searches for rulesets whose snapshot is old; a minute unless given. */
  readonly snapshotEvery?: number;
}

/** What is made of rules beside memory, and what keeps checks of them and the next start fast. */
export class Rules implements Area {
  readonly rows = new RuleRows();
  /** What sessions have undone. */
  readonly undoLog: UndoLog;
  /** The queue of work that needs some hundred bytes per prefix. */
  readonly fits = new FairQueue({ atOnce: 1, what: "fits" });
  readonly #freezes: BackgroundFreezes;
  readonly #snapshots: RulesetSnapshots | undefined;
  readonly #parts = new Parts();
  #closeBy = 0;

  constructor(basis: LoggedBasis, { store: { folder }, snapshotEvery }: RulesOptions) {
    const { store, peers, memory, metrics, log } = basis;
    this.undoLog = new UndoLog(store, peers);
    if (folder !== undefined && peers.isFirst) {
      const every = snapshotEvery === undefined ? {} : { every: snapshotEvery };
      const snapshots = (this.#snapshots = new RulesetSnapshots({ folder, memory, store, log, ...every }));
      this.#parts.add({ start: () => snapshots.start(), stop: () => snapshots.stop(this.#closeBy) });
    }
    const freezes = (this.#freezes = new BackgroundFreezes({ memory, metrics, log }));
    this.#parts.add({ start: () => freezes.check(), stop: () => freezes.stop() });
  }

  /** Which rules came from snapshots. */
  startedFrom({ fromSnapshots }: LoadedMemory): void {
    for (const { rulesetId, sequence, changedRules } of fromSnapshots)
      this.#snapshots?.startedFrom(rulesetId, sequence, changedRules);
  }

  start(): Promise<void> {
    return this.#parts.start();
  }

  apply(changes: readonly Change[]): void {
    this.#snapshots?.apply(changes);
    this.#freezes.check();
  }

  /** Memory has applied all of a large change. */
  applied(): void {
    this.#freezes.check();
  }

  forget(): void {
    this.#snapshots?.forget();
    this.#freezes.check();
  }

  /** Snapshots are written as far as time allows until a moment of the monotonic clock (`performance.now`). */
  close(by = 0): Promise<void> {
    this.#closeBy = by;
    return this.#parts.stop();
  }
}
