import type { Kernel } from "../kernel/kernel.ts";
import type { LineCounts, LineEngine, Lines, RowSpace } from "./_line-engine.ts";
import type { FieldSpec } from "./fields/field-spec.ts";

/** The engine for whole lines that lie in the memory of the snapshot: native code does all but making templates. */
export class KernelEngine implements LineEngine {
  readonly #kernel: Kernel;

  /** `counters` is the address of this thread's counters by match id; null: they are not wanted. */
  constructor(kernel: Kernel, counters: number | null) {
    this.#kernel = kernel;
    kernel.countMatches(counters ?? 0);
  }

  run(lines: Lines, _field: FieldSpec | null, rows: RowSpace | null, counts: LineCounts): number {
    if (rows !== null) return lines.start;
    const counted = this.#kernel.countLines(lines.address! + lines.start, lines.address! + lines.end);
    counts.lines += counted.lines;
    counts.addresses += counted.addresses;
    counts.matched += counted.matched;
    return lines.end;
  }
}
