import type { Kernel } from "../kernel/kernel.ts";
import type { LineCounts, LineEngine, Lines, RowSpace } from "./_line-engine.ts";
import type { KernelTemplates } from "./_kernel-templates.ts";
import { SLACK } from "./_thread-sizes.ts";
import type { FieldSpec } from "./fields/field-spec.ts";

/** The engine for whole lines that lie in the memory of the snapshot: native code does all but making templates. */
export class KernelEngine implements LineEngine {
  readonly #kernel: Kernel;
  readonly #templates: KernelTemplates | null;

  /** `counters` is the address of this thread's counters by match id, null where they are not wanted; `templates` are for rows. */
  constructor(kernel: Kernel, counters: number | null, templates: KernelTemplates | null) {
    this.#kernel = kernel;
    this.#templates = templates;
    kernel.countMatches(counters ?? 0);
  }

  run(lines: Lines, _field: FieldSpec | null, rows: RowSpace | null, counts: LineCounts): number {
    const address = lines.address!;
    if (rows === null) {
      add(counts, this.#kernel.countLines(address + lines.start, address + lines.end));
      return lines.end;
    }
    if (rows.place.buffer !== null) return lines.start;
    const next = this.#writeRows(address + lines.start, address + lines.end, rows) - address;
    add(counts, this.#kernel.takeCounts());
    return Math.min(next, lines.end);
  }

  /** Returns the address of the first line that is not done: its row does not fit, or has a template that is too long. */
  #writeRows(at: number, end: number, rows: RowSpace): number {
    const kernel = this.#kernel;
    const place = rows.place.at;
    const placeEnd = place + rows.place.byteLength - SLACK;
    while (at < end) {
      const next = kernel.scanChunk(at, end);
      kernel.lookupChunk();
      if (!this.#templates!.complete()) return at;
      rows.filled = kernel.writeRows(place + rows.filled, placeEnd) - place;
      if (kernel.writtenLines < kernel.chunkLines) return kernel.lineStarts[kernel.writtenLines]!;
      at = next;
    }
    return at;
  }
}

function add(counts: LineCounts, more: Readonly<LineCounts>): void {
  counts.lines += more.lines;
  counts.addresses += more.addresses;
  counts.matched += more.matched;
}
