import type { Matcher } from "../../batch/engine/matcher.ts";

const LF = 0x0a;
const MAX_LINES = 100;
const MAX_CHARACTERS = 500;
/** Lines processed in one step. */
const LINES_AT_ONCE = 4096;
/** The maximum bytes of that many characters in UTF-8. */
const MAX_BYTES = 4 * MAX_CHARACTERS;
/**
 * Bytes that are searched completely, unless enough lines are found earlier; after that, only pieces of the log are
 * searched.
 */
const SEARCHED_WHOLE = 64 << 20;
const PIECE = 64 << 10;
const BETWEEN_PIECES = 4 << 20;

export interface UnmatchedLine {
  /** Cut at 500 characters. */
  readonly text: string;
  /** Whether it contains an address, which belongs to no service. */
  readonly has_address: boolean;
}

/**
 * Some lines of a log that match nothing: the first hundred, some of which are replaced by later ones, so that the
 * sample comes from the whole log. It costs as much as matching the first 64 MiB once more, and little after that.
 */
export class UnmatchedSample {
  readonly lines: UnmatchedLine[] = [];
  readonly #matcher: Matcher;
  readonly #now: number;
  readonly #matches = new Int32Array(LINES_AT_ONCE);
  /** Bytes until the next piece is searched. */
  #skip = 0;
  #seen = 0;
  #found = 0;
  /** The unfinished last line of what was searched; null if its beginning was not searched. */
  #unfinished: Buffer | null = Buffer.alloc(0);

  /** Lines whose match has expired at `now` are unmatched. */
  constructor(matcher: Matcher, now: number) {
    this.#matcher = matcher;
    this.#now = now;
  }

  /** Searches the next chunk of the log. Can be interrupted after each step. */
  *add(chunk: Buffer): Generator<undefined, void, undefined> {
    this.#seen += chunk.length;
    if (this.#skip > 0) {
      this.#skip -= chunk.length;
      return;
    }
    const isWhole = this.lines.length < MAX_LINES && this.#seen <= SEARCHED_WHOLE;
    // All of it belongs to a line whose beginning was not searched.
    if (this.#unfinished === null && !chunk.includes(LF)) return;
    const text =
      this.#unfinished === null ? chunk.subarray(chunk.indexOf(LF) + 1) : Buffer.concat([this.#unfinished, chunk]);
    const end = text.lastIndexOf(LF, isWhole ? text.length - 1 : PIECE) + 1;
    yield* this.#search(text.subarray(0, end));
    this.#unfinished = isWhole && text.length - end <= PIECE ? Buffer.from(text.subarray(end)) : null;
    if (!isWhole) this.#skip = BETWEEN_PIECES;
  }

  /** Searches the last line of the log, which may lack a line break. */
  *end(): Generator<undefined, void, undefined> {
    if (this.#unfinished !== null && this.#unfinished.length > 0)
      yield* this.#search(Buffer.concat([this.#unfinished, Buffer.of(LF)]));
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
   * The n-th line is kept with the probability that every earlier line has of still being kept (Vitter's algorithm R).
   */
  #take(text: Buffer, from: number, end: number, hasAddress: boolean): void {
    const index = this.#found < MAX_LINES ? this.#found : Math.floor(Math.random() * (this.#found + 1));
    this.#found++;
    if (index >= MAX_LINES) return;
    const line = text.toString("utf8", from, Math.min(end, from + MAX_BYTES)).replace(/\r$/, "");
    this.lines[index] = {
      text: line.length > MAX_CHARACTERS ? `${line.slice(0, MAX_CHARACTERS)}…` : line,
      has_address: hasAddress,
    };
  }
}
