import { setImmediate } from "node:timers/promises";
import type { Event, StoredEvents } from "../../store/event.ts";
import { eventsOf } from "../../store/packed-events.ts";
import { isOtherFeed } from "../changes/change-tails.ts";
import type { Store } from "../../store/store.ts";
import { type About, isOfRule, RuleEvents, singleEvent, type WebhookEvent } from "./webhook-event.ts";

/** Events read at once, of rows that are shorter than a megabyte together. */
const PAGE = 20_000;
/** Events of a row of the feed; a change that has more continues in the next row. */
const FULL_ROW = 1000;

interface Row {
  readonly stored: StoredEvents;
  readonly events: readonly Event[];
  /** The next event of it. */
  at: number;
}

/**
 * Reads the feed of an organisation as messages: the events that one change has caused at one time form one message,
 * however many they are. How events are grouped depends only on the stored rows, so a message that is read again is the
 * same. The server's thread handles a row of at most a thousand events at a time.
 */
export class EventReader {
  readonly #store: Store;
  readonly #organisationId: string;
  readonly #about: About;
  #rows: StoredEvents[] = [];
  #row: Row | undefined;
  /** Read and not yet passed. */
  #next: WebhookEvent | undefined;
  /** Everything up to this event has been passed. */
  #position = 0;
  #feed = "";

  constructor(store: Store, organisationId: string, about: About) {
    this.#store = store;
    this.#organisationId = organisationId;
    this.#about = about;
  }

  /** Which feed the last message is from: another one has other events under the same numbers. */
  get feed(): string {
    return this.#feed;
  }

  get position(): number {
    return this.#position;
  }

  /** The message after those that have been passed; undefined: there is none yet. */
  async peek(): Promise<WebhookEvent | undefined> {
    return (this.#next ??= await this.#read());
  }

  /** Passes everything up to an event. */
  pass(sequence: number): void {
    if (sequence <= this.#position) return;
    this.#position = sequence;
    if (this.#next !== undefined && this.#next.last <= sequence) this.#next = undefined;
    else if (this.#next !== undefined) return;
    const isInRow = this.#row !== undefined && this.#row.stored.last > sequence;
    if (this.#row !== undefined && !isInRow) this.#row = undefined;
    this.#rows = this.#rows.filter(({ last }) => last > sequence);
  }

  async #read(): Promise<WebhookEvent | undefined> {
    const event = await this.#take();
    if (event === undefined) return undefined;
    if (!isOfRule(event)) return singleEvent(event, this.#about);
    const change = new RuleEvents(event);
    for (;;) {
      for (let next = this.#event(); next !== undefined && isOfRule(next) && change.fits(next); next = this.#event()) {
        change.add(next);
        this.#row!.at++;
      }
      if (this.#event() !== undefined || !(await this.#continues(change))) return change.event(this.#about);
    }
  }

  /** The next event of the row at hand. */
  #event(): Event | undefined {
    const { events, at } = this.#row ?? { events: [], at: 0 };
    return events[at];
  }

  /** Takes the next event of the feed. */
  async #take(): Promise<Event | undefined> {
    while (this.#event() === undefined)
      if (!(await this.#open(this.#row?.stored.last ?? this.#position))) return undefined;
    return this.#row!.events[this.#row!.at++];
  }

  /** Whether the change goes on in the next row, which is then the one at hand. */
  async #continues(change: RuleEvents): Promise<boolean> {
    const { parts, first, last } = this.#row!.stored;
    const isFull = last - first + 1 >= FULL_ROW;
    if (parts === null && !isFull) return false;
    const before = this.#row!;
    if (!(await this.#open(last))) return false;
    const event = this.#event();
    const isOfList = isFull || this.#row!.stored.parts === parts;
    const isSame = isOfList && event !== undefined && isOfRule(event) && change.fits(event);
    if (isSame) return true;
    // It is read again with the next message.
    this.#rows.unshift(this.#row!.stored);
    this.#row = before;
    return false;
  }

  /** Makes the row after an event the one at hand; false: there is none. */
  async #open(after: number): Promise<boolean> {
    if (this.#rows.length === 0) this.#rows = await this.#readRows(after);
    const stored = this.#rows.shift();
    if (stored === undefined) return false;
    // Requests can run between two rows.
    await setImmediate();
    this.#row = { stored, events: [...eventsOf(stored, after)], at: 0 };
    return true;
  }

  /** Events that are no longer kept are left out. */
  async #readRows(after: number): Promise<StoredEvents[]> {
    const page = await this.#store.read("events", this.#organisationId, after, PAGE);
    if (isOtherFeed(this.#feed, page.feed))
      throw new Error("the database was restored from a backup; a new reader is needed");
    this.#feed = page.feed;
    if (page.rows.length > 0 || page.oldest <= after + 1 || page.oldest > page.sequence) return [...page.rows];
    return [...(await this.#store.read("events", this.#organisationId, page.oldest - 1, PAGE)).rows];
  }
}
