import type { Change } from "../../store/change.ts";
import type { Command, CommandKind, Outcome } from "../../store/command.ts";
import type { CounterName, Increments, Recorded } from "../../store/counters.ts";
import { isBackground, type ReadAnswer, type ReadName, type ReadRequest } from "../../store/reads.ts";
import type { RulesetRules, StoreReport } from "../../store/state.ts";
import type { LoadedState, SavedRules } from "../../store/saved-rules.ts";
import type { Store } from "../../store/store.ts";
import type { StoreOutage } from "./store-outage.ts";

/** A store that reports its errors to an outage: those of requests, and those of the server's background work. */
export class GuardedStore implements Store {
  readonly #store: Store;
  readonly #outage: StoreOutage;

  constructor(store: Store, outage: StoreOutage) {
    this.#store = store;
    this.#outage = outage;
  }

  /** Whether the database is known to be failing. */
  get isDown(): boolean {
    return this.#outage.isCurrent;
  }

  load(receive: ((part: RulesetRules) => void) | null, saved?: readonly SavedRules[]): Promise<LoadedState> {
    return this.#outage.watch(() => this.#store.load(receive, saved));
  }

  follow(
    sequence: number,
    apply: (changes: readonly Change[]) => void,
    failed: (error: unknown, isLost: boolean) => void,
  ): void {
    this.#store.follow(sequence, apply, (error, isLost) => {
      // Lost content is loaded again; the database itself is fine.
      if (!isLost) this.#outage.failed(error);
      failed(error, isLost);
    });
  }

  resume(sequence: number): void {
    this.#store.resume(sequence);
  }

  poll(): void {
    this.#store.poll();
  }

  staleness(): number {
    return this.#store.staleness();
  }

  changesAfter(sequence: number): Promise<readonly Change[]> {
    return this.#outage.watch(() => this.#store.changesAfter(sequence));
  }

  write<Kind extends CommandKind>(command: Extract<Command, { kind: Kind }>): Promise<Outcome<Kind>> {
    return this.#outage.guard("write", () => this.#store.write<Kind>(command));
  }

  read<Name extends ReadName>(name: Name, ...request: ReadRequest<Name>): Promise<ReadAnswer<Name>> {
    const call = () => this.#store.read(name, ...request);
    return isBackground(name) ? this.#outage.watch(call) : this.#outage.guard("read", call);
  }

  record<Name extends CounterName>(name: Name, ...increments: Increments<Name>): Promise<Recorded<Name>> {
    return this.#outage.watch(() => this.#store.record(name, ...increments));
  }

  onEvents(notify: (organisationId: string | null) => void): () => void {
    return this.#store.onEvents(notify);
  }

  probe(): Promise<void> {
    return this.#store.probe();
  }

  check(): Promise<StoreReport> {
    return this.#store.check();
  }

  backup(path: string): Promise<void> {
    return this.#store.backup(path);
  }

  async close(): Promise<void> {
    this.#outage.close();
    await this.#store.close();
  }
}
