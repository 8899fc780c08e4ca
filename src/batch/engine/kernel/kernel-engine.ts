import type { Kernel } from "../../../kernel/kernel.ts";
import type { AddressCounter } from "../address-counter.ts";
import type { KernelTemplates } from "./kernel-templates.ts";
import type { LineCounts, LineEngine, Lines, RowSpace } from "../line-engine.ts";
import type { MatchJoiner } from "../match-joiner.ts";
import { SLACK } from "../thread-sizes.ts";
import type { LineShape } from "../../lines/line-shape.ts";

/** This thread's counters by match id: where they lie in the memory, and what they are. */
export interface MatchCounters {
  readonly address: number;
  readonly counts: Float64Array;
}

/**
 * The engine for whole lines of text that lie in the memory of the snapshot: native code does all but making templates
 * and counting by address.
 */
export class KernelEngine implements LineEngine {
  readonly #kernel: Kernel;
  readonly #perMatch: MatchCounters | null;
  readonly #templates: KernelTemplates | null;
  readonly #counter: AddressCounter | null;
  readonly #joiner: MatchJoiner | null;

  /** `perMatch` and `counter` are null where they are not wanted; `templates` are for rows. */
  constructor(
    kernel: Kernel,
    perMatch: MatchCounters | null,
    templates: KernelTemplates | null,
    counter: AddressCounter | null,
    joiner: MatchJoiner | null,
  ) {
    this.#kernel = kernel;
    this.#perMatch = perMatch;
    this.#templates = templates;
    this.#counter = counter;
    this.#joiner = joiner;
    if (templates !== null) joiner?.onForget(() => templates.forget());
    kernel.countMatches(perMatch?.address ?? 0);
  }

  run(lines: Lines, _shape: LineShape, rows: RowSpace | null, counts: LineCounts): number {
    const address = lines.address!;
    if (rows === null) {
      if (this.#counter !== null || this.#joiner !== null)
        this.#countByAddress(address + lines.start, address + lines.end, counts);
      else add(counts, this.#kernel.countLines(address + lines.start, address + lines.end));
      return lines.end;
    }
    if (rows.place.buffer !== null) return lines.start;
    const next = this.#writeRows(address + lines.start, address + lines.end, rows, lines.firstLine) - address;
    add(counts, this.#kernel.takeCounts());
    return Math.min(next, lines.end);
  }

  /** How many LFs are in `bytes[start, end)`. */
  countNewlines({ address, start, end }: Lines): number {
    return this.#kernel.countNewlines(address! + start, address! + end);
  }

  /**
   * Returns the address of the first line that is not done: its row does not fit, or has a template that is too long.
   */
  #writeRows(at: number, end: number, rows: RowSpace, firstLine: number): number {
    const kernel = this.#kernel;
    const place = rows.place.at;
    const placeEnd = place + rows.place.byteLength - SLACK;
    let number = firstLine;
    while (at < end) {
      const next = kernel.scanChunk(at, end);
      kernel.lookupChunk();
      this.#joiner?.joinChunk(kernel);
      if (!this.#templates!.complete()) return at;
      kernel.numberLines(number);
      rows.filled = kernel.writeRows(place + rows.filled, placeEnd) - place;
      const written = kernel.writtenLines;
      if (this.#counter !== null) this.#addAddresses(written);
      if (written < kernel.chunkLines) return kernel.lineStarts[written]!;
      number += written;
      at = next;
    }
    return at;
  }

  /** Counting without rows, where each address is wanted as well, or its matches in several snapshots. */
  #countByAddress(at: number, end: number, counts: LineCounts): void {
    const kernel = this.#kernel;
    const perMatch = this.#perMatch?.counts;
    while (at < end) {
      const next = kernel.scanChunk(at, end);
      kernel.lookupChunk();
      this.#joiner?.joinChunk(kernel);
      const lines = kernel.chunkLines;
      if (this.#counter !== null) this.#addAddresses(lines);
      for (let line = 0; line < lines; line++) {
        const match = kernel.matches[line]!;
        if (match < 0) continue;
        counts.addresses++;
        if (match > 0) counts.matched++;
        if (perMatch !== undefined) perMatch[match]!++;
      }
      counts.lines += lines;
      counts.textLines += lines;
      at = next;
    }
  }

  /** Counts the addresses of the first lines of the chunk. */
  #addAddresses(lines: number): void {
    const { words4, lines4, count4, words6, lines6, count6 } = this.#kernel;
    const counter = this.#counter!;
    for (let index = 0; index < count4; index++) if (lines4[index]! < lines) counter.add(4, words4, index);
    for (let index = 0; index < count6; index++) if (lines6[index]! < lines) counter.add(6, words6, 4 * index);
  }
}

function add(
  counts: LineCounts,
  more: { readonly lines: number; readonly addresses: number; readonly matched: number },
): void {
  counts.lines += more.lines;
  counts.textLines += more.lines;
  counts.addresses += more.addresses;
  counts.matched += more.matched;
}
