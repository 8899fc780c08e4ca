import type { Matcher } from "../../batch/matcher.ts";

const LF = 0x0a;
const MAX_LINES = 100;
const MAX_CHARACTERS = 500;
/** Lines that are looked at in one step. */
const LINES_AT_ONCE = 4096;
/** A line has so many bytes at most to give as many characters. */
const MAX_BYTES = 4 * MAX_CHARACTERS;
/** So much is searched until there are lines enough; from then on, or after so much, pieces of what comes. */
const SEARCHED_WHOLE = 64 << 20;
const PIECE = 64 << 10;
const BETWEEN_PIECES = 4 << 20;

export interface UnmatchedLine {
  /** Cut at 500 characters. */
  readonly text: string;
  /** Whether there is an address in it, which no service has. */
  readonly has_address: boolean;
}

/**
 * Some lines of a log that match nothing: the first hundred, of which later ones take the place of some, so that they
 * come from all of the log. It costs as much as matching the first 64 MiB once more, and little after that.
 */
export class UnmatchedSample {
  readonly lines: UnmatchedLine[] = [];
  readonly #matcher: Matcher;
  readonly #now: number;
  readonly #matches = new Int32Array(LINES_AT_ONCE);
  /** Bytes until the next piece is looked at. */
  #skip = 0;
  #seen = 0;
  #found = 0;
  /** The line that has begun in what was looked at last; null where its beginning was not. */
  #begun: Buffer | null = Buffer.alloc(0);

  /** Lines whose match has expired at `now` are unmatched. */
  constructor(matcher: Matcher, now: number) {
    this.#matcher = matcher;
    this.#now = now;
  }

  /** Looks at the next chunk of the log. It can be interrupted after each step. */
  *add(chunk: Buffer): Generator<undefined, void, undefined> {
    this.#seen += chunk.length;
    if (this.#skip > 0) {
      this.#skip -= chunk.length;
      return;
    }
    const isWhole = this.lines.length < MAX_LINES && this.#seen <= SEARCHED_WHOLE;
    // All of it is of a line whose beginning was not looked at.
    if (this.#begun === null && !chunk.includes(LF)) return;
    const text = this.#begun === null ? chunk.subarray(chunk.indexOf(LF) + 1) : Buffer.concat([this.#begun, chunk]);
    const end = text.lastIndexOf(LF, isWhole ? text.length - 1 : PIECE) + 1;
    yield* this.#search(text.subarray(0, end));
    this.#begun = isWhole && text.length - end <= PIECE ? Buffer.from(text.subarray(end)) : null;
    if (!isWhole) this.#skip = BETWEEN_PIECES;
  }

  /** Looks at the last line of the log, which may lack its end. */
  *end(): Generator<undefined, void, undefined> {
    if (this.#begun !== null && this.#begun.length > 0)
      yield* this.#search(Buffer.concat([this.#begun, Buffer.of(LF)]));
  }

  *#search(text: Buffer): Generator<undefined, void, undefined> {
    for (let at = 0; at < text.length;) {
      const { lines, next } = this.#matcher.identifyBufferInto(text, this.#matches, at, this.#now);
      for (let line = 0; line < lines; line++) {
        const end = text.indexOf(LF, at);
        if (this.#matches[line]! <= 0) this.#take(text, at, end, this.#matches[line] === 0);
        at = end + 1;
      }
      at = next;
      yield;
    }
  }

  /**
   * The n-th line that is found gets a place with the chance that all others before it have kept theirs (Vitter's
   * algorithm R).
   */
  #take(text: Buffer, from: number, end: number, hasAddress: boolean): void {
    const place = this.#found < MAX_LINES ? this.#found : Math.floor(Math.random() * (this.#found + 1));
    this.#found++;
    if (place >= MAX_LINES) return;
    const line = text.toString("utf8", from, Math.min(end, from + MAX_BYTES)).replace(/\r$/, "");
    this.lines[place] = {
      text: line.length > MAX_CHARACTERS ? `${line.slice(0, MAX_CHARACTERS)}…` : line,
      has_address: hasAddress,
    };
  }
}
