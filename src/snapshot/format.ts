import { SECTION_ALIGNMENT, SECTION_NAMES, type SectionName, type TableSections } from "../table/sections.ts";
import { type Crc32, crc32 } from "./crc32.ts";
import { SnapshotError } from "./snapshot-error.ts";

/*
 * The snapshot file, format versions 1 and 2. A snapshot is read whole into one buffer and used in place: a
 * `PrefixTable` makes its views on the sections. Offsets and sizes are in bytes; numbers are little-endian,
 * u64 at most 2^53 - 1; names are ASCII, padded with zero bytes.
 *
 *        0 ┌──────────────────────────────────────────────┐
 *          │ header                                  80   │
 *       80 ├──────────────────────────────────────────────┤
 *          │ section table                 11 x 40 = 440   │
 *      520 ├──────────────────────────────────────────────┤
 *          │ zero bytes                              56   │
 *      576 ├──────────────────────────────────────────────┤  every section begins at the first multiple of 64 that
 *          │ the table's ten sections, in their order     │  is not before the end of the one before it; the
 *          │ (SECTION_NAMES), zero bytes between them     │  bytes between are zero
 *          ├──────────────────────────────────────────────┤
 *          │ metadata: one MessagePack document           │
 *          └──────────────────────────────────────────────┘  a file of version 1 ends where the metadata ends
 *          │ version 2 only: signature              128   │  of all bytes before it (`signature-block.ts`)
 *   length └──────────────────────────────────────────────┘
 *
 *   header
 *        0   8  magic: 89 49 50 53 0d 0a 1a 0a. As in PNG: a byte past ASCII, a name, both line ends and the end-of-file
 *               byte of DOS, so that a transfer as text shows
 *        8   4  byte-order mark 0x0a0b0c0d, written and read as a word of the machine like the words of the sections:
 *               a machine of the other order reads it reversed
 *       12   4  format version: 1, or 2 if the file is signed. Magic, mark and version keep their offsets in all versions
 *       16   8  length of the file
 *       24   8  time of creation, milliseconds since the epoch
 *       32  16  generation: random, different for every file written
 *       48  20  kind of content: a lower-case letter, then lower-case letters, digits, "-"
 *       68   4  number of sections, 11
 *       72   4  CRC-32 of the section table
 *       76   4  CRC-32 of bytes 0-75
 *
 *   section table, an entry
 *        0  20  name
 *       20   4  CRC-32 of the section
 *       24   8  offset
 *       32   8  length
 *
 * Every byte is either under a checksum or must be zero, and lengths are exact: any flipped bit, lost or added byte is
 * noticed at open. Offsets follow from lengths, so that there is one file for given contents; they are stored so that
 * other programs need no arithmetic, and compared. CRC-32 finds accidents, not forgery: a crafted file with matching
 * checksums can hold any words, which is why lookups are bounded in any table and `verifySnapshot` exists.
 */

export const METADATA_SECTION = "metadata";
/** The name of a section of the file: one of the table, or `metadata`. */
export type SnapshotSectionName = SectionName | typeof METADATA_SECTION;
export const SNAPSHOT_SECTIONS: readonly SnapshotSectionName[] = [...SECTION_NAMES, METADATA_SECTION];

export const FORMAT_VERSION = 1;
/** Version 1 with a signature at the end: earlier releases, which do not know it, report the version in their error. */
export const SIGNED_VERSION = 2;
/** The signature at the end of a file of version 2. */
export const SIGNATURE_BYTES = 128;
const MAGIC = Uint8Array.of(0x89, 0x49, 0x50, 0x53, 0x0d, 0x0a, 0x1a, 0x0a);
const BYTE_ORDER_MARK = 0x0a0b_0c0d;
const BYTE_ORDER_REVERSED = 0x0d0c_0b0a;

/** The offsets of the header's fields and of those of a section table entry, and the size of each. */
export const HEADER = {
  magic: 0,
  byteOrder: 8,
  version: 12,
  byteLength: 16,
  createdAt: 24,
  generation: 32,
  kind: 48,
  sectionCount: 68,
  sectionTableChecksum: 72,
  checksum: 76,
  size: 80,
} as const;
export const ENTRY = { name: 0, checksum: 20, byteOffset: 24, byteLength: 32, size: 40 } as const;
const NAME_BYTES = 20;
export const GENERATION_BYTES = 16;

/** Header and section table: what is read before anything else. */
export const HEAD_BYTES: number = HEADER.size + SNAPSHOT_SECTIONS.length * ENTRY.size;

/** The last time that a `Date` can hold (ECMA-262, 21.4.1.1). */
const MAX_TIME = 8.64e15;
const KIND = /^[a-z][a-z0-9-]{0,19}$/;

/** An entry of the section table. */
export interface SnapshotSection {
  readonly name: SnapshotSectionName;
  readonly byteOffset: number;
  readonly byteLength: number;
  readonly crc32: number;
}

/** The contents of the header and the section table. */
export interface SnapshotHead {
  readonly version: number;
  /** 128 random bits as 32 hexadecimal digits. */
  readonly generation: string;
  readonly kind: string;
  readonly createdAt: Date;
  readonly byteLength: number;
  readonly sections: readonly SnapshotSection[];
}

/** Where the sections end: at the end of the file, or at its signature. */
export function contentLength({ version, byteLength }: Pick<SnapshotHead, "version" | "byteLength">): number {
  return version === SIGNED_VERSION ? byteLength - SIGNATURE_BYTES : byteLength;
}

/** Where a section begins that follows byte `offset`: at the first multiple of the alignment. */
export function sectionStart(offset: number): number {
  return Math.ceil(offset / SECTION_ALIGNMENT) * SECTION_ALIGNMENT;
}

/**
 * Lays sections out one after the other. The bytes are given in the order of `SNAPSHOT_SECTIONS`, all of them;
 * `checksums` are their CRC-32s, for callers that have a faster implementation or compute them in slices.
 */
export function layOut(
  contents: readonly Uint8Array[],
  checksums: readonly number[] = contents.map((content) => crc32(content)),
): SnapshotSection[] {
  let end = HEAD_BYTES;
  return contents.map((content, i) => {
    const byteOffset = sectionStart(end);
    const { byteLength } = content;
    end = byteOffset + byteLength;
    return { name: SNAPSHOT_SECTIONS[i]!, byteOffset, byteLength, crc32: checksums[i]! };
  });
}

/** The header and section table of a file with these sections. Throws `SnapshotError` `invalid-content`. */
export function encodeHead(
  head: Omit<SnapshotHead, "version" | "byteLength">,
  path: string,
  version: number = FORMAT_VERSION,
): Uint8Array {
  const createdAt = head.createdAt.getTime();
  if (!KIND.test(head.kind))
    throw new SnapshotError(
      "invalid-content",
      path,
      `the kind ${JSON.stringify(head.kind)} is not 1 to 20 lower-case letters, digits and "-"`,
    );
  if (!(createdAt >= 0))
    throw new SnapshotError("invalid-content", path, "the time of creation is not a date from 1970 on");
  const bytes = new Uint8Array(HEAD_BYTES);
  const view = new DataView(bytes.buffer);
  bytes.set(MAGIC, HEADER.magic);
  new Uint32Array(bytes.buffer)[HEADER.byteOrder / 4] = BYTE_ORDER_MARK;
  const signatureBytes = version === SIGNED_VERSION ? SIGNATURE_BYTES : 0;
  view.setUint32(HEADER.version, version, true);
  view.setBigUint64(HEADER.byteLength, BigInt(endOf(head.sections) + signatureBytes), true);
  view.setBigUint64(HEADER.createdAt, BigInt(createdAt), true);
  bytes.set(bytesOfHex(head.generation), HEADER.generation);
  bytes.set(bytesOfText(head.kind), HEADER.kind);
  view.setUint32(HEADER.sectionCount, head.sections.length, true);
  head.sections.forEach((section, i) => encodeEntry(view, HEADER.size + i * ENTRY.size, section));
  sealHead(bytes);
  return bytes;
}

function encodeEntry(view: DataView, at: number, section: SnapshotSection): void {
  new Uint8Array(view.buffer, at, NAME_BYTES).set(bytesOfText(section.name));
  view.setUint32(at + ENTRY.checksum, section.crc32, true);
  view.setBigUint64(at + ENTRY.byteOffset, BigInt(section.byteOffset), true);
  view.setBigUint64(at + ENTRY.byteLength, BigInt(section.byteLength), true);
}

/** Writes the two checksums that the head holds over itself: of the section table, then of the header. */
export function sealHead(bytes: Uint8Array): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  view.setUint32(HEADER.sectionTableChecksum, crc32(bytes.subarray(HEADER.size, HEAD_BYTES)), true);
  view.setUint32(HEADER.checksum, crc32(bytes.subarray(0, HEADER.checksum)), true);
}

/**
 * Reads the header and section table at the start of a file of `fileLength` bytes; `bytes` are its first ones. No field
 * is used before it is checked. `sum` is the fastest implementation on the platform: a command that ends at once spends a
 * millisecond on the tables of ours. O(1). Throws `SnapshotError`.
 */
export function decodeHead(bytes: Uint8Array, fileLength: number, path: string, sum: Crc32 = crc32): SnapshotHead {
  checkMagic(bytes, path);
  if (bytes.byteLength < HEAD_BYTES)
    throw new SnapshotError(
      "truncated",
      path,
      `${fileLength} bytes, less than the ${HEAD_BYTES} of a snapshot's header`,
    );
  // A copy, since the byte-order mark is read as a machine word, and those must be aligned. (`slice` of a Buffer is none.)
  const head = new Uint8Array(bytes.subarray(0, HEAD_BYTES));
  const view = new DataView(head.buffer);
  checkFormat(head, view, path, sum);
  const byteLength = Number(view.getBigUint64(HEADER.byteLength, true));
  const fields = decodeFields(head, view, path);
  checkLength(byteLength, fileLength, path);
  if (sum(head.subarray(HEADER.size)) !== view.getUint32(HEADER.sectionTableChecksum, true)) {
    throw new SnapshotError("section-table-checksum", path, "the section table does not match its checksum");
  }
  const version = view.getUint32(HEADER.version, true);
  const sections = decodeSections(view, contentLength({ version, byteLength }), path);
  return { version, ...fields, byteLength, sections };
}

/** The length in the header of a snapshot that begins with these bytes. Not checked: `decodeHead` does that. */
export function statedLength(bytes: Uint8Array): number {
  if (bytes.length < HEADER.size) return bytes.length;
  return Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(HEADER.byteLength, true));
}

function checkMagic(bytes: Uint8Array, path: string): void {
  const start = bytes.subarray(0, MAGIC.length);
  if (start.every((byte, i) => byte === MAGIC[i])) {
    if (start.length === MAGIC.length) return;
    throw new SnapshotError(
      "truncated",
      path,
      bytes.length === 0 ? "an empty file" : "the file ends inside the header",
    );
  }
  // The name survives conversions that change the bytes around it: of line ends, to 7 bits, to UTF-8.
  if (/^[^]{1,3}IPS[\r\n]/.test(textOf(bytes.subarray(0, 8)))) {
    throw new SnapshotError("text-mode", path, "a snapshot that a transfer in text mode has changed");
  }
  throw new SnapshotError("not-a-snapshot", path, "not a snapshot");
}

/** Byte order and version come before the checksum: in another format it may lie elsewhere. */
function checkFormat(head: Uint8Array, view: DataView, path: string, sum: Crc32): void {
  const mark = new Uint32Array(head.buffer)[HEADER.byteOrder / 4];
  if (mark === BYTE_ORDER_REVERSED)
    throw new SnapshotError("foreign-byte-order", path, "written on a machine of the other byte order");
  const version = view.getUint32(HEADER.version, true);
  if (mark === BYTE_ORDER_MARK && version !== FORMAT_VERSION && version !== SIGNED_VERSION) {
    throw new SnapshotError(
      "unsupported-version",
      path,
      `format version ${version}, this program reads versions ${FORMAT_VERSION} and ${SIGNED_VERSION}`,
    );
  }
  if (mark !== BYTE_ORDER_MARK || sum(head.subarray(0, HEADER.checksum)) !== view.getUint32(HEADER.checksum, true)) {
    throw new SnapshotError("header-checksum", path, "the header does not match its checksum");
  }
}

function decodeFields(
  head: Uint8Array,
  view: DataView,
  path: string,
): Pick<SnapshotHead, "generation" | "kind" | "createdAt"> {
  const kind = nameAt(head, HEADER.kind);
  const createdAt = Number(view.getBigUint64(HEADER.createdAt, true));
  const sectionCount = view.getUint32(HEADER.sectionCount, true);
  if (!KIND.test(kind)) throw new SnapshotError("bad-header", path, `the kind of content is ${JSON.stringify(kind)}`);
  if (createdAt > MAX_TIME) throw new SnapshotError("bad-header", path, "the time of creation is not a date");
  if (sectionCount !== SNAPSHOT_SECTIONS.length)
    throw new SnapshotError("bad-header", path, `${sectionCount} sections instead of ${SNAPSHOT_SECTIONS.length}`);
  const generation = hexOf(head.subarray(HEADER.generation, HEADER.generation + GENERATION_BYTES));
  return { generation, kind, createdAt: new Date(createdAt) };
}

function checkLength(byteLength: number, fileLength: number, path: string): void {
  if (fileLength === byteLength) return;
  const what = `${fileLength} bytes, its header says ${byteLength}`;
  throw new SnapshotError(fileLength < byteLength ? "truncated" : "extended", path, what);
}

/**
 * A section must begin exactly where `layOut` puts it: so none overlaps another, leaves the file or hides bytes. By
 * induction over the sections: `end` is the end of the one before, and at most `contentEnd`.
 */
function decodeSections(view: DataView, contentEnd: number, path: string): SnapshotSection[] {
  const reject = (name: string, what: string): never => {
    throw new SnapshotError("bad-section-table", path, `section ${name} ${what}`, { section: name });
  };
  let end = HEAD_BYTES;
  const sections = SNAPSHOT_SECTIONS.map((name, i) => {
    const section = decodeEntry(view, HEADER.size + i * ENTRY.size, name);
    if (nameAt(new Uint8Array(view.buffer), HEADER.size + i * ENTRY.size) !== name)
      reject(name, "is not named in its entry");
    if (section.byteOffset !== sectionStart(end))
      reject(name, `begins at byte ${section.byteOffset} instead of ${sectionStart(end)}`);
    if (section.byteLength > contentEnd - section.byteOffset) reject(name, `goes past the end of the file`);
    if (section.byteLength === 0 && section.crc32 !== 0) reject(name, "is empty but has a checksum");
    end = section.byteOffset + section.byteLength;
    return section;
  });
  if (end !== contentEnd) reject(METADATA_SECTION, `ends at byte ${end}, the contents at ${contentEnd}`);
  return sections;
}

function decodeEntry(view: DataView, at: number, name: SnapshotSectionName): SnapshotSection {
  return {
    name,
    byteOffset: Number(view.getBigUint64(at + ENTRY.byteOffset, true)),
    byteLength: Number(view.getBigUint64(at + ENTRY.byteLength, true)),
    crc32: view.getUint32(at + ENTRY.checksum, true),
  };
}

/** A name without its padding. Zero bytes inside it are kept, so that it equals no valid name. */
function nameAt(bytes: Uint8Array, at: number): string {
  return textOf(bytes.subarray(at, at + NAME_BYTES)).replace(/\0+$/, "");
}

/** A character per byte, U+0000 to U+00FF, and back. */
function textOf(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes);
}

function bytesOfText(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function bytesOfHex(digits: string): Uint8Array {
  return Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

function endOf(sections: readonly SnapshotSection[]): number {
  const { byteOffset, byteLength } = metadataSection(sections);
  return byteOffset + byteLength;
}

/** The last section, which every snapshot has. */
export function metadataSection(sections: readonly SnapshotSection[]): SnapshotSection {
  return sections.at(-1)!;
}

/** The table's part of the section table, as `PrefixTable` takes it. */
export function tableSections(head: SnapshotHead): TableSections {
  return Object.fromEntries(
    head.sections.slice(0, SECTION_NAMES.length).map((section) => [section.name, section]),
  ) as unknown as TableSections;
}
