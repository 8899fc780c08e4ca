import type { ApplyChanges, Change } from "../change.ts";
import { StoreError } from "../store-error.ts";

/** Milliseconds until it polls again for changes that must exist. */
const AGAIN_AFTER = 20;

/** Changes committed here; without changes, a result that depends on the changes up to `last`. */
interface Own {
  readonly changes: readonly Change[];
  readonly first: number;
  readonly last: number;
  resolve(): void;
}

interface Applying {
  readonly first: number;
  readonly last: number;
  readonly done: Promise<void>;
}

/**
 * Passes each change on once, in the order of their numbers: own changes as they are committed, others' as they are
 * found.
 */
export class ChangeFeed {
  readonly #changesAfter: (sequence: number) => Promise<readonly Change[]>;
  readonly #apply: ApplyChanges;
  readonly #failed: (error: unknown, isLost: boolean) => void;
  #sequence: number;
  #isPolling = false;
  #isPollDue = false;
  /** When the last poll that reached the end of the changes began, in milliseconds of a monotonic clock. */
  #checkedAt = performance.now();
  #timer: NodeJS.Timeout;
  #ended = false;
  /** Whether changes are missing: nothing is passed on until `resume`. */
  #isLost = false;
  /** Changes that a reader has not finished applying. */
  readonly #applying = new Set<Applying>();
  /** Own changes that must wait for others' changes before them, in order. */
  #waiting: Own[] = [];

  constructor(
    sequence: number,
    every: number,
    changesAfter: (sequence: number) => Promise<readonly Change[]>,
    apply: ApplyChanges,
    failed: (error: unknown, isLost: boolean) => void,
  ) {
    this.#sequence = sequence;
    this.#changesAfter = changesAfter;
    this.#apply = apply;
    this.#failed = failed;
    this.#timer = setInterval(() => this.poll(), every);
    this.#timer.unref();
  }

  /**
   * Takes changes that were committed here, in order; `sequence` is the last one in the database at that time. Resolves
   * when they, and all before them, have been passed on, or the feed has ended.
   */
  arrived(changes: readonly Change[], sequence: number): Promise<void> {
    const first = changes[0]?.sequence ?? sequence + 1;
    if (this.#ended || (changes.length === 0 && sequence <= this.#sequence)) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting.push({ changes, first, last: sequence, resolve });
      this.#handOnOwn();
      if (this.#waiting.length > 0) this.poll();
    });
  }

  /** Continues after `sequence`, up to which everything has been reloaded. */
  resume(sequence: number): void {
    this.#sequence = sequence;
    this.#isLost = false;
    this.#handOnOwn();
    this.poll();
  }

  /**
   * Polls for changes now; if a poll is in progress, polls once more after it, because what it has read may be older.
   */
  poll(): void {
    if (this.#ended || this.#isLost) return;
    if (this.#isPolling) return void (this.#isPollDue = true);
    this.#isPolling = true;
    this.#isPollDue = false;
    void this.#pollUntilNone().finally(() => {
      this.#isPolling = false;
      if (this.#isPollDue) this.poll();
      else if (this.#waiting.length > 0) setTimeout(() => this.poll(), AGAIN_AFTER).unref();
    });
  }

  /**
   * Milliseconds since the last poll that reached the end of the changes: later changes may not have been passed on.
   */
  get staleness(): number {
    return performance.now() - this.#checkedAt;
  }

  end(): void {
    this.#ended = true;
    clearInterval(this.#timer);
    for (const { resolve } of this.#waiting.splice(0)) resolve();
  }

  async #pollUntilNone(): Promise<void> {
    try {
      while (!this.#ended && !this.#isLost) {
        const began = performance.now();
        const changes = await this.#changesAfter(this.#sequence);
        // The reader may have failed since they were requested.
        if (this.#isLost) return;
        // Own changes may have been passed on as well.
        const left = changes.filter(({ sequence }) => sequence > this.#sequence);
        if (left.length === 0) this.#checkedAt = began;
        if (left.length === 0 || this.#ended) return;
        this.#give(left);
        this.#handOnOwn();
      }
    } catch (error) {
      if (this.#ended) return;
      this.#isLost ||= error instanceof StoreError && error.code === "changes-gone";
      this.#failed(error, this.#isLost);
    }
  }

  /** Own changes whose turn it is; those that were meanwhile read from the database have been passed on already. */
  #handOnOwn(): void {
    for (
      let own = this.#waiting[0];
      own !== undefined && !this.#isLost && own.first <= this.#sequence + 1;
      own = this.#waiting[0]
    ) {
      const left = own.changes.filter(({ sequence }) => sequence > this.#sequence);
      if (left.length > 0) this.#give(left);
      if (this.#isLost) return;
      this.#waiting.shift();
      void this.#resolveOwn(own);
    }
  }

  /** A write must be readable when it is confirmed, even if it was read from the database first. */
  async #resolveOwn(own: Own): Promise<void> {
    for (const each of this.#applying) if (each.first <= own.last && each.last >= own.first) await each.done;
    if (this.#isLost && !this.#ended) this.#waiting.unshift(own);
    else own.resolve();
  }

  /** A reader that fails midway has applied only some of them and must reload. */
  #give(changes: readonly Change[]): void {
    this.#sequence = changes.at(-1)!.sequence;
    try {
      const applied = this.#apply(changes);
      if (applied !== undefined) this.#await(changes, applied);
    } catch (error) {
      this.#lose(error);
    }
  }

  #await(changes: readonly Change[], applied: Promise<void>): void {
    const done = applied.catch((error: unknown) => this.#lose(error));
    const applying: Applying = { first: changes[0]!.sequence, last: changes.at(-1)!.sequence, done };
    this.#applying.add(applying);
    void done.then(() => this.#applying.delete(applying));
  }

  #lose(error: unknown): void {
    if (this.#ended || this.#isLost) return;
    this.#isLost = true;
    this.#failed(error, true);
  }
}
