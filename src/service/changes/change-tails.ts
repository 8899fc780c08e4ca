import type { Store } from "../../store/store.ts";
import { changesIn, changeText } from "./change-text.ts";

/** Milliseconds between two looks for changes that nothing told of: those of other processes on a SQLite file. */
const EVERY = 1000;
/** Changes that are read at a time: some milliseconds of work. */
const AT_ONCE = 500;
/**
 * Milliseconds between two readings of a feed that changes all the time, and as many more for each reader: what comes
 * meanwhile is sent to all of them in one piece.
 */
const [GAP, GAP_OF_READER] = [2, 0.1];

/** Who follows a feed and has everything up to its end. */
export interface TailReader {
  /** Takes the changes after number `from` up to `to`. It leaves the tail if it is not there, or takes no more for now. */
  receive(frames: Buffer, from: number, to: number): void;
}

/** The ends of the feeds that are followed: each change is read and made into text once for all readers. */
export class ChangeTails {
  readonly #store: Store;
  readonly #tails = new Map<string, Tail>();
  #timer: NodeJS.Timeout | undefined;
  #stopLooking = (): void => {};

  constructor(store: Store) {
    this.#store = store;
  }

  start(): void {
    const look = (organisationId: string | null): void => {
      if (organisationId !== null) return this.#tails.get(organisationId)?.look();
      for (const tail of this.#tails.values()) tail.look();
    };
    this.#stopLooking = this.#store.onEvents(look);
    this.#timer = setInterval(() => look(null), EVERY).unref();
  }

  stop(): void {
    this.#stopLooking();
    clearInterval(this.#timer);
  }

  /** From now on the reader, which has the changes up to `position`, gets those that come. */
  join(organisationId: string, reader: TailReader, position: number): void {
    let tail = this.#tails.get(organisationId);
    if (tail === undefined) this.#tails.set(organisationId, (tail = new Tail(this.#store, organisationId, position)));
    tail.readers.add(reader);
    tail.look();
  }

  leave(organisationId: string, reader: TailReader): void {
    const tail = this.#tails.get(organisationId);
    tail?.readers.delete(reader);
    if (tail?.readers.size === 0) this.#tails.delete(organisationId);
  }
}

class Tail {
  readonly readers = new Set<TailReader>();
  readonly #store: Store;
  readonly #organisationId: string;
  #last: number;
  #isReading = false;
  #isAskedAgain = false;

  constructor(store: Store, organisationId: string, last: number) {
    this.#store = store;
    this.#organisationId = organisationId;
    this.#last = last;
  }

  look(): void {
    if (this.#isReading) return void (this.#isAskedAgain = true);
    this.#isReading = true;
    void this.#readAll();
  }

  async #readAll(): Promise<void> {
    do {
      this.#isAskedAgain = false;
      // The store's outage is logged elsewhere, and the next look tries again.
      await this.#read().catch(() => {});
      if (!this.#isAskedAgain) break;
      await new Promise((resolve) => setTimeout(resolve, GAP + GAP_OF_READER * this.readers.size));
    } while (this.readers.size > 0);
    this.#isReading = false;
  }

  async #read(): Promise<void> {
    const from = this.#last;
    const page = await this.#store.read("events", this.#organisationId, from, AT_ONCE);
    const to = Math.min(page.rows.at(-1)?.last ?? from, from + AT_ONCE);
    // Changes that are no longer kept: whoever follows finds that out by itself.
    if (to === from) this.#last = Math.max(from, page.oldest - 1);
    if (to === from) return;
    let text = "";
    for (const event of changesIn(page, from, AT_ONCE)) text += frameOf(event.sequence, changeText(event));
    this.#last = to;
    if (to < page.sequence) this.#isAskedAgain = true;
    const frames = Buffer.from(text);
    for (const reader of this.readers) reader.receive(frames, from, to);
  }
}

/** A change as a server-sent event. */
export function frameOf(sequence: number, text: string): string {
  return `id: ${sequence}\ndata: ${text}\n\n`;
}
