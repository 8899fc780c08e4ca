import type { Prefix } from "../address/address.ts";
import { PrefixTrie } from "../trie/prefix-trie.ts";
import { BlobSet, BlobWriter } from "./_blobs.ts";
import { ByteWriter } from "./_bytes.ts";
import { readRecord, writeRecord } from "./_stored-record.ts";
import { TextPool } from "./_texts.ts";
import type { CtiMetadata, CtiSource } from "./dataset.ts";
import { type CtiRecord, mergeRecords } from "./fields.ts";

/** Pairs of documents whose union is cached: feeds without documents of their own merge the same few over and over. */
const MAX_UNIONS = 1 << 16;
/** Two document ids make one key of a map; many more documents than fit into memory. */
const MAX_DOCUMENTS = 2 ** 26;

/**
 * Collects what feeds say; `freeze(trie)` then makes the table. Equal documents are stored once, however many prefixes
 * have them.
 */
export class CtiBuilder {
  readonly #trie = new PrefixTrie();
  readonly #unions = new Map<number, number>();
  /**
   * Changes the keys of unions. The hash of a number in a `Map` is the same in every process, and a feed chooses which
   * documents meet.
   */
  readonly #mask: number = Math.floor(Math.random() * MAX_DOCUMENTS);
  readonly #scratch = new ByteWriter();
  #texts = new TextPool();
  #documents = new BlobSet();
  #lastRecord: CtiRecord | undefined;
  #lastId = 0;

  /** Prefixes so far. */
  get size(): number {
    return this.#trie.size;
  }

  /**
   * Merges what a feed says about a prefix with what others have said (`mergeRecords`). True if the prefix is new.
   * O(bits).
   * @throws RangeError if there are too many distinct documents for one file
   */
  add(prefix: Prefix, record: CtiRecord): boolean {
    const id = record === this.#lastRecord ? this.#lastId : this.#store(record);
    // Lines of a plain list share their record.
    this.#lastRecord = record;
    this.#lastId = id;
    const before = this.#trie.get(prefix);
    const union = before === 0 ? id : this.#unionOf(before, id);
    if (union !== before) this.#trie.insert(prefix, union);
    return before === 0;
  }

  /**
   * The prefixes, and the metadata of a snapshot of their table. Documents are numbered by the first prefix that has
   * them, so equal contents give equal bytes, whatever order they came in. O(prefixes + documents).
   * @throws RangeError for an invalid date
   */
  build(about: { readonly title: string; readonly createdAt: Date; readonly sources: readonly CtiSource[] }): {
    trie: PrefixTrie;
    metadata: CtiMetadata;
  } {
    this.#renumber();
    const documents = new BlobWriter();
    for (let id = 1; id <= this.#documents.count; id++) documents.append(this.#documents.at(id));
    const { title, createdAt, sources } = about;
    const metadata = {
      format: 1,
      title,
      createdAt: createdAt.toISOString(),
      sources,
      documents: documents.stored(),
      texts: this.#texts.stored(),
    } as const;
    return { trie: this.#trie, metadata };
  }

  #store(record: CtiRecord, documents: BlobSet = this.#documents, texts: TextPool = this.#texts): number {
    this.#scratch.clear();
    writeRecord(record, this.#scratch, texts);
    const id = documents.add(this.#scratch.written());
    if (id >= MAX_DOCUMENTS)
      throw new RangeError(`more than ${MAX_DOCUMENTS} different documents; import fewer feeds into one file`);
    return id;
  }

  #unionOf(a: number, b: number): number {
    if (a === b) return a;
    const pair = (a ^ this.#mask) * MAX_DOCUMENTS + (b ^ this.#mask);
    const known = this.#unions.get(pair);
    if (known !== undefined) return known;
    if (this.#unions.size === MAX_UNIONS) this.#unions.clear();
    const union = this.#store(mergeRecords(this.#record(a), this.#record(b)));
    this.#unions.set(pair, union);
    return union;
  }

  #record(id: number): CtiRecord {
    return readRecord(this.#documents.at(id), this.#texts);
  }

  /**
   * Leaves out documents and texts that only existed before a merge, and numbers the others in the order of the
   * prefixes.
   */
  #renumber(): void {
    const documents = new BlobSet();
    const texts = new TextPool();
    const ids = new Uint32Array(this.#documents.count + 1);
    for (const { prefix, values } of this.#trie) {
      const old = values[0]!;
      if (ids[old] === 0) ids[old] = this.#store(this.#record(old), documents, texts);
      if (ids[old] !== old) this.#trie.insert(prefix, ids[old]!);
    }
    this.#documents = documents;
    this.#texts = texts;
    this.#unions.clear();
    this.#lastRecord = undefined;
  }
}
