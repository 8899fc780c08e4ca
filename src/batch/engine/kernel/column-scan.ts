import type { Kernel } from "../../../kernel/kernel.ts";
import { withoutCarriageReturn } from "../../lines/end-of-line.ts";
import { fieldAddress } from "../../lines/fields/field-address.ts";
import type { FieldSpan, FieldSpec, LocateField } from "../../lines/fields/field-spec.ts";
import { locateField } from "../../lines/fields/locate-field.ts";
import { createFound } from "../../lines/find-address.ts";
import type { Lines } from "../line-engine.ts";

const DELIMITERS = { csv: 0x2c, tsv: 0x09 } as const;

/** A column that the kernel can cut: it knows no quotes. */
export type ColumnSpec = FieldSpec & { readonly syntax: keyof typeof DELIMITERS };

export function isColumn(field: FieldSpec | null): field is ColumnSpec {
  return field !== null && Object.hasOwn(DELIMITERS, field.syntax);
}

/** Finds the first addresses of a column in chunks of lines: the kernel does most, the reference the rest. */
export class ColumnScan {
  readonly field: ColumnSpec;
  readonly #kernel: Kernel;
  readonly #locate: LocateField;
  readonly #found = createFound();
  readonly #span: FieldSpan = { bytes: Buffer.alloc(0), start: 0, end: 0 };

  constructor(kernel: Kernel, field: ColumnSpec) {
    this.#kernel = kernel;
    this.field = field;
    this.#locate = locateField(field);
  }

  /** As `Kernel.scanChunk`; `at` and `end` are addresses in the text `lines`. */
  scan(at: number, end: number, lines: Lines): number {
    const kernel = this.#kernel;
    const next = kernel.scanColumn(at, end, DELIMITERS[this.field.syntax], this.field.column);
    for (let index = 0, { undecidedCount } = kernel; index < undecidedCount; index++)
      this.#decide(kernel.undecided[index]!, lines);
    return next;
  }

  #decide(line: number, { bytes, address }: Lines): void {
    const span = this.#span;
    const start = this.#kernel.lineStarts[line]! - address!;
    const end = this.#kernel.lineStarts[line + 1]! - 1 - address!;
    if (!this.#locate(bytes, start, withoutCarriageReturn(bytes, start, end), span)) return;
    const family = fieldAddress(span.bytes, span.start, span.end, "first", this.#found);
    if (family !== 0) this.#kernel.addFound(line, family, this.#found);
  }
}
