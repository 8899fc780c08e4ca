import type { Kernel } from "../../../kernel/kernel.ts";
import { LINE_ENTRIES, TEXT_SLACK } from "../../../kernel/workspace.ts";
import type { MatchId } from "../../../table/match-id.ts";
import type { TailWriter } from "../create-row-templates.ts";
import type { Matcher } from "../matcher.ts";
import type { SharedBytes } from "../messages.ts";

/** The area of a thread: enough for the texts of all networks of the internet. */
export const TAIL_BYTES: number = 6 << 20;
/** With less than this, texts are forgotten before the next chunk, whose texts are then in one area. */
const ROOM = 256 << 10;

/**
 * The ends of the kernel's rows: for each line of a chunk the text of its match in the snapshot beside the run's. The
 * kernel copies it over the newline of the row, so that rows need no template for each pair of matches. A text is
 * written when it is first needed; matches with the same key share it.
 */
export class RowTails {
  readonly #matcher: Matcher;
  readonly #writer: TailWriter;
  readonly #now: number;
  /** The area for texts, and its address. */
  readonly #area: Uint8Array;
  readonly #areaAt: number;
  #filled = 0;
  /** By match, and by key: the address of the text, 0 while there is none. */
  readonly #textOf: Uint32Array;
  readonly #textOfKey: Uint32Array;
  readonly #matches = new Uint32Array(LINE_ENTRIES);

  /** `area` is this thread's, in the kernel's memory `buffer`. */
  constructor(matcher: Matcher, writer: TailWriter, now: number, buffer: SharedArrayBuffer, area: SharedBytes) {
    this.#matcher = matcher;
    this.#writer = writer;
    this.#now = now;
    this.#areaAt = area.at;
    this.#area = new Uint8Array(buffer, area.at, area.byteLength - TEXT_SLACK);
    this.#textOf = new Uint32Array(matcher.table.matchCount + 1);
    this.#textOfKey = new Uint32Array(writer.keyCount);
  }

  /** Finds the texts of the kernel's chunk. False if they do not fit into the area. */
  find(kernel: Kernel): boolean {
    const { tails, words4, lines4, count4, words6, lines6, count6, chunkLines } = kernel;
    if (this.#filled > this.#area.length - ROOM) this.#forget();
    if (count4 + count6 !== chunkLines) {
      const none = this.#textOf[0]! || this.#write(0);
      if (none === 0) return false;
      tails.fill(none, 0, chunkLines);
    }
    this.#matcher.lookupBatchInto(4, words4, this.#matches, count4, this.#now);
    if (!this.#place(tails, lines4, count4)) return false;
    if (count6 === 0) return true;
    this.#matcher.lookupBatchInto(6, words6, this.#matches, count6, this.#now);
    return this.#place(tails, lines6, count6);
  }

  #place(tails: Uint32Array, lines: Uint32Array, count: number): boolean {
    const [matches, textOf] = [this.#matches, this.#textOf];
    for (let index = 0; index < count; index++) {
      const match = matches[index]!;
      const text = textOf[match]! || this.#write(match);
      if (text === 0) return false;
      tails[lines[index]!] = text;
    }
    return true;
  }

  /** The address of the text of a match that has none; 0 if there is no room for it. */
  #write(match: number): number {
    const key = this.#writer.keyOf(match as MatchId);
    let text = this.#textOfKey[key]!;
    if (text === 0) {
      const end = this.#writer.write(key, this.#area, this.#filled);
      if (end < 0) return 0;
      text = this.#areaAt + this.#filled;
      this.#filled = end;
      this.#textOfKey[key] = text;
    }
    this.#textOf[match] = text;
    return text;
  }

  #forget(): void {
    this.#textOf.fill(0);
    this.#textOfKey.fill(0);
    this.#filled = 0;
  }
}
