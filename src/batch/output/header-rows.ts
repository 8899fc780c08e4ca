import { csvField } from "../../csv/write-row.ts";
import { BatchError } from "../batch-error.ts";
import type { RowFormat } from "../../rows/row-format.ts";
import { skipMark } from "../lines/byte-order-mark.ts";
import type { LineShape } from "../lines/line-shape.ts";

/** The headers of the rows: one for all inputs that have a header. */
export class HeaderRows {
  readonly #format: RowFormat | "none";
  readonly #appendAs: string;
  #first: { readonly header: Buffer; readonly name: string } | null = null;

  /** `appendAs` is the name of the column that "append" adds. */
  constructor(format: RowFormat | "none", appendAs: string) {
    this.#format = format;
    this.#appendAs = appendAs;
  }

  /**
   * The row that stands for the header of an input, null if it has none: a further input goes on below the header of
   * the first. Throws BatchError where its columns are others and would stand below the wrong names.
   */
  rowOf(header: Buffer, shape: LineShape, name: string): Buffer | null {
    const isFirst = this.#first === null;
    this.#first ??= { header, name };
    if (this.#format === "append" && !isFirst && !withoutMark(header).equals(withoutMark(this.#first.header))) {
      throw new BatchError(
        "header-differs",
        `its header differs from that of ${this.#first.name}, so they cannot be combined into one table; process them one by one`,
        { file: name, line: 1 },
      );
    }
    return isFirst ? this.#row(header, shape) : null;
  }

  #row(header: Buffer, shape: LineShape): Buffer | null {
    if (this.#format === "tsv") return Buffer.from("ip\tcidr\tcbs_ids\n");
    if (this.#format === "csv") return Buffer.from("ip,cidr,cbs_ids\n");
    if (this.#format !== "append") return null;
    const isCsv = shape.append === "append-csv";
    const name = isCsv ? csvField(this.#appendAs) : this.#appendAs;
    return Buffer.concat([header, Buffer.from(`${isCsv ? "," : "\t"}${name}\n`)]);
  }
}

function withoutMark(header: Buffer): Buffer {
  return header.subarray(skipMark(header, 0, header.length));
}
