import { MetadataGuards } from "../json/metadata-guards.ts";
import type { PrefixTable } from "../table/prefix-table.ts";
import { BlobTable, type StoredBlobs } from "./_blobs.ts";
import { eachStoredValue, readRecord, readSpoofable } from "./_stored-record.ts";
import { TextTable } from "./_texts.ts";
import { CtiError } from "./cti-error.ts";
import { type CtiDocument, documentOf, type ExtendedCtiDocument, extendedDocumentOf } from "./documents.ts";
import { BASIC_FIELDS, type CtiRecord, FIELDS, NOTHING_KNOWN } from "./fields.ts";
import type { MatchId } from "../table/match-id.ts";

/** A feed in a dataset. */
export interface CtiSource {
  readonly name: string;
  /** Entries read from it; a repeated prefix counts each time. */
  readonly entries: number;
}

/** The metadata of a snapshot of the kind "cti". */
export interface CtiMetadata {
  readonly format: 1;
  readonly title: string;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  readonly sources: readonly CtiSource[];
  /** Document i has the value id i + 1. */
  readonly documents: StoredBlobs;
  readonly texts: StoredBlobs;
  /** For searching (`StoredIndex`), checked when it is used; files of earlier releases have none. */
  readonly index?: unknown;
}

/** What a bulk lookup returns for a match, as one byte: an index of `BULK_DOCUMENTS`. */
const UNSEEN = 0;
const SEEN = 1;
const SEEN_SPOOFABLE = 2;
const SEEN_NOT_SPOOFABLE = 3;

/**
 * Threat intelligence: a table of prefixes, and a document for each. An address has the document of the most specific
 * prefix that covers it, and of no other: what feeds say about a network is a guess about each of its addresses, and
 * what they say about the address itself takes precedence, in every property.
 *
 * Documents are read in place, when they are requested; equal ones are stored once.
 */
export class CtiDataset {
  readonly metadata: CtiMetadata;
  readonly table: PrefixTable;
  /** What a bulk lookup returns, by match id: an index of `BULK_DOCUMENTS`. */
  readonly bulkStates: Uint8Array;
  readonly #documents: BlobTable;
  readonly #texts: TextTable;

  /**
   * Checks the metadata, which may come from an untrusted file. O(matches + documents), nanoseconds each.
   * @throws CtiError "bad-metadata", "bad-document", "unknown-document"
   */
  constructor(metadata: unknown, table: PrefixTable) {
    this.metadata = checkedMetadata(metadata);
    this.table = table;
    this.#documents = new BlobTable("documents", this.metadata.documents);
    this.#texts = new TextTable(new BlobTable("texts", this.metadata.texts));
    this.bulkStates = this.#statesOfMatches();
  }

  /** The number of distinct documents. */
  get documentCount(): number {
    return this.#documents.count;
  }

  /** What feeds say about an address, in short. O(1) steps. @throws AddressError for malformed text */
  lookup(ip: string): CtiDocument {
    return this.documentOf(ip, this.table.lookup(ip));
  }

  /** Everything that feeds say about an address. @throws AddressError for malformed text */
  lookupExtended(ip: string): ExtendedCtiDocument {
    return this.extendedDocumentOf(ip, this.table.lookup(ip));
  }

  /** The document of an address with this match. @throws CtiError "bad-document" */
  documentOf(ip: string, match: MatchId): CtiDocument {
    return documentOf(ip, match !== 0, this.#recordOf(match, BASIC_FIELDS));
  }

  /** Everything that feeds say about an address or prefix with this match. @throws CtiError "bad-document" */
  extendedDocumentOf(ip: string, match: MatchId): ExtendedCtiDocument {
    return extendedDocumentOf(ip, match !== 0, this.recordOf(match));
  }

  /** What feeds say about the prefix of a match; nothing for match 0. @throws CtiError "bad-document" */
  recordOf(match: MatchId): CtiRecord {
    return this.#recordOf(match, FIELDS.length);
  }

  /** Calls back with the field and the value of everything that a document holds, by its number from 0; texts by number. @throws CtiError */
  eachStoredValue(document: number, each: (field: number, value: number) => void): void {
    eachStoredValue(this.#documentAt(document + 1), each);
  }

  /** A text of the documents. @throws CtiError "bad-document" */
  textAt(number: number): string {
    return this.#texts.textAt(number);
  }

  /** The texts of all documents, where they are stored. @internal */
  get texts(): TextTable {
    return this.#texts;
  }

  /** Deep check: every document can be read. O(documents). @throws CtiError "bad-document" */
  checkDocuments(): void {
    for (let value = 1; value <= this.#documents.count; value++) readRecord(this.#documentAt(value), this.#texts);
  }

  #recordOf(match: MatchId, fields: number): CtiRecord {
    return match === 0 ? NOTHING_KNOWN : readRecord(this.#documentAt(this.table.value(match)), this.#texts, fields);
  }

  #documentAt(value: number): Uint8Array {
    if (value >= 1 && value <= this.#documents.count) return this.#documents.at(value - 1);
    throw new CtiError(
      "unknown-document",
      value,
      `the table names document ${value}, but the dataset has ${this.#documents.count}; import its feeds again`,
    );
  }

  #statesOfMatches(): Uint8Array {
    const states = new Uint8Array(this.table.matchCount + 1).fill(UNSEEN);
    for (let match = 1 as MatchId; match < states.length; match++)
      states[match] = stateOf(readSpoofable(this.#documentAt(this.table.value(match))));
    return states;
  }
}

function stateOf(spoofable: boolean | null): number {
  if (spoofable === null) return SEEN;
  return spoofable ? SEEN_SPOOFABLE : SEEN_NOT_SPOOFABLE;
}

const guards = new MetadataGuards(badMetadata);

function checkedMetadata(metadata: unknown): CtiMetadata {
  const { format, title, createdAt, sources, documents, texts } = guards.record(metadata, "metadata");
  if (format !== 1) throw badMetadata("format", "it is not 1; use the newer version of ipsieve that wrote this file");
  guards.text(title, "title");
  guards.date(createdAt, "createdAt");
  for (const source of guards.list(sources, "sources")) {
    const { name, entries } = guards.record(source, "sources");
    if (typeof name !== "string" || typeof entries !== "number")
      throw badMetadata("sources", "a source has no name or no number of entries");
  }
  guards.record(documents, "documents");
  guards.record(texts, "texts");
  return metadata as CtiMetadata;
}

function badMetadata(member: string, what: string): CtiError {
  return new CtiError(
    "bad-metadata",
    member,
    `the dataset's ${member} cannot be used: ${what}; import its feeds again`,
  );
}
