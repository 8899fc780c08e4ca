import type { IncomingHttpHeaders } from "node:http";

/** What ends the head of a request. */
const EMPTY_LINE = "\r\n\r\n";
const [CR, LF] = [0x0d, 0x0a];

/** What the next byte belongs to: within a chunked body, a chunk with its line end, the line of a size, or trailers. */
type Part = "head" | "body" | "chunk" | "size" | "trailers";

/**
 * Finds the ends of successive requests of a connection (RFC 9112, sections 2.2, 6 and 7.1): a parser that is given
 * bytes up to each of them never gets two requests at once. It checks nothing: what is malformed may end elsewhere, as
 * the parser rejects it. Time: O(bytes), for bodies of known length and for chunks O(1).
 */
export class RequestBounds {
  #part: Part = "head";
  /** Bytes until the end of the body, or of the chunk. */
  #left = 0;
  /** The end of the unfinished head: its empty line may come in two pieces. Empty before the first byte of a head. */
  #tail = "";
  #size = 0;
  /** Whether digits of the size may follow. */
  #isInSize = true;
  #isLineEmpty = true;

  /** What follows the head. Call once the parser has read it. */
  begin({ "content-length": length, "transfer-encoding": coding }: IncomingHttpHeaders): void {
    this.#left = coding === undefined ? Number(length ?? 0) : 0;
    this.#part = coding !== undefined ? "size" : this.#left > 0 ? "body" : "head";
  }

  /** The end of what belongs to the head, or to the body, that `at` is in. The end of the bytes if it ends later. */
  endOf(bytes: Buffer, at: number): number {
    if (this.#part === "head") return this.#endOfHead(bytes, at);
    if (this.#part === "body") return this.#skip(bytes, at, "head");
    for (let position = at; position < bytes.length;) {
      if (this.#part === "chunk") position = this.#skip(bytes, position, "size");
      else if (this.#readByte(bytes[position++]!)) return position;
    }
    return bytes.length;
  }

  #endOfHead(bytes: Buffer, at: number): number {
    let start = at;
    // Parsers skip empty lines before a request.
    if (this.#tail === "") while (bytes[start] === CR || bytes[start] === LF) start++;
    if (start === bytes.length) return start;
    const tail = this.#tail;
    this.#tail = "";
    const across = (tail + bytes.toString("latin1", start, start + EMPTY_LINE.length - 1)).indexOf(EMPTY_LINE);
    if (across >= 0) return start + across + EMPTY_LINE.length - tail.length;
    const found = bytes.indexOf(EMPTY_LINE, start, "latin1");
    if (found >= 0) return found + EMPTY_LINE.length;
    this.#tail = (tail + bytes.toString("latin1", Math.max(start, bytes.length - 3))).slice(1 - EMPTY_LINE.length);
    return bytes.length;
  }

  #skip(bytes: Buffer, at: number, next: Part): number {
    const end = Math.min(at + this.#left, bytes.length);
    this.#left -= end - at;
    if (this.#left === 0) this.#part = next;
    return end;
  }

  /** Reads a byte of a chunked body outside its chunks. Returns whether the body ends with it. */
  #readByte(byte: number): boolean {
    if (byte === LF) return this.#endLine();
    if (this.#part === "trailers") this.#isLineEmpty &&= byte === CR;
    else if (this.#isInSize) {
      const digit = Number.parseInt(String.fromCharCode(byte), 16);
      if (Number.isNaN(digit)) this.#isInSize = false;
      else this.#size = this.#size * 16 + digit;
    }
    return false;
  }

  #endLine(): boolean {
    const isEnd = this.#part === "trailers" && this.#isLineEmpty;
    if (isEnd) this.#part = "head";
    else if (this.#part === "size") {
      this.#part = this.#size === 0 ? "trailers" : "chunk";
      this.#left = this.#size + "\r\n".length;
    }
    this.#size = 0;
    this.#isInSize = this.#isLineEmpty = true;
    return isEnd;
  }
}
