import { PrefixTable } from "./prefix-table.ts";
import {
  SECTION_ALIGNMENT,
  SECTION_NAMES,
  type SectionName,
  type SectionSpan,
  type TableSections,
} from "./sections.ts";

/** What the sections of a table hold. */
export type SectionContents = Record<SectionName, Int32Array | Uint8Array | Float64Array>;

/** Bytes that are copied between two interruptions: some hundred microseconds. */
const STEP = 1 << 20;

/** Lays the sections out one after the other, each at a cache line, and copies them into a new buffer, in steps. */
export function* assembling(
  contents: SectionContents,
  allocate: (byteLength: number) => ArrayBufferLike,
): Generator<undefined, PrefixTable, undefined> {
  let end = 0;
  const spans = SECTION_NAMES.map((name): [SectionName, SectionSpan] => {
    const span = { byteOffset: end, byteLength: contents[name].byteLength };
    end = Math.ceil((end + span.byteLength) / SECTION_ALIGNMENT) * SECTION_ALIGNMENT;
    return [name, span];
  });
  const buffer = allocate(end);
  for (const [name, { byteOffset, byteLength }] of spans) {
    const content = contents[name];
    const from = new Uint8Array(content.buffer, content.byteOffset, byteLength);
    const to = new Uint8Array(buffer, byteOffset, byteLength);
    for (let at = 0; at < byteLength; at += STEP) {
      to.set(from.subarray(at, at + STEP), at);
      if (at + STEP < byteLength) yield;
    }
  }
  return new PrefixTable(buffer, Object.fromEntries(spans) as unknown as TableSections);
}
