import { Message } from "apache-arrow";
import { BatchError } from "../batch-error.ts";
import { areListsPossible } from "./_message-lists.ts";

/** What comes before the length of a message; of length 0, the message is the end of the stream. */
const CONTINUATION = -1;
const PREFIX_BYTES = 8;
const NO_BYTES = new Uint8Array(0);
/** More than this is not the metadata of a message: the stream is corrupt. */
const MAX_METADATA_BYTES = 256 * 1024 * 1024;

/**
 * The messages of an Arrow IPC stream, each whole and in memory of its own, as readers of columns need their bytes
 * aligned. apache-arrow itself takes a stream that was cut between two messages for a complete one, and ignores what
 * follows the end: both would lose rows without a word.
 *
 * @throws BatchError for a stream that is no Arrow IPC stream, is corrupt, or has no end
 */
export async function* ipcMessages(
  chunks: AsyncIterable<Uint8Array>,
  file: string,
): AsyncGenerator<Uint8Array, void, number | undefined> {
  const source = new ByteSource(chunks, file);
  for (;;) {
    const prefix = await source.take(PREFIX_BYTES);
    const metadataBytes = checkedPrefix(prefix, source);
    if (metadataBytes === 0) break;
    const metadata = await source.take(metadataBytes);
    // apache-arrow passes how many bytes it lacks; when a message is read up, it asks for 0 before it returns the batch.
    let lacking = yield joined([prefix, metadata, await source.take(bodyBytes(metadata, source))]);
    while (lacking === 0) lacking = yield NO_BYTES;
  }
  if (!(await source.isAtEnd()))
    throw source.corrupt("data follows the end of the stream; give streams one at a time, not one after the other");
  yield Uint8Array.from([0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0]);
}

/** The length of the metadata: 0 at the end of the stream. */
function checkedPrefix(prefix: Uint8Array, source: ByteSource): number {
  const view = new DataView(prefix.buffer, prefix.byteOffset);
  if (Buffer.from(prefix).toString("latin1").startsWith("ARROW1"))
    throw source.corrupt("this is an Arrow file, and identify reads Arrow streams; write it as an IPC stream");
  const length = view.getInt32(4, true);
  if (view.getInt32(0, true) === CONTINUATION && length >= 0 && length <= MAX_METADATA_BYTES) return length;
  throw source.corrupt(
    source.position === PREFIX_BYTES
      ? "this is not an Arrow IPC stream; for text, choose another --format"
      : `the message at byte ${source.position - PREFIX_BYTES} is corrupt; write the stream again`,
  );
}

function bodyBytes(metadata: Uint8Array, source: ByteSource): number {
  let length: number;
  let unsupported: string | undefined;
  try {
    const message = areListsPossible(metadata) ? Message.decode(metadata) : null;
    length = message !== null && isPossible(message) ? message.bodyLength : -1;
  } catch (error) {
    length = -1;
    unsupported = /^Unrecognized type: "(\w+)"/.exec((error as Error).message)?.[1];
  }
  if (unsupported !== undefined)
    throw source.unsupported(
      `a column has the type ${unsupported}, which is not supported; leave the column out, or write it as another type`,
    );
  if (Number.isSafeInteger(length) && length >= 0) return length;
  throw source.corrupt(`the message that ends at byte ${source.position} is corrupt; write the stream again`);
}

/** Columns of nulls have as many rows as they say, without a byte for them. */
const ROWS_WITHOUT_BYTES = 1024 * 1024;

/** Whether there can be as many rows as the message says: memory and time are taken by their number. */
function isPossible(message: Message): boolean {
  if (message.isSchema()) return message.header() !== null;
  const header = message.isDictionaryBatch()
    ? message.header().data
    : message.isRecordBatch()
      ? message.header()
      : null;
  if (header === null) return false;
  const most = 8 * message.bodyLength + ROWS_WITHOUT_BYTES;
  const isCount = (value: number, limit: number): boolean =>
    Number.isSafeInteger(value) && value >= 0 && value <= limit;
  return (
    isCount(header.length, most) &&
    header.nodes.every(({ length, nullCount }) => isCount(length, most) && isCount(nullCount, length))
  );
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** Bytes of an input, as many at a time as are asked for, and no sooner: the writer may wait for an answer. */
class ByteSource {
  /** How many bytes have been taken. */
  position = 0;
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #file: string;
  #rest: Uint8Array = new Uint8Array(0);

  constructor(chunks: AsyncIterable<Uint8Array>, file: string) {
    this.#chunks = chunks[Symbol.asyncIterator]();
    this.#file = file;
  }

  async take(length: number): Promise<Uint8Array> {
    const parts: Uint8Array[] = [];
    for (let missing = length; missing > 0;) {
      if (this.#rest.length === 0 && (await this.isAtEnd())) throw this.#cutShort(length - missing);
      const part = this.#rest.subarray(0, missing);
      this.#rest = this.#rest.subarray(part.length);
      parts.push(part);
      missing -= part.length;
    }
    this.position += length;
    return parts.length === 1 ? parts[0]! : joined(parts);
  }

  async isAtEnd(): Promise<boolean> {
    while (this.#rest.length === 0) {
      const next = await this.#chunks.next();
      if (next.done === true) return true;
      this.#rest = next.value;
    }
    return false;
  }

  #cutShort(got: number): BatchError {
    const end = this.position + got;
    const what =
      end === 0 ? "this is empty, not an Arrow IPC stream" : `the stream ends at byte ${end} without its end`;
    return new BatchError("stream-truncated", `${what}; check that its writer was closed and did not fail`, {
      file: this.#file,
    });
  }

  unsupported(what: string): BatchError {
    return new BatchError("field-unusable", what, { file: this.#file });
  }

  corrupt(what: string): BatchError {
    return new BatchError("stream-corrupt", what, { file: this.#file });
  }
}
