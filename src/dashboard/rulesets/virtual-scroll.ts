/** Browsers let no element be higher than some 17 to 33 million pixels; less where the page is magnified. */
const MAX_PIXELS = 6_000_000;

export interface Extent {
  readonly rows: number;
  readonly rowHeight: number;
  /** Of what is seen. */
  readonly viewport: number;
}

/**
 * Where a long list is scrolled to. What the browser scrolls may be lower than the rows together: then its scroll bar
 * is scaled up, and the wheel and the finger are taken as they are, so that they go from row to row. The two drift
 * apart by that, which `settle` makes good.
 */
export class VirtualScroll {
  #extent: Extent = { rows: 0, rowHeight: 1, viewport: 1 };
  #native = 0;
  #top = 0;

  /** Pixels of rows above what is seen. */
  get top(): number {
    return this.#top;
  }

  /** What the browser is to scroll through. */
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

  /** Takes another number of rows or size; what is on top stays there, if there is as much. */
  resize(extent: Extent): void {
    const row = this.#top / this.#extent.rowHeight;
    this.#extent = extent;
    this.#move(row * extent.rowHeight);
  }

  /** Takes a movement of the browser. `isFine`: by wheel or finger. */
  scrolled(native: number, isFine: boolean): void {
    const by = native - this.#native;
    this.#native = native;
    // What is only put right has not moved.
    if (by !== 0) this.#move(isFine ? this.#top + by : native * this.#scale);
  }

  /** Shows these pixels of rows on top. */
  goTo(top: number): void {
    this.#move(top);
  }

  /** Moves as little as shows the row whole. */
  show(row: number): void {
    const { rowHeight, viewport } = this.#extent;
    if (row * rowHeight < this.#top) this.#move(row * rowHeight);
    else if ((row + 1) * rowHeight > this.#top + viewport) this.#move((row + 1) * rowHeight - viewport);
  }

  /** What the browser's position has to be for what is shown; `native` of the next `scrolled` is compared with it. */
  settle(): number {
    this.#native = Math.round(this.#top / this.#scale);
    return this.#native;
  }

  /** The rows that are seen, the last one included. */
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
