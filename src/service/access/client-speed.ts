/** The speed is measured over the last one to two spans of this many milliseconds of waiting. */
const SPAN = 5000;

/**
 * How fast a client has recently sent a body while the server waited for it: time that the server needs for itself does
 * not count.
 */
export class ClientSpeed {
  #bytes = 0;
  #waited = 0;
  /** In the previous span. */
  #bytesBefore = 0;
  #waitedBefore = 0;
  /** Null while not waiting. */
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

  /** Milliseconds of the measured span spent waiting for the client. */
  get waited(): number {
    return this.#waitedBefore + this.#waited + this.#waiting;
  }

  /** The first moment is too short to extrapolate to a second. */
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
