import { errorOf, type GroupAnswer } from "./_answer.ts";
import { auditPageOf } from "./sql/_audit-log.ts";
import type { Backend } from "./_backend.ts";
import { type ApplyChanges, ChangeFeed } from "./_change-feed.ts";
import { CommandQueue } from "./_command-queue.ts";
import type { AuditEntry, AuditPage, AuditQuery } from "./audit.ts";
import type { Change } from "./change.ts";
import type { Command, CommandKind, Outcome } from "./command.ts";
import type { Credentials, Invited, KeyUsage, RulesetRules, State, Usage } from "./state.ts";
import type { Store, StoreReport } from "./store.ts";
import type { Traffic } from "./traffic.ts";

/** The store over either database: commands in groups, changes in order. */
export class QueuedStore implements Store {
  readonly #backend: Backend;
  readonly #pollEvery: number;
  readonly #queue: CommandQueue;
  #feed: ChangeFeed | undefined;

  constructor(backend: Backend, pollEvery: number) {
    this.#backend = backend;
    this.#pollEvery = pollEvery;
    this.#queue = new CommandQueue(
      (commands) => backend.execute(commands),
      ({ changes, sequence }: GroupAnswer) => this.#feed?.arrived(changes, sequence) ?? Promise.resolve(),
    );
  }

  load(receive: ((part: RulesetRules) => void) | null): Promise<State> {
    return this.#backend.load(receive);
  }

  follow(sequence: number, apply: ApplyChanges, failed: (error: unknown, isLost: boolean) => void): void {
    if (this.#feed !== undefined) throw new Error("a store is followed once");
    const feed = new ChangeFeed(sequence, this.#pollEvery, (after) => this.#backend.changesAfter(after), apply, failed);
    this.#feed = feed;
    this.#backend.onHint(() => feed.look());
  }

  resume(sequence: number): void {
    this.#feed?.resume(sequence);
  }

  look(): void {
    this.#feed?.look();
  }

  staleness(): number {
    return this.#feed?.staleness ?? 0;
  }

  changesAfter(sequence: number): Promise<readonly Change[]> {
    return this.#backend.changesAfter(sequence);
  }

  async write<Kind extends CommandKind>(command: Extract<Command, { kind: Kind }>): Promise<Outcome<Kind>> {
    const answer = await this.#queue.push(command);
    if ("refusal" in answer) throw errorOf(answer.refusal);
    return answer.outcome as Outcome<Kind>;
  }

  credentials(name: string): Promise<Credentials | null> {
    return this.#backend.credentials(name);
  }

  invited(digest: string, at: number): Promise<Invited | null> {
    return this.#backend.invited(digest, at);
  }

  recordUsage(increments: readonly Usage[]): Promise<void> {
    return this.#backend.recordUsage(increments);
  }

  recordTraffic(minutes: readonly Traffic[]): Promise<void> {
    return this.#backend.recordTraffic(minutes);
  }

  traffic(step: number, from: number): Promise<readonly Traffic[]> {
    return this.#backend.traffic(step, from);
  }

  probe(): Promise<void> {
    return this.#backend.probe();
  }

  usage(month: string): Promise<readonly Usage[]> {
    return this.#backend.usage(month);
  }

  usageOf(organisationId: string, month: string): Promise<readonly KeyUsage[]> {
    return this.#backend.usageOf(organisationId, month);
  }

  async audit(organisationId: string, query: AuditQuery): Promise<AuditPage> {
    return auditPageOf(await this.#backend.audit(organisationId, query));
  }

  auditEntry(organisationId: string, sequence: number): Promise<AuditEntry | null> {
    return this.#backend.auditEntry(organisationId, sequence);
  }

  isAsLeft(organisationId: string, sequence: number): Promise<boolean> {
    return this.#backend.isAsLeft(organisationId, sequence);
  }

  check(): Promise<StoreReport> {
    return this.#backend.check();
  }

  backup(path: string): Promise<void> {
    return this.#backend.backup(path);
  }

  async close(): Promise<void> {
    await this.#queue.close();
    this.#feed?.end();
    await this.#backend.close();
  }
}
