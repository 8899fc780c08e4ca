import { LineCounts } from "../engine/line-engine.ts";
import type { IdentifyOptions } from "../identify-options.ts";
import type { OpenInput } from "../input/input.ts";
import { openInput } from "../input/open-input.ts";
import { recordLines } from "../input/json-records.ts";
import { type LineSurvey, surveyLines } from "../input/survey-lines.ts";
import { HeaderRows } from "../output/header-rows.ts";
import { ROW_COLUMNS } from "../../rows/row-columns.ts";
import { shardsOf } from "./_cut-shards.ts";
import type { PlannedShard, ShardSizes } from "./_text-buffer.ts";
import type { RunTotals } from "./_run-totals.ts";
import type { Stop } from "./_stop.ts";
import type { ShardFailure, ShardResult } from "../engine/messages.ts";

/** An open input: the result for its header, the number of its first line, and its shards. */
export interface InputShards {
  readonly header: ShardResult;
  readonly firstLine: number;
  readonly shards: AsyncGenerator<PlannedShard>;
}

/** Opens inputs, examines their lines, and cuts them into shards. */
export class ShardSource {
  readonly #options: IdentifyOptions;
  readonly #sizes: ShardSizes;
  readonly #totals: RunTotals;
  readonly #stop: Stop;
  readonly #headers: HeaderRows;
  readonly #files: (OpenInput & { kind: "file" })[] = [];

  /** `appendAs` is the name of the column that "append" adds. */
  constructor(options: IdentifyOptions, appendAs: string, sizes: ShardSizes, totals: RunTotals, stop: Stop) {
    this.#options = options;
    this.#sizes = sizes;
    this.#totals = totals;
    this.#stop = stop;
    this.#headers = new HeaderRows(
      options.format,
      appendAs,
      columnsOf(options),
      labelsOf(options),
      options.chosenColumns,
    );
  }

  async open(input: IdentifyOptions["inputs"][number]): Promise<InputShards> {
    const open = await openInput(input, this.#stop.signal, (bytes) => (this.#totals.bytesRead += bytes));
    if (open.kind === "file") this.#files.push(open);
    if (open.kind === "file" && this.#stop.isStopped) open.close(); // no one waits for it any more
    const survey = await surveyLines(open, this.#options);
    const { shape, headerLines, from, json, repeated, isEmpty } = survey;
    if (repeated !== null) this.#totals.repeatedAddress ??= { file: open.name, address: repeated };
    if (isEmpty) this.#totals.emptyInputs.push(open.name);
    const records =
      json === null
        ? open
        : { ...open, kind: "stream" as const, chunks: () => recordLines(open.chunks(), json, open.name) };
    const header = { ...NOTHING, textLines: headerLines, ...rowPart(this.#headerRow(open, survey)) };
    if (open.kind === "file" && json === null) this.#totals.bytesRead += from;
    return {
      header,
      firstLine: headerLines + 1,
      shards: shardsOf(records, shape, json === null ? from : 0, this.#sizes),
    };
  }

  #headerRow({ name }: OpenInput, { header, shape }: LineSurvey): Buffer | null {
    return header === null ? null : this.#headers.rowOf(header, shape, name);
  }

  /** Closes the files that are still open. */
  close(): void {
    for (const file of this.#files) file.close();
  }
}

/** With several snapshots, each column is named after its snapshot. */
function columnsOf(options: IdentifyOptions): string[] | undefined {
  const { further = [] } = options;
  const all = [options, ...further].map(({ columns = ROW_COLUMNS.slice(1) }) => columns);
  if (further.length === 0) return [...all[0]!];
  return labelsOf(options).flatMap((label, index) => all[index]!.map((column) => `${label}.${column}`));
}

/** None for a run with one snapshot. */
function labelsOf({ snapshot, label = snapshot.info.kind, further = [] }: IdentifyOptions): string[] {
  return further.length === 0 ? [] : [label, ...further.map((one) => one.label)];
}

const NOTHING: ShardResult = { ...new LineCounts(), times: [], next: null, rows: null, rowBytes: 0, failure: null };

/** The result for a line that cannot be read. */
export function failedResult(failure: ShardFailure): ShardResult {
  return { ...NOTHING, failure };
}

/** The part of a result that writes this row. */
function rowPart(row: Buffer | null): Pick<ShardResult, "rows" | "rowBytes"> {
  if (row === null) return { rows: null, rowBytes: 0 };
  const buffer = new SharedArrayBuffer(row.length);
  row.copy(Buffer.from(buffer));
  return { rows: { buffer, at: 0, byteLength: row.length }, rowBytes: row.length };
}
