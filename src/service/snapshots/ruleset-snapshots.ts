import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { saveRules } from "../../datasets/ruleset-files.ts";
import type { Change } from "../../store/change.ts";
import type { Store } from "../../store/store.ts";
import { FREE_BYTES } from "../datasets/feed-imports.ts";
import { freeBytesOf } from "../free-bytes.ts";
import type { LiveRuleset, ServiceMemory } from "../store/service-memory.ts";
import { PRIVATE_FILES, type SnapshotFolder } from "../store/snapshot-folder.ts";

/** Rulesets with fewer rules are read from the database as fast as from a file. */
const MIN_RULES = 2000;
/** Milliseconds between two searches for rulesets that have changed a lot. */
const EVERY = 60_000;
/** A snapshot that lacks at most this many changed rules is brought up to date in a few milliseconds. */
const MIN_CHANGED = 2000;
/** What a snapshot may lack before it is replaced, as a share of the rules: 1/64 while the server runs, 1/256 when it stops. */
const RUNNING_SHIFT = 6;
const STOPPING_SHIFT = 8;
/** At least 100,000 changes are kept in the database; a snapshot that is older cannot be brought up to date. */
const MAX_CHANGES = 50_000;
/**
 * The pause after each snapshot, as a multiple of the time it took: at most a twentieth of the time is spent on
 * snapshots.
 */
const PAUSE_FACTOR = 20;
/** Milliseconds that a snapshot takes for a thousand rules on a slow machine. */
const SLOWEST = 4;
/** After n failures in a row, only every 2^n-th search is made, up to this n. */
const MAX_BACKOFF = 6;

/** What is known about the snapshot of a ruleset. */
interface Written {
  /** The last change that it includes. */
  readonly sequence: number;
  /** How many rules have changed since. */
  changed: number;
}

export interface RulesetSnapshotsOptions {
  readonly folder: SnapshotFolder;
  readonly memory: ServiceMemory;
  readonly store: Pick<Store, "read">;
  readonly log: Pick<Logger, "debug" | "info" | "warn">;
  /** Milliseconds; a minute unless given. */
  readonly every?: number;
}

/**
 * Keeps a snapshot of each large ruleset in a folder, so that the next start need not read its rules from the database:
 * written in the background once much has changed, and when the server stops. Nothing depends on these copies: if they
 * are corrupt or cannot be written, the database still has everything.
 */
export class RulesetSnapshots {
  readonly #options: RulesetSnapshotsOptions;
  readonly #written = new Map<string, Written>();
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();
  #isWriting = false;
  #isStopping = false;
  #failures = 0;
  #skipped = 0;

  constructor(options: RulesetSnapshotsOptions) {
    this.#options = options;
  }

  /**
   * Records that the rules of a ruleset came from its snapshot, which has all changes up to `sequence`; `changed` rules
   * have changed since.
   */
  startedFrom(rulesetId: string, sequence: number, changed: number): void {
    this.#written.set(rulesetId, { sequence, changed });
  }

  /** Notes changes. */
  apply(changes: readonly Change[]): void {
    for (const change of changes) {
      if (!("rulesetId" in change)) continue;
      if (change.kind !== "rules") this.#written.delete(change.rulesetId);
      else {
        const written = this.#written.get(change.rulesetId);
        if (written !== undefined) written.changed += change.upserts.length + change.deletes.length;
      }
    }
  }

  /** The state was loaded again, so it is not known which rules have changed. */
  forget(): void {
    this.#written.clear();
  }

  start(): void {
    this.#timer = setInterval(() => this.#poll(), this.#options.every ?? EVERY).unref();
  }

  /** Writes what is due, as far as time allows until a moment of the monotonic clock (`performance.now`). */
  async stop(until: number): Promise<void> {
    if (this.#timer === undefined) return;
    clearInterval(this.#timer);
    this.#isStopping = true;
    const ended = new AbortController();
    const timeOver = sleep(Math.max(0, until - performance.now()), undefined, { signal: ended.signal }).catch(() => {});
    await Promise.race([this.#writing.then(() => this.#writeAll(STOPPING_SHIFT, until)), timeOver]);
    ended.abort();
  }

  #poll(): void {
    if (this.#isWriting || this.#isStopping) return;
    if (this.#skipped < 2 ** Math.min(this.#failures, MAX_BACKOFF) - 1) return void this.#skipped++;
    this.#skipped = 0;
    this.#isWriting = true;
    this.#writing = this.#writeAll(RUNNING_SHIFT, Number.POSITIVE_INFINITY).finally(() => (this.#isWriting = false));
  }

  /** Never rejects. */
  async #writeAll(shift: number, until: number): Promise<void> {
    const { folder, memory, log } = this.#options;
    const isStopping = this.#isStopping;
    try {
      await folder.sweep((id) => (memory.rulesetById(id)?.rules.count ?? 0) >= MIN_RULES);
      for (const { about, rules } of this.#due(shift)) {
        const began = performance.now();
        if (began + (rules.count / 1000) * SLOWEST > until) continue;
        await this.#write(about.id);
        if (!isStopping) await this.#pause(PAUSE_FACTOR * (performance.now() - began));
        if (this.#isStopping !== isStopping) return;
      }
      if (this.#failures > 0) log.info({ folder: folder.path }, "snapshots of rulesets can be written again");
      this.#failures = 0;
    } catch (error) {
      if (this.#failures++ === 0)
        log.warn(
          { folder: folder.path, reason: (error as Error).message },
          "the snapshot of a ruleset cannot be written; nothing is lost, but the next start reads its rules from the database",
        );
    }
  }

  /** Ends early when the server stops. */
  async #pause(milliseconds: number): Promise<void> {
    const end = performance.now() + milliseconds;
    while (!this.#isStopping && performance.now() < end)
      await sleep(Math.min(100, milliseconds), undefined, { ref: false });
  }

  #due(shift: number): LiveRuleset[] {
    const { memory } = this.#options;
    return [...memory.everyRuleset()].filter(({ about, rules }) => {
      if (rules.count < MIN_RULES) return false;
      const written = this.#written.get(about.id);
      if (written === undefined) return true;
      const mayLack = Math.max(MIN_CHANGED, rules.count >>> shift);
      return written.changed > mayLack || memory.sequence - written.sequence > MAX_CHANGES;
    });
  }

  /** Rejects if the snapshot cannot be written. A ruleset that keeps changing is left to the next search. */
  async #write(id: string): Promise<void> {
    const { folder, memory, store, log } = this.#options;
    await folder.make();
    if (freeBytesOf(folder.path) < FREE_BYTES) throw new Error(`the disk has less than ${FREE_BYTES >> 20} MiB free`);
    const began = performance.now();
    const copying = memory.copyRuleset(id);
    if (copying === undefined) return;
    this.#written.set(id, { sequence: copying.sequence, changed: 0 });
    try {
      const { about, rules, sequence } = { ...copying, rules: await copying.rules };
      // Read after the rules were copied, so they contain nothing later.
      const mark = await store.read("historyMark");
      if (mark === null || mark.sequence < sequence) throw new Error("the database has lost changes");
      const { name, purpose } = about;
      await saveRules(
        folder.pathOf(id),
        rules,
        { name, purpose, allowSpecialPurpose: true, sequence, origin: { rulesetId: id, mark } },
        PRIVATE_FILES,
      );
      const milliseconds = Math.round(performance.now() - began);
      log.debug({ ruleset: id, rules: rules.count, change: sequence, milliseconds }, "saved a snapshot of a ruleset");
    } catch (error) {
      this.#written.delete(id);
      throw error;
    }
  }
}
