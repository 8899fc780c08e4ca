/** Fields of the tables in Arrow's Message.fbs and Schema.fbs, by their number in the table. */
const MESSAGE = { headerType: 1, header: 2, customMetadata: 4 };
const SCHEMA = { fields: 1, customMetadata: 2, features: 3 };
const DICTIONARY_BATCH = { data: 1 };
const RECORD_BATCH = { nodes: 1, buffers: 2, variadicCounts: 4 };
const FIELD = { typeKind: 2, type: 3, children: 5, customMetadata: 6 };
/** The only list in a type. */
const UNION = { ids: 1 };
const HEADERS = { schema: 1, dictionaryBatch: 2, recordBatch: 3 };
const UNION_KIND = 14;

const REFERENCE_BYTES = 4;
const INT_BYTES = 4;
const LONG_BYTES = 8;
/** Of a node (two numbers) and of a buffer (an offset and a length). */
const PAIR_BYTES = 16;

/**
 * Whether every list in the metadata of a message (FlatBuffers) ends within it. Without this check, apache-arrow reads
 * as many elements as a list's length says, up to four billion, of bytes that do not exist. O(bytes): a message whose
 * references lead to more fields than it has room for is not possible, either.
 */
export function areListsPossible(metadata: Uint8Array): boolean {
  try {
    new MessageLists(metadata).check();
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

class MessageLists {
  readonly #view: DataView;
  /** Fields, and pairs of metadata, that there may still be: each takes more bytes than one reference. */
  #left: number;

  constructor(metadata: Uint8Array) {
    this.#view = new DataView(metadata.buffer, metadata.byteOffset, metadata.byteLength);
    this.#left = metadata.byteLength / REFERENCE_BYTES;
  }

  /** @throws RangeError for a list that does not end within the message, as `DataView` does for what lies outside */
  check(): void {
    const message = this.#target(0);
    this.#checkList(message, MESSAGE.customMetadata, REFERENCE_BYTES);
    const kind = this.#member(message, MESSAGE.headerType);
    const header = this.#member(message, MESSAGE.header);
    if (kind === 0 || header === 0) throw new RangeError("no header");
    this.#checkHeader(this.#view.getUint8(kind), this.#target(header));
  }

  #checkHeader(kind: number, header: number): void {
    if (kind === HEADERS.schema) this.#checkSchema(header);
    if (kind === HEADERS.recordBatch) this.#checkRecordBatch(header);
    if (kind !== HEADERS.dictionaryBatch) return;
    const data = this.#member(header, DICTIONARY_BATCH.data);
    if (data !== 0) this.#checkRecordBatch(this.#target(data));
  }

  #checkSchema(schema: number): void {
    this.#checkList(schema, SCHEMA.customMetadata, REFERENCE_BYTES);
    this.#checkList(schema, SCHEMA.features, LONG_BYTES);
    this.#checkFields(schema, SCHEMA.fields);
  }

  #checkRecordBatch(batch: number): void {
    this.#checkList(batch, RECORD_BATCH.nodes, PAIR_BYTES);
    this.#checkList(batch, RECORD_BATCH.buffers, PAIR_BYTES);
    this.#checkList(batch, RECORD_BATCH.variadicCounts, LONG_BYTES);
  }

  #checkFields(table: number, list: number): void {
    const { start, length } = this.#checkList(table, list, REFERENCE_BYTES);
    for (let at = start; at < start + length * REFERENCE_BYTES; at += REFERENCE_BYTES) {
      const field = this.#target(at);
      this.#checkList(field, FIELD.customMetadata, REFERENCE_BYTES);
      this.#checkUnion(field);
      this.#checkFields(field, FIELD.children);
    }
  }

  #checkUnion(field: number): void {
    const kind = this.#member(field, FIELD.typeKind);
    if (kind === 0 || this.#view.getUint8(kind) !== UNION_KIND) return;
    const type = this.#member(field, FIELD.type);
    if (type !== 0) this.#checkList(this.#target(type), UNION.ids, INT_BYTES);
  }

  /** The list's first element and its number of elements; none where the table does not have it. */
  #checkList(table: number, number: number, elementBytes: number): { readonly start: number; readonly length: number } {
    const member = this.#member(table, number);
    if (member === 0) return { start: 0, length: 0 };
    const list = this.#target(member);
    const length = this.#view.getUint32(list, true);
    const start = list + REFERENCE_BYTES;
    this.#left -= length;
    if (length > (this.#view.byteLength - start) / elementBytes || this.#left < 0)
      throw new RangeError(`a list of ${length} elements`);
    return { start, length };
  }

  /**
   * Where a table has a member; 0: it does not. A table begins with the distance back to its vtable, which has the offset
   * of each member.
   */
  #member(table: number, number: number): number {
    const vtable = table - this.#view.getInt32(table, true);
    const at = INT_BYTES + 2 * number;
    if (at >= this.#view.getUint16(vtable, true)) return 0;
    const offset = this.#view.getUint16(vtable + at, true);
    return offset === 0 ? 0 : table + offset;
  }

  /** What a reference leads to: it lies after the reference, so that references cannot form a circle. */
  #target(at: number): number {
    const distance = this.#view.getUint32(at, true);
    if (distance === 0) throw new RangeError("a reference to itself");
    return at + distance;
  }
}
