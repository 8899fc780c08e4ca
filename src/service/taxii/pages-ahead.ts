/** Milliseconds for which a prepared page is kept for its client. */
const KEPT = 10_000;
/** Prepared pages kept at a time: half a megabyte each, usually compressed to less. */
const MAX_PAGES = 16;

/**
 * Pages that clients will request next, prepared while they read the previous ones. Each is handed out once. A page
 * that is missing, or whose preparation failed, is made by the request itself.
 */
export class PagesAhead<Page> {
  readonly #waiting = new Map<string, { readonly page: Promise<Page | undefined>; readonly timer: NodeJS.Timeout }>();

  /** Starts to prepare a page, unless too many are kept. */
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
