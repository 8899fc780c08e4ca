/** Milliseconds of waiting over which the speed is measured: the last one to two of these. */
const SPAN = 5000;

/**
 * How fast a client sends a body while it is waited for, lately: what the server takes longer for itself does not
 * count.
 */
export class ClientSpeed {
  #bytes = 0;
  #waited = 0;
  /** Of the span before. */
  #bytesBefore = 0;
  #waitedBefore = 0;
  /** Null while nothing is waited for. */
  #since: number | null = null;

  /** The parts of a body, measured. */
  async *follow(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
    this.#since = performance.now();
    try {
      for await (const part of body) {
        this.#add(part.length);
        yield part;
        this.#since = performance.now();
      }
    } finally {
      this.#since = null;
    }
  }

  /** Milliseconds for which the client has been waited for, of those that are looked at. */
  get waited(): number {
    return this.#waitedBefore + this.#waited + this.#waiting;
  }

  /** What came in the first moment is not taken for what would come in a second. */
  get bytesPerSecond(): number {
    if (this.#waiting >= 2 * SPAN) return 0;
    return ((this.#bytesBefore + this.#bytes) * 1000) / Math.max(this.waited, 1000);
  }

  get #waiting(): number {
    return this.#since === null ? 0 : performance.now() - this.#since;
  }

  #add(bytes: number): void {
    this.#bytes += bytes;
    this.#waited += this.#waiting;
    this.#since = null;
    if (this.#waited < SPAN) return;
    [this.#bytesBefore, this.#waitedBefore] = [this.#bytes, this.#waited];
    [this.#bytes, this.#waited] = [0, 0];
  }
}
