import { type Problem, problemOf } from "../problem.ts";

/** A page as the server gives it. */
export interface RowsPage<Row> {
  readonly items: readonly Row[];
  /** Of all pages. */
  readonly count: number;
  readonly version: number;
  /** Changes with the version, and when rules expire: rows with different tags do not fit together. */
  readonly tag: string;
}

const ROWS = 200;
/** Pages kept: some thousand rows around the visible ones. */
const MAX_PAGES = 24;
/** Maximum rows per request. */
const MAX_ROWS = 1000;
const MAX_TRIES = 4;
/** Milliseconds without scrolling until rows are fetched. */
const REST = 40;
/** Rows before and after the visible ones. */
const AHEAD = 60;

type Load<Page> = (offset: number, limit: number, signal: AbortSignal) => Promise<Page>;

/** Rows of a long table, fetched in pages around the visible part; requests for other parts are aborted. */
export class RowPages<Row, Page extends RowsPage<Row>> {
  /** The last page that arrived, with the totals. */
  latest: Page | undefined;
  problem: Problem | undefined;
  readonly #load: Load<Page>;
  readonly #changed: () => void;
  readonly #pages = new Map<number, readonly Row[]>();
  readonly #flights = new Map<number, AbortController>();
  #wanted: readonly number[] = [0];
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(load: Load<Page>, changed: () => void) {
    this.#load = load;
    this.#changed = changed;
  }

  get count(): number {
    return this.latest?.count ?? 0;
  }

  /** Undefined until it has arrived. */
  row(index: number): Row | undefined {
    return this.#pages.get(Math.floor(index / ROWS))?.[index % ROWS];
  }

  /**
   * Fetches what is missing of these rows: the first time immediately, later once the range has not changed for a
   * moment.
   */
  show(first: number, last: number): void {
    const [from, to] = [
      Math.max(0, first - AHEAD),
      Math.max(0, Math.min(last + AHEAD, this.latest === undefined ? last : this.count - 1)),
    ];
    const wanted = Array.from(
      { length: Math.floor(to / ROWS) - Math.floor(from / ROWS) + 1 },
      (_, at) => Math.floor(from / ROWS) + at,
    );
    if (this.#timer !== undefined && wanted.join() === this.#wanted.join()) return;
    this.#wanted = wanted;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (wanted.every((page) => this.#pages.has(page) || this.#flights.has(page))) return;
    if (this.latest === undefined) this.#fetchMissing();
    else this.#fetchSoon();
  }

  /** Fetches the visible rows again; until they arrive, the existing ones stay. */
  refresh(): void {
    this.#giveUp();
    for (const page of this.#wanted) void this.#fetch(page);
  }

  /** Fetches a range of rows, kept or not. Rejects with Problem, or if they are no longer those that are shown. */
  async rows(first: number, last: number): Promise<Row[]> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const pages: Page[] = [];
      for (let at = first; at <= last; at += MAX_ROWS)
        pages.push(await this.#load(at, Math.min(MAX_ROWS, last + 1 - at), new AbortController().signal));
      if (pages.some(({ version }) => version !== this.latest!.version)) break;
      // If rules have expired in between, those after them may have moved up.
      if (pages.every(({ tag }) => tag === pages[0]!.tag)) return pages.flatMap(({ items }) => items);
    }
    this.refresh();
    throw new Error("The rules have changed since they were shown. The list has been refreshed: select them again.");
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#giveUp();
  }

  #fetchSoon(): void {
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#fetchMissing();
    }, REST);
  }

  #giveUp(): void {
    for (const flight of this.#flights.values()) flight.abort();
    this.#flights.clear();
  }

  #fetchMissing(): void {
    for (const [page, flight] of this.#flights) {
      if (this.#wanted.includes(page)) continue;
      flight.abort();
      this.#flights.delete(page);
    }
    for (const page of this.#wanted) if (!this.#pages.has(page) && !this.#flights.has(page)) void this.#fetch(page);
  }

  async #fetch(page: number): Promise<void> {
    const flight = new AbortController();
    this.#flights.set(page, flight);
    try {
      const answer = await this.#load(page * ROWS, ROWS, flight.signal);
      if (flight.signal.aborted) return;
      this.#flights.delete(page);
      this.#keep(page, answer);
      this.problem = undefined;
      // The visible rows may have had another tag, and may have been dropped with it.
      if (
        this.#timer === undefined &&
        this.#wanted.some((wanted) => !this.#pages.has(wanted) && !this.#flights.has(wanted))
      )
        this.#fetchSoon();
    } catch (error) {
      if (flight.signal.aborted) return;
      this.#flights.delete(page);
      this.problem = problemOf(error);
    }
    this.#changed();
  }

  #keep(page: number, answer: Page): void {
    // A slow response may be about the previous version.
    if (this.latest !== undefined && answer.version < this.latest.version) return;
    if (answer.tag !== this.latest?.tag) this.#pages.clear();
    this.latest = answer;
    this.#pages.delete(page);
    this.#pages.set(page, answer.items);
    for (const oldest of this.#pages.keys()) {
      if (this.#pages.size <= MAX_PAGES) break;
      if (!this.#wanted.includes(oldest)) this.#pages.delete(oldest);
    }
  }
}
