/** Milliseconds for which a page waits for its client. */
const KEPT = 10_000;
/** Pages that wait at a time: half a megabyte each, most often compressed to less. */
const MAX_PAGES = 16;

/**
 * Pages that clients will ask for next, made while they read the ones before. Each is given out once. If it is not
 * there, or could not be made, whoever asks makes it.
 */
export class PagesAhead<Page> {
  readonly #waiting = new Map<string, { readonly page: Promise<Page | undefined>; readonly timer: NodeJS.Timeout }>();

  /** Begins to make a page, unless too many wait. */
  prepare(key: string, make: () => Promise<Page>): void {
    if (this.#waiting.has(key) || this.#waiting.size >= MAX_PAGES) return;
    const page = make().catch(() => undefined);
    this.#waiting.set(key, { page, timer: setTimeout(() => this.#waiting.delete(key), KEPT).unref() });
  }

  async take(key: string): Promise<Page | undefined> {
    const found = this.#waiting.get(key);
    if (found === undefined) return undefined;
    clearTimeout(found.timer);
    this.#waiting.delete(key);
    return found.page;
  }
}
