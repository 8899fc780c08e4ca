import type { Crc32 } from "./crc32.ts";
import {
  contentLength,
  HEAD_BYTES,
  type SnapshotHead,
  type SnapshotSection,
  type SnapshotSectionName,
} from "./format.ts";
import { checkSignatureBlock } from "./signature-block.ts";
import { SnapshotError } from "./snapshot-error.ts";

/** Checks a file's bytes after its head while they arrive: sections against their checksums, the gaps for zero. */
export class SectionChecksums {
  readonly #bytes: Uint8Array;
  readonly #head: SnapshotHead;
  readonly #path: string;
  readonly #crc32: Crc32;
  readonly #skipped: readonly SnapshotSectionName[];
  #at = HEAD_BYTES;
  #section = 0;
  #crc = 0;

  /** `crc32` is the fastest implementation on the platform; `skipped` sections are neither read nor checked. */
  constructor(
    bytes: Uint8Array,
    head: SnapshotHead,
    path: string,
    crc32: Crc32,
    skipped: readonly SnapshotSectionName[] = [],
  ) {
    this.#skipped = skipped;
    this.#crc32 = crc32;
    this.#bytes = bytes;
    this.#head = head;
    this.#path = path;
  }

  /**
   * Checks up to byte `end`, at most the file's length; all bytes before it must have been read. Throws `SnapshotError` at
   * the first corrupt one.
   *
   *     bytes     | head | gap | section 0      | gap | section 1 | ... | metadata |
   *     checked   |###########################|
   *                                           ^ at: inside `section` or in the gap before it
   *
   * Every turn of the loop either moves `at` or, at an empty section, goes on to the next one; the last section ends where
   * the contents do (`decodeHead` has made sure), so that there is a section as long as `at` is below `stop`.
   */
  advance(end: number): void {
    const contents = contentLength(this.#head);
    const stop = Math.min(end, contents);
    while (this.#at < stop) {
      const section = this.#head.sections[this.#section]!;
      if (this.#at < section.byteOffset) this.#checkGap(Math.min(stop, section.byteOffset));
      else this.#sum(section, Math.min(stop, section.byteOffset + section.byteLength));
    }
    if (end > contents && end === this.#bytes.length)
      checkSignatureBlock(this.#bytes.subarray(contents), this.#crc32, this.#path);
  }

  #checkGap(end: number): void {
    const bad = this.#bytes.subarray(this.#at, end).findIndex((byte) => byte !== 0);
    if (bad >= 0)
      throw new SnapshotError("gap-not-zero", this.#path, `byte ${this.#at + bad} between the sections is not zero`);
    this.#at = end;
  }

  /** Adds bytes of the current section, which may be empty, and compares the checksum once the section is complete. */
  #sum(section: SnapshotSection, end: number): void {
    if (this.#skipped.includes(section.name)) {
      this.#at = end;
      if (end === section.byteOffset + section.byteLength) this.#section++;
      return;
    }
    this.#crc = this.#crc32(this.#bytes.subarray(this.#at, end), this.#crc);
    this.#at = end;
    if (end < section.byteOffset + section.byteLength) return;
    if (this.#crc !== section.crc32) {
      throw new SnapshotError("section-checksum", this.#path, `section ${section.name} does not match its checksum`, {
        section: section.name,
      });
    }
    this.#section++;
    this.#crc = 0;
  }
}
