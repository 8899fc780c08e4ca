import { crc32 } from "node:zlib";
import { HEAD_BYTES, type SnapshotHead } from "./format.ts";
import { SnapshotError } from "./snapshot-error.ts";

/** Checks a file's bytes behind its head while they arrive: sections against their checksums, the gaps for zero. */
export class SectionChecksums {
  readonly #bytes: Uint8Array;
  readonly #head: SnapshotHead;
  readonly #path: string;
  #at = HEAD_BYTES;
  #section = 0;
  #crc = 0;

  constructor(bytes: Uint8Array, head: SnapshotHead, path: string) {
    this.#bytes = bytes;
    this.#head = head;
    this.#path = path;
  }

  /** Checks up to byte `end`; all before it must be there. Throws `SnapshotError` at the first damage. */
  advance(end: number): void {
    while (this.#at < end) {
      const section = this.#head.sections[this.#section];
      if (this.#at < section.byteOffset) this.#skipGap(Math.min(end, section.byteOffset));
      else this.#sum(Math.min(end, section.byteOffset + section.byteLength));
    }
  }

  #skipGap(end: number): void {
    const bad = this.#bytes.subarray(this.#at, end).findIndex((byte) => byte !== 0);
    if (bad >= 0)
      throw new SnapshotError("gap-not-zero", this.#path, `byte ${this.#at + bad} between the sections is not zero`);
    this.#at = end;
  }

  /** Adds bytes of the current section, an empty one included, and compares once it is complete. */
  #sum(end: number): void {
    const section = this.#head.sections[this.#section];
    this.#crc = crc32(this.#bytes.subarray(this.#at, end), this.#crc);
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
