import type { EventPage } from "../../store/event.ts";
import type { Store } from "../../store/store.ts";
import { Slice, turn } from "../../turns/in-slices.ts";
import { changesIn, changeText } from "./change-text.ts";

/** Milliseconds between two checks for unannounced changes: those of other processes on a SQLite file. */
const EVERY = 1000;
/** Changes handed out at a time, and changes serialized between two checks of the clock. */
const [AT_ONCE, PIECE] = [2000, 100];
/** Readers that get them in one turn of the event loop: a millisecond or two of work. */
const READERS_OF_TURN = 100;
/**
 * After handing out changes, a tail waits for this multiple of the time that took, within these bounds in milliseconds;
 * changes that arrive meanwhile are handed out in one piece. A thousand writes to sockets cost the same whether a piece
 * has one change or a hundred.
 */
const [TIMES, MIN_GAP, MAX_GAP] = [8, 2, 500];

/** A reader that follows a feed and has everything up to its end. */
export interface TailReader {
  /**
   * Takes the changes after number `from` up to `to`. A reader that is at another number, or takes no more for now,
   * leaves the tail.
   */
  receive(frames: Buffer, from: number, to: number): void;

  /** The feed that it follows is no longer there: the database was restored from a backup. */
  finish(): void;
}

/** The ends of the followed feeds: each change is read and serialized once for all readers. */
export class ChangeTails {
  readonly #store: Store;
  readonly #tails = new Map<string, Tail>();
  #timer: NodeJS.Timeout | undefined;
  #stopListening = (): void => {};

  constructor(store: Store) {
    this.#store = store;
  }

  start(): void {
    const poll = (organisationId: string | null): void => {
      if (organisationId !== null) return this.#tails.get(organisationId)?.poll();
      for (const tail of this.#tails.values()) tail.poll();
    };
    this.#stopListening = this.#store.onEvents(poll);
    this.#timer = setInterval(() => poll(null), EVERY).unref();
  }

  stop(): void {
    this.#stopListening();
    clearInterval(this.#timer);
  }

  /** Adds a reader that has the changes of the feed up to `position`; it gets each later one. */
  join(organisationId: string, reader: TailReader, { feed, position }: FeedPosition): void {
    let tail = this.#tails.get(organisationId);
    if (tail !== undefined && isOtherFeed(tail.feed, feed)) {
      tail.end();
      tail = undefined;
    }
    if (tail === undefined)
      this.#tails.set(organisationId, (tail = new Tail(this.#store, organisationId, { feed, position })));
    tail.readers.add(reader);
    tail.poll();
  }

  leave(organisationId: string, reader: TailReader): void {
    const tail = this.#tails.get(organisationId);
    tail?.readers.delete(reader);
    if (tail?.readers.size === 0) this.#tails.delete(organisationId);
  }
}

/** A number counts in one feed alone: another one, of a database that was restored, has other changes under it. */
export interface FeedPosition {
  readonly feed: string;
  readonly position: number;
}

/** An organisation without a change has no feed yet, and its first change makes one. */
export function isOtherFeed(known: string, now: string): boolean {
  return known !== "" && now !== known;
}

class Tail {
  readonly readers = new Set<TailReader>();
  feed: string;
  readonly #store: Store;
  readonly #organisationId: string;
  #last: number;
  #isReading = false;
  #isPollDue = false;

  constructor(store: Store, organisationId: string, { feed, position }: FeedPosition) {
    this.feed = feed;
    this.#store = store;
    this.#organisationId = organisationId;
    this.#last = position;
  }

  poll(): void {
    if (this.#isReading) return void (this.#isPollDue = true);
    this.#isReading = true;
    void this.#readAll();
  }

  /** Its readers leave. */
  end(): void {
    for (const reader of this.readers) reader.finish();
  }

  async #readAll(): Promise<void> {
    do {
      this.#isPollDue = false;
      // The store's outage is logged elsewhere; the next check tries again.
      const took = await this.#read().catch(() => 0);
      if (!this.#isPollDue) break;
      const gap = Math.min(MAX_GAP, Math.max(MIN_GAP, TIMES * took));
      await new Promise((resolve) => setTimeout(resolve, gap));
    } while (this.readers.size > 0);
    this.#isReading = false;
  }

  /** Returns the milliseconds that handing out took. */
  async #read(): Promise<number> {
    const from = this.#last;
    const page = await this.#store.read("events", this.#organisationId, from, AT_ONCE);
    if (isOtherFeed(this.feed, page.feed)) {
      this.end();
      return 0;
    }
    this.feed = page.feed;
    const to = Math.min(page.rows.at(-1)?.last ?? from, from + AT_ONCE);
    // Changes that are no longer kept: a follower finds that out by itself.
    if (to === from) this.#last = Math.max(from, page.oldest - 1);
    if (to === from) return 0;
    const frames = await framesOf(page, from);
    this.#last = to;
    if (to < page.sequence) this.#isPollDue = true;
    return this.#handOut(frames, from, to);
  }

  /** Many readers get it over several turns, so that requests need not wait for all of them. */
  async #handOut(frames: Buffer, from: number, to: number): Promise<number> {
    const startedAt = performance.now();
    let count = 0;
    for (const reader of this.readers) {
      reader.receive(frames, from, to);
      if (++count % READERS_OF_TURN === 0) await turn();
    }
    // Responses write to their sockets at the end of a turn.
    await turn();
    return performance.now() - startedAt;
  }
}

/** The changes after number `from` as server-sent events. */
async function framesOf(page: EventPage, from: number): Promise<Buffer> {
  const slice = new Slice();
  let text = "";
  let count = 0;
  for (const event of changesIn(page, from, AT_ONCE)) {
    if (++count % PIECE === 0) await slice.pause();
    text += frameOf({ feed: page.feed, position: event.sequence }, changeText(event));
  }
  return Buffer.from(text);
}

/** A change as a server-sent event. Its id is read by `positionIn`. */
export function frameOf({ feed, position }: FeedPosition, text: string): string {
  return `id: ${position}.${feed}\ndata: ${text}\n\n`;
}

/** The position in the id of an event, of which the number alone will do; undefined if it is none. */
export function positionIn(id: string): { readonly position: number; readonly feed: string | undefined } | undefined {
  const [, position, feed] = /^(\d{1,15})(?:\.([\w-]{1,64}))?$/.exec(id) ?? [];
  return position === undefined ? undefined : { position: Number(position), feed };
}
