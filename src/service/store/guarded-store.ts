import type { AuditEntry, AuditPage, AuditQuery } from "../../store/audit.ts";
import type { Change } from "../../store/change.ts";
import type { Command, CommandKind, Outcome } from "../../store/command.ts";
import type { Credentials, Invited, KeyUsage, RulesetRules, State, Usage } from "../../store/state.ts";
import type { Store, StoreReport } from "../../store/store.ts";
import type { Traffic } from "../../store/traffic.ts";
import type { StoreOutage } from "./store-outage.ts";

/** A store whose errors an outage is told: those of requests, and those of what the server does in the background. */
export class GuardedStore implements Store {
  readonly #store: Store;
  readonly #outage: StoreOutage;

  constructor(store: Store, outage: StoreOutage) {
    this.#store = store;
    this.#outage = outage;
  }

  load(receive: ((part: RulesetRules) => void) | null): Promise<State> {
    return this.#outage.watch(() => this.#store.load(receive));
  }

  follow(
    sequence: number,
    apply: (changes: readonly Change[]) => void,
    failed: (error: unknown, isLost: boolean) => void,
  ): void {
    this.#store.follow(sequence, apply, (error, isLost) => {
      // What is lost is loaded again: nothing is wrong with the database.
      if (!isLost) this.#outage.failed(error);
      failed(error, isLost);
    });
  }

  resume(sequence: number): void {
    this.#store.resume(sequence);
  }

  look(): void {
    this.#store.look();
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

  credentials(name: string): Promise<Credentials | null> {
    return this.#outage.guard("read", () => this.#store.credentials(name));
  }

  invited(digest: string, at: number): Promise<Invited | null> {
    return this.#outage.guard("read", () => this.#store.invited(digest, at));
  }

  recordUsage(increments: readonly Usage[]): Promise<void> {
    return this.#outage.watch(() => this.#store.recordUsage(increments));
  }

  recordTraffic(minutes: readonly Traffic[]): Promise<void> {
    return this.#outage.watch(() => this.#store.recordTraffic(minutes));
  }

  traffic(step: number, from: number): Promise<readonly Traffic[]> {
    return this.#outage.guard("read", () => this.#store.traffic(step, from));
  }

  probe(): Promise<void> {
    return this.#store.probe();
  }

  usage(month: string): Promise<readonly Usage[]> {
    return this.#outage.watch(() => this.#store.usage(month));
  }

  usageOf(organisationId: string, month: string): Promise<readonly KeyUsage[]> {
    return this.#outage.guard("read", () => this.#store.usageOf(organisationId, month));
  }

  audit(organisationId: string, query: AuditQuery): Promise<AuditPage> {
    return this.#outage.guard("read", () => this.#store.audit(organisationId, query));
  }

  auditEntry(organisationId: string, sequence: number): Promise<AuditEntry | null> {
    return this.#outage.guard("read", () => this.#store.auditEntry(organisationId, sequence));
  }

  isAsLeft(organisationId: string, sequence: number): Promise<boolean> {
    return this.#outage.guard("read", () => this.#store.isAsLeft(organisationId, sequence));
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
