/** Browsers limit the height of an element to some 17 to 33 million pixels; to less if the page is zoomed. */
const MAX_PIXELS = 6_000_000;

export interface Extent {
  readonly rows: number;
  readonly rowHeight: number;
  /** The height of the visible part. */
  readonly viewport: number;
}

/**
 * The scroll position of a long list. The browser's scroll height may be smaller than the rows together: then its
 * scroll bar is scaled up, while wheel and finger are used unscaled, so that they move from row to row. This makes the
 * two positions drift apart, which `settle` corrects.
 */
export class VirtualScroll {
  #extent: Extent = { rows: 0, rowHeight: 1, viewport: 1 };
  #native = 0;
  #top = 0;

  /** Pixels of rows above the visible part. */
  get top(): number {
    return this.#top;
  }

  /** The height that the browser scrolls through. */
  get height(): number {
    return Math.min(this.#extent.rows * this.#extent.rowHeight, MAX_PIXELS);
  }

  get isScaled(): boolean {
    return this.#scale > 1;
  }

  get #most(): number {
    return Math.max(0, this.#extent.rows * this.#extent.rowHeight - this.#extent.viewport);
  }

  get #scale(): number {
    const native = this.height - this.#extent.viewport;
    return native <= 0 ? 1 : this.#most / native;
  }

  /** Changes the number of rows or the size; the top row stays, if possible. */
  resize(extent: Extent): void {
    const row = this.#top / this.#extent.rowHeight;
    this.#extent = extent;
    this.#move(row * extent.rowHeight);
  }

  /** Takes a movement of the browser. `isFine`: by wheel or finger. */
  scrolled(native: number, isFine: boolean): void {
    const by = native - this.#native;
    this.#native = native;
    // A correction is not a movement.
    if (by !== 0) this.#move(isFine ? this.#top + by : native * this.#scale);
  }

  /** Scrolls to these pixels of rows. */
  goTo(top: number): void {
    this.#move(top);
  }

  /** Scrolls as little as needed to show the whole row. */
  show(row: number): void {
    const { rowHeight, viewport } = this.#extent;
    if (row * rowHeight < this.#top) this.#move(row * rowHeight);
    else if ((row + 1) * rowHeight > this.#top + viewport) this.#move((row + 1) * rowHeight - viewport);
  }

  /** The browser's scroll position for what is shown; the next `scrolled` compares `native` with it. */
  settle(): number {
    this.#native = Math.round(this.#top / this.#scale);
    return this.#native;
  }

  /** The visible rows, including the last one. */
  range(): readonly [first: number, last: number] {
    const { rows, rowHeight, viewport } = this.#extent;
    const first = Math.floor(this.#top / rowHeight);
    return [
      Math.min(first, Math.max(0, rows - 1)),
      Math.max(0, Math.min(rows - 1, Math.ceil((this.#top + viewport) / rowHeight) - 1)),
    ];
  }

  #move(top: number): void {
    this.#top = Math.min(this.#most, Math.max(0, top));
  }
}
