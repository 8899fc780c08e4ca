import { Readable } from "node:stream";
import { changesIn, changeText } from "../../service/changes/change-text.ts";
import {
  type ChangeTails,
  type FeedPosition,
  frameOf,
  isOtherFeed,
  type TailReader,
} from "../../service/changes/change-tails.ts";
import type { Store } from "../../store/store.ts";

/** Changes that are read at a time by a reader that is behind. */
const AT_ONCE = 500;
/** Maximum bytes buffered for a slow reader; later changes stay in the database until these have been read. */
const WAITING_BYTES = 64 << 10;
/** Milliseconds until a reader tries again after the database has failed. */
const AGAIN_AFTER = 1000;

interface Dependencies {
  readonly store: Store;
  readonly tails: ChangeTails;
}

/**
 * The server-sent events of one connection. A reader that is behind gets its changes from the database, as fast as it
 * reads; once it has all of them, it gets what comes from the tail that it shares with others.
 */
export class ChangeStream extends Readable implements TailReader {
  readonly #services: Dependencies;
  readonly #organisationId: string;
  readonly #feed: string;
  /** The last change that has been passed on. */
  #position: number;
  #isLive = false;
  #isCatchingUp = false;
  #wantsMore = true;
  #isFinished = false;

  constructor(services: Dependencies, organisationId: string, { feed, position }: FeedPosition, start: string) {
    super({ highWaterMark: WAITING_BYTES });
    this.#services = services;
    this.#organisationId = organisationId;
    this.#feed = feed;
    this.#position = position;
    this.push(start);
  }

  override _read(): void {
    this.#wantsMore = true;
    if (!this.#isLive) void this.#catchUp();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#leave();
    done(error);
  }

  receive(frames: Buffer, from: number, to: number): void {
    if (to <= this.#position) return;
    const fits = from === this.#position;
    if (fits) this.#pass(frames, to);
    if (fits && this.#wantsMore) return;
    this.#leave();
    if (this.#wantsMore) void this.#catchUp();
  }

  /** A comment, which shows that the connection is alive. */
  comment(): void {
    if (this.#wantsMore && !this.#isOver) this.#send(":\n\n");
  }

  /** Ends the stream in an orderly way, so that the reader connects again. */
  finish(): void {
    this.#leave();
    if (!this.#isOver) this.push(null);
    this.#isFinished = true;
  }

  async #catchUp(): Promise<void> {
    if (this.#isCatchingUp) return;
    this.#isCatchingUp = true;
    while (this.#wantsMore && !this.#isLive && !this.#isOver) await this.#readSome();
    this.#isCatchingUp = false;
  }

  async #readSome(): Promise<void> {
    const { store, tails } = this.#services;
    const after = this.#position;
    try {
      const page = await store.read("events", this.#organisationId, after, AT_ONCE);
      if (this.#isOver) return;
      // The client reads too slowly, or the database was restored; it finds out when it connects again.
      if (page.oldest > after + 1 || page.sequence < after || isOtherFeed(this.#feed, page.feed)) return this.finish();
      let text = "";
      let last = after;
      for (const event of changesIn(page, after, AT_ONCE)) {
        last = event.sequence;
        text += frameOf({ feed: page.feed, position: last }, changeText(event));
      }
      if (last > after) return this.#pass(Buffer.from(text), last);
      this.#isLive = true;
      tails.join(this.#organisationId, this, { feed: page.feed, position: after });
    } catch {
      await new Promise((resolve) => setTimeout(resolve, AGAIN_AFTER).unref());
    }
  }

  get #isOver(): boolean {
    return this.destroyed || this.#isFinished;
  }

  #pass(frames: Buffer, last: number): void {
    this.#position = last;
    this.#send(frames);
  }

  /** The consumer may request more while it handles this. */
  #send(frames: Buffer | string): void {
    this.#wantsMore = false;
    if (this.push(frames)) this.#wantsMore = true;
  }

  #leave(): void {
    if (this.#isLive) this.#services.tails.leave(this.#organisationId, this);
    this.#isLive = false;
  }
}
