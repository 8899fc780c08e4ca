/**
 * The parts of a frozen table, in the order in which they lie in its buffer. Each starts at a multiple of
 * `SECTION_ALIGNMENT` bytes and is an array of little-endian 32-bit words, except `matchLength` (bytes) and
 * `expiresAt` (64-bit floats). A part with nothing to say is empty.
 */
export const SECTION_NAMES = [
  "header",
  "root4",
  "nodes4",
  "root6",
  "nodes6",
  "matchValue",
  "matchParent",
  "matchLength",
  "valueLists",
  "expiresAt",
] as const;

/** The name of a section: one of `SECTION_NAMES`. */
export type SectionName = (typeof SECTION_NAMES)[number];

/** One cache line, so that no section shares one with its neighbour. */
export const SECTION_ALIGNMENT = 64;

/** Where a section lies in the buffer, in bytes. */
export interface SectionSpan {
  readonly byteOffset: number;
  readonly byteLength: number;
}

/** Where every section of a table lies. */
export type TableSections = Readonly<Record<SectionName, SectionSpan>>;
