import { errorOf, type GroupAnswer } from "../_answer.ts";
import type { Backend } from "../_backend.ts";
import { ChangeFeed } from "./_change-feed.ts";
import type { ApplyChanges, Change } from "../change.ts";
import { CommandQueue } from "./_command-queue.ts";
import { PreparedImports } from "./_prepared-imports.ts";
import type { Command, CommandKind, Outcome } from "../command.ts";
import type { CounterName, Increments, Recorded } from "../counters.ts";
import { finish, type ReadAnswer, type ReadName, type ReadRequest } from "../reads.ts";
import type { RulesetRules, StoreReport } from "../state.ts";
import type { LoadedState, SavedRules } from "../saved-rules.ts";
import type { Store } from "../store.ts";

/** The store over either database: commands in groups, changes in order. */
export class QueuedStore implements Store {
  readonly #backend: Backend;
  readonly #pollEvery: number;
  readonly #queue: CommandQueue;
  readonly #imports: PreparedImports;
  #feed: ChangeFeed | undefined;
  readonly #watchers = new Set<(organisationId: string | null) => void>();

  constructor(backend: Backend, pollEvery: number) {
    this.#backend = backend;
    this.#pollEvery = pollEvery;
    this.#queue = new CommandQueue(
      (commands) => backend.execute(commands),
      ({ changes, sequence, organisations }: GroupAnswer) => {
        for (const organisationId of organisations) this.#notify(organisationId);
        return this.#feed?.arrived(changes, sequence) ?? Promise.resolve();
      },
    );
    this.#imports = new PreparedImports(
      (command, part) => backend.find("unskippedRules", [command, part]),
      (command) => this.#queue.push(command),
    );
  }

  onEvents(notify: (organisationId: string | null) => void): () => void {
    this.#watchers.add(notify);
    return () => void this.#watchers.delete(notify);
  }

  #notify(organisationId: string | null): void {
    for (const notify of this.#watchers) notify(organisationId);
  }

  load(receive: ((part: RulesetRules) => void) | null, saved: readonly SavedRules[] = []): Promise<LoadedState> {
    return this.#backend.load(receive, saved);
  }

  follow(sequence: number, apply: ApplyChanges, failed: (error: unknown, isLost: boolean) => void): void {
    if (this.#feed !== undefined) throw new Error("a store is followed once");
    const feed = new ChangeFeed(sequence, this.#pollEvery, (after) => this.#backend.changesAfter(after), apply, failed);
    this.#feed = feed;
    this.#backend.onHint(() => {
      feed.poll();
      this.#notify(null);
    });
  }

  resume(sequence: number): void {
    this.#feed?.resume(sequence);
  }

  poll(): void {
    this.#feed?.poll();
  }

  staleness(): number {
    return this.#feed?.staleness ?? 0;
  }

  changesAfter(sequence: number): Promise<readonly Change[]> {
    return this.#backend.changesAfter(sequence);
  }

  async write<Kind extends CommandKind>(command: Extract<Command, { kind: Kind }>): Promise<Outcome<Kind>> {
    const answer = await this.#imports.push(command);
    if ("rejection" in answer) throw errorOf(answer.rejection);
    return answer.outcome as Outcome<Kind>;
  }

  async read<Name extends ReadName>(name: Name, ...request: ReadRequest<Name>): Promise<ReadAnswer<Name>> {
    return finish(name, await this.#backend.find(name, request));
  }

  record<Name extends CounterName>(name: Name, ...increments: Increments<Name>): Promise<Recorded<Name>> {
    return this.#backend.record(name, ...increments);
  }

  probe(): Promise<void> {
    return this.#backend.probe();
  }

  check(): Promise<StoreReport> {
    return this.#backend.check();
  }

  backup(path: string): Promise<void> {
    return this.#backend.backup(path);
  }

  async close(): Promise<void> {
    await this.#imports.settled();
    await this.#queue.close();
    this.#feed?.end();
    await this.#backend.close();
  }
}
