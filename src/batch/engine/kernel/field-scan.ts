import type { Kernel } from "../../../kernel/kernel.ts";
import { MEMBER_BYTES } from "../../../kernel/workspace.ts";
import { textAfterQuotes } from "../../lines/csv-records.ts";
import { withoutCarriageReturn } from "../../lines/end-of-line.ts";
import { fieldAddress } from "../../lines/fields/field-address.ts";
import type { FieldSpan, FieldSpec, LocateField } from "../../lines/fields/field-spec.ts";
import { locateField } from "../../lines/fields/locate-field.ts";
import { createFound } from "../../lines/find-address.ts";
import type { Lines } from "../line-engine.ts";

const QUOTE = 0x22;
const COMMA = 0x2c;
const TAB = 0x09;

/** A field that the kernel can find. */
export type ScannedField = Exclude<FieldSpec, { readonly syntax: "keys" }>;

export function isScannedField(field: FieldSpec): field is ScannedField {
  if (field.syntax === "jsonl") return Buffer.byteLength(field.member) <= MEMBER_BYTES;
  return field.syntax === "csv" || field.syntax === "tsv";
}

/** Finds the first addresses of a field in chunks of lines: the kernel does most, the reference the rest. */
export class FieldScan {
  readonly field: ScannedField;
  readonly #kernel: Kernel;
  readonly #locate: LocateField;
  readonly #found = createFound();
  readonly #span: FieldSpan = { bytes: Buffer.alloc(0), start: 0, end: 0 };
  /** Whether the lines are comma-separated values with a quote. */
  #isQuoted = false;
  /** Lines of the chunk with text behind a closing quote, and where that is, in bytes from 1. */
  readonly broken: { line: number; column: number }[] = [];

  constructor(kernel: Kernel, field: ScannedField) {
    this.#kernel = kernel;
    this.field = field;
    this.#locate = locateField(field);
    if (field.syntax === "jsonl") kernel.useMember(Buffer.from(field.member));
  }

  /** Must be called before lines are scanned. */
  prepare({ bytes, start, end }: Lines): void {
    this.#isQuoted = this.field.syntax === "csv" && bytes.subarray(start, end).includes(QUOTE);
  }

  /**
   * As `Kernel.scanChunk`; `at` and `end` are addresses in the text `lines`. Returns `at` if a record of several lines
   * begins there, which the kernel cannot read.
   */
  scan(at: number, end: number, lines: Lines): number {
    const kernel = this.#kernel;
    this.broken.length = 0;
    const next = this.#scanChunk(at, end);
    for (let index = 0, { undecidedCount } = kernel; index < undecidedCount; index++)
      this.#decide(kernel.undecided[index]!, lines);
    return next;
  }

  #scanChunk(at: number, end: number): number {
    const { field } = this;
    if (field.syntax === "jsonl") return this.#kernel.scanMember(at, end);
    if (this.#isQuoted) return this.#kernel.scanQuotedColumn(at, end, field.column);
    return this.#kernel.scanColumn(at, end, field.syntax === "csv" ? COMMA : TAB, field.column);
  }

  #decide(line: number, { bytes, address }: Lines): void {
    const span = this.#span;
    const start = this.#kernel.lineStarts[line]! - address!;
    const end = this.#kernel.lineStarts[line + 1]! - 1 - address!;
    const lineEnd = withoutCarriageReturn(bytes, start, end);
    const stop = this.#isQuoted ? textAfterQuotes(bytes, start, lineEnd) : -1;
    if (stop >= 0) return void this.broken.push({ line, column: stop - start + 1 });
    if (!this.#locate(bytes, start, lineEnd, span)) return;
    const family = fieldAddress(span.bytes, span.start, span.end, "first", this.#found);
    if (family !== 0) this.#kernel.addFound(line, family, this.#found);
  }
}
