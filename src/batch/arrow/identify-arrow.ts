import {
  AsyncByteQueue,
  Field,
  makeData,
  RecordBatch,
  RecordBatchReader,
  RecordBatchStreamWriter,
  Schema,
  Struct,
} from "apache-arrow";
import type { Writable } from "node:stream";
import type { Snapshot } from "../../snapshot/snapshot.ts";
import { BatchError } from "../batch-error.ts";
import type { Engine } from "../engine/engine.ts";
import type { AddressChoice } from "../lines/fields/field-address.ts";
import { openInput } from "../input/open-input.ts";
import { Matcher } from "../engine/matcher.ts";
import { openOutput, type RowOutput } from "../output/open-output.ts";
import { OutputClosed } from "../output/output-closed.ts";
import { type BatchAddresses, batchAddresses } from "./_batch-addresses.ts";
import { columnTexts, hasTexts } from "./_column-texts.ts";
import { ipcMessages } from "./_ipc-messages.ts";
import { resultWriter, type ResultWriter } from "./_result-data.ts";
import type { ResultColumn } from "./result-column.ts";

export interface IdentifyArrowOptions {
  readonly snapshot: Snapshot;
  /** What is added to the columns of the input. */
  readonly columns: readonly ResultColumn[];
  /** A path, or "-" for standard input. */
  readonly input: string;
  readonly output: Writable | { readonly path: string };
  /** The column of the address: its name, or its number from 1; default: the only column of text. */
  readonly field?: string | number;
  readonly address: AddressChoice;
  readonly engine: Engine;
  /** Entries that have expired at this time are skipped. */
  readonly now: number;
  readonly signal: AbortSignal;
}

export interface IdentifyArrowResult {
  rows: number;
  /** Rows with an address. */
  addresses: number;
  /** Rows with an address that a prefix covers. */
  matched: number;
}

/**
 * Identifies the addresses in a column of an Arrow IPC stream, and writes the same stream with more columns, a batch for
 * each batch. The batch is written before the next one is read, so that a program can wait for the answer to each.
 * Memory: a batch and what is written of it.
 * @throws BatchError for an input, output or column that cannot be used; the signal's reason when aborted
 */
export async function identifyArrow(options: IdentifyArrowOptions): Promise<IdentifyArrowResult> {
  const input = await openInput(options.input, options.signal, () => {});
  const output = await openOutput(options.output, options.signal);
  const result: IdentifyArrowResult = { rows: 0, addresses: 0, matched: 0 };
  try {
    await identifyStream(options, ipcMessages(input.chunks(), input.name), output, result);
    await output.finish();
  } catch (error) {
    await output.discard();
    if (!(error instanceof OutputClosed)) throw error;
  }
  return result;
}

async function identifyStream(
  { snapshot, columns, input, field, address, engine, now, signal }: IdentifyArrowOptions,
  messages: AsyncIterable<Uint8Array>,
  output: RowOutput,
  result: IdentifyArrowResult,
): Promise<void> {
  const reader = await decoding(input, async () => (await RecordBatchReader.from(messages)).open());
  const at = addressColumn(reader.schema, field, input);
  const writers = columns.map((column) => resultWriter(column, snapshot.table));
  const schema = schemaWith(reader.schema, writers, input);
  const matcher = new Matcher(snapshot, { engine });
  const sink = new CollectingSink();
  const stream = new RecordBatchStreamWriter({ autoDestroy: false }).reset(sink, schema);
  for (;;) {
    await output.write(sink.take());
    signal.throwIfAborted();
    const { done, value: batch } = await decoding(input, () => reader.next());
    if (done === true) break;
    await decoding(input, async () => {
      const column = batch.data.children[at]!;
      const found = batchAddresses(columnTexts(column), column.length, address, matcher, now);
      stream.write(withColumns(batch, schema, writers, found));
      count(found, result);
    });
  }
  stream.finish();
  await output.write(sink.take());
}

/** apache-arrow throws errors of many kinds at bytes that it cannot decode. */
async function decoding<Result>(file: string, decode: () => Promise<Result>): Promise<Result> {
  try {
    return await decode();
  } catch (cause) {
    // Anything that is not an error is the reason of a signal.
    if (cause instanceof BatchError || !(cause instanceof Error) || cause.name === "AbortError") throw cause;
    const cure = "write it again, with columns that are not compressed";
    throw new BatchError("stream-corrupt", `the Arrow stream cannot be read (${cause.message}); ${cure}`, {
      file,
      cause,
    });
  }
}

function addressColumn({ fields }: Schema, wanted: string | number | undefined, file: string): number {
  const names = fields.map(({ name }) => JSON.stringify(name)).join(", ");
  if (wanted === undefined) {
    const texts = fields.filter(({ type }) => hasTexts(type));
    if (texts.length === 1) return fields.indexOf(texts[0]!);
    const what = texts.length === 0 ? "no column is text" : "several columns are text";
    throw new BatchError("field-unusable", `${what}; name the one with addresses by --field: ${names}`, { file });
  }
  const index = typeof wanted === "number" ? wanted - 1 : fields.findIndex(({ name }) => name === wanted);
  const field = fields[index];
  if (field === undefined)
    throw new BatchError("field-missing", `there is no column ${JSON.stringify(wanted)}; the columns are ${names}`, {
      file,
    });
  if (hasTexts(field.type)) return index;
  const what = `column ${JSON.stringify(field.name)} is ${field.type}, not text`;
  throw new BatchError("field-unusable", `${what}; write addresses as strings`, { file });
}

function schemaWith(schema: Schema, writers: readonly ResultWriter[], file: string): Schema {
  for (const { field } of writers)
    if (schema.fields.some(({ name }) => name === field.name))
      throw new BatchError(
        "member-exists",
        `the stream already has a column ${JSON.stringify(field.name)}, which would be added; rename it`,
        { file },
      );
  return new Schema([...schema.fields, ...writers.map(({ field }) => field)], schema.metadata);
}

function withColumns(
  batch: RecordBatch,
  schema: Schema,
  writers: readonly ResultWriter[],
  found: BatchAddresses,
): RecordBatch {
  const children = [...batch.data.children, ...writers.map((writer) => writer.write(found))];
  return new RecordBatch(
    schema,
    makeData({ type: new Struct(schema.fields as Field[]), length: batch.numRows, nullCount: 0, children }),
  );
}

function count({ rows, matches }: BatchAddresses, result: IdentifyArrowResult): void {
  result.rows += rows;
  for (const match of matches) {
    if (match >= 0) result.addresses++;
    if (match > 0) result.matched++;
  }
}

/** What the writer of a stream has made since the last call of `take`. */
class CollectingSink extends AsyncByteQueue {
  #parts: Uint8Array[] = [];

  override write(bytes: Uint8Array): void {
    this.#parts.push(bytes);
  }

  take(): Buffer {
    const bytes = Buffer.concat(this.#parts);
    this.#parts = [];
    return bytes;
  }
}
