import { csvField, csvRow } from "../../csv/write-row.ts";
import { BatchError } from "../batch-error.ts";
import { ROW_COLUMNS } from "../../rows/row-columns.ts";
import type { RowFormat } from "../../rows/row-format.ts";
import { skipMark } from "../lines/byte-order-mark.ts";
import { columnNames } from "../lines/fields/resolve-field.ts";
import type { LineShape } from "../lines/line-shape.ts";

const LF = 0x0a;
const HASH = 0x23;

/** The headers of the rows: one for all inputs that have a header. */
export class HeaderRows {
  readonly #format: RowFormat | "none";
  readonly #appendAs: string;
  readonly #labels: readonly string[];
  readonly #columns: readonly string[];
  /** The columns of rows that were chosen, the address among them or not. */
  readonly #chosen: readonly string[] | null;
  #first: { readonly header: Buffer; readonly name: string } | null = null;

  /**
   * `columns` are those after the address, `appendAs` is the name of the column that "append" adds. With several
   * snapshots, each adds one under its label.
   */
  constructor(
    format: RowFormat | "none",
    appendAs: string,
    columns: readonly string[] = ROW_COLUMNS.slice(1),
    labels: readonly string[] = [],
    chosen: readonly string[] | null = null,
  ) {
    this.#chosen = chosen;
    this.#columns = columns;
    this.#labels = labels;
    this.#format = format;
    this.#appendAs = appendAs;
  }

  /**
   * The output row for the header of an input, null if there is none: a further input continues below the header of the
   * first. Throws BatchError if its columns differ and would be below the wrong names, or one of its columns has the
   * name of one that is added.
   */
  rowOf(header: Buffer, shape: LineShape, name: string): Buffer | null {
    const isFirst = this.#first === null;
    this.#first ??= { header, name };
    if (this.#format === "append" && !isFirst && !withoutFront(header).equals(withoutFront(this.#first.header))) {
      throw new BatchError(
        "header-differs",
        `its header differs from that of ${this.#first.name}, so they cannot be combined into one table; process them one by one`,
        { file: name, line: 1 },
      );
    }
    return isFirst ? this.#row(header, shape, name) : null;
  }

  #row(header: Buffer, shape: LineShape, file: string): Buffer | null {
    const labels = this.#labels;
    const columns = this.#chosen ?? [ROW_COLUMNS[0], ...this.#columns];
    if (this.#format === "tsv")
      return Buffer.from(`${columns.join("	")}
`);
    if (this.#format === "csv") return Buffer.from(csvRow(columns));
    if (this.#format !== "append") return null;
    const isCsv = shape.append === "append-csv";
    const names = this.#chosen ?? (labels.length === 0 ? [this.#appendAs] : labels);
    const cure = this.#chosen !== null ? "--columns" : labels.length === 0 ? "--append-as" : "--snapshot NAME=FILE";
    checkNames(names, columnNames(withoutFront(header).toString(), isCsv ? "csv" : "tsv"), file, cure);
    const added = names.map((name) => (isCsv ? `,${csvField(name)}` : `\t${name}`)).join("");
    return Buffer.concat([header, Buffer.from(`${added}\n`)]);
  }
}

function checkNames(added: readonly string[], columns: readonly string[], file: string, cure: string): void {
  const name = added.find((each) => columns.includes(each));
  if (name === undefined) return;
  throw new BatchError(
    "member-exists",
    `the header already has a column ${JSON.stringify(name)}; rename it, or choose another name for the new one with ${cure}`,
    { file, line: 1 },
  );
}

/** The header without a byte order mark and the comments before it. */
function withoutFront(header: Buffer): Buffer {
  let start = skipMark(header, 0, header.length);
  for (let end: number; header[start] === HASH && (end = header.indexOf(LF, start)) >= 0;) start = end + 1;
  return header.subarray(start);
}
