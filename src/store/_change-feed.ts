import type { Change } from "./change.ts";
import { StoreError } from "./store-error.ts";

/** Milliseconds until it looks again for what must be there. */
const AGAIN_AFTER = 20;

/** Hands changes on in the order of their numbers, each once: own ones as they are committed, others' as they are found. */
export class ChangeFeed {
  readonly #changesAfter: (sequence: number) => Promise<readonly Change[]>;
  readonly #apply: (changes: readonly Change[]) => void;
  readonly #failed: (error: unknown, isLost: boolean) => void;
  #sequence: number;
  #isLooking = false;
  #timer: NodeJS.Timeout;
  #ended = false;
  /** Whether changes are missing: nothing is handed on until `resume`. */
  #isLost = false;
  /** Own changes that others' changes come before, in order. */
  #waiting: { readonly changes: readonly Change[]; resolve(): void }[] = [];

  constructor(sequence: number, every: number, changesAfter: (sequence: number) => Promise<readonly Change[]>, apply: (changes: readonly Change[]) => void, failed: (error: unknown, isLost: boolean) => void) {
    this.#sequence = sequence;
    this.#changesAfter = changesAfter;
    this.#apply = apply;
    this.#failed = failed;
    this.#timer = setInterval(() => this.look(), every);
    this.#timer.unref();
  }

  /** Takes changes that were committed here, in order. Resolves when they, and all before them, have been handed on, or the feed has ended. */
  arrived(changes: readonly Change[]): Promise<void> {
    if (this.#ended || changes.length === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting.push({ changes, resolve });
      this.#handOnOwn();
      if (this.#waiting.length > 0) this.look();
    });
  }

  /** Goes on behind `sequence`, up to which everything has been loaded again. */
  resume(sequence: number): void {
    this.#sequence = sequence;
    this.#isLost = false;
    this.#handOnOwn();
    this.look();
  }

  /** Looks for changes now, unless it does already. */
  look(): void {
    if (this.#isLooking || this.#ended || this.#isLost) return;
    this.#isLooking = true;
    void this.#lookUntilNone().finally(() => {
      this.#isLooking = false;
      if (this.#waiting.length > 0) setTimeout(() => this.look(), AGAIN_AFTER).unref();
    });
  }

  end(): void {
    this.#ended = true;
    clearInterval(this.#timer);
    for (const { resolve } of this.#waiting.splice(0)) resolve();
  }

  async #lookUntilNone(): Promise<void> {
    try {
      while (!this.#ended && !this.#isLost) {
        const changes = await this.#changesAfter(this.#sequence);
        // Own ones may have been handed on since they were asked for.
        const left = changes.filter(({ sequence }) => sequence > this.#sequence);
        if (left.length === 0 || this.#ended) return;
        this.#handOn(left);
      }
    } catch (error) {
      if (this.#ended) return;
      this.#isLost ||= error instanceof StoreError && error.code === "changes-gone";
      this.#failed(error, this.#isLost);
    }
  }

  #handOn(changes: readonly Change[]): void {
    this.#give(changes);
    this.#handOnOwn();
  }

  /** Own changes whose turn it is; those that were read from the database meanwhile have been handed on already. */
  #handOnOwn(): void {
    for (let own = this.#waiting[0]; own !== undefined && !this.#isLost && own.changes[0]!.sequence <= this.#sequence + 1; own = this.#waiting[0]) {
      const left = own.changes.filter(({ sequence }) => sequence > this.#sequence);
      if (left.length > 0) this.#give(left);
      if (this.#isLost) return;
      this.#waiting.shift();
      own.resolve();
    }
  }

  /** A reader that fails in the middle has half of them: it must load again. */
  #give(changes: readonly Change[]): void {
    this.#sequence = changes.at(-1)!.sequence;
    try {
      this.#apply(changes);
    } catch (error) {
      this.#isLost = true;
      this.#failed(error, true);
    }
  }
}
