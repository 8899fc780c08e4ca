import { createHash, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";
import type { PrefixTable } from "../table/prefix-table.ts";
import { SECTION_NAMES } from "../table/sections.ts";
import { Slice } from "../turns/in-slices.ts";
import { encodeMetadata } from "./_encode-metadata.ts";
import { encodeHead, FORMAT_VERSION, GENERATION_BYTES, layOut, type SnapshotSection } from "./format.ts";
import { infoOf, type SnapshotInfo } from "./snapshot.ts";

/** The contents of a snapshot. */
export interface SnapshotContent {
  readonly table: PrefixTable;
  /**
   * A document of null, booleans, numbers, text, bytes, arrays and plain objects; its meaning is up to the caller.
   */
  readonly metadata: unknown;
  /** What kind of content it is, e.g. "catalogue": 1 to 20 lower-case letters, digits and "-", a letter first. */
  readonly kind: string;
  /** Now by default. */
  readonly createdAt?: Date;
}

/**
 * Random for every file, or derived from the content: the same whenever the same content is encoded with the same time
 * of creation.
 */
export type GenerationChoice = "random" | "of the content";

/** A snapshot that is not stored in a file. */
export interface EncodedSnapshot {
  /** All of its bytes, in order, in parts; those of the table are not copied. */
  readonly chunks: readonly Uint8Array[];
  readonly info: SnapshotInfo;
}

/** Bytes of a checksum between two pauses: some 0.3 ms. */
const SUMMED = 1 << 20;

/**
 * The bytes of a snapshot; `path` stands for it in errors. O(bytes), in slices except for the metadata, which takes
 * about 0.6 ms per MB. Rejects with `SnapshotError` `invalid-content`.
 */
export async function encodeSnapshot(
  path: string,
  content: SnapshotContent,
  choice: GenerationChoice = "random",
): Promise<EncodedSnapshot> {
  const { table, kind, createdAt = new Date() } = content;
  const parts = [...tableParts(table), await encodeMetadata(content.metadata, path)];
  const sections = layOut(parts, await checksumsOf(parts));
  const generation =
    choice === "of the content" ? await generationOf(parts, `${kind} ${createdAt.getTime()}`) : randomGeneration();
  const head = encodeHead({ generation, kind, createdAt, sections }, path);
  const chunks = [...fileChunks(head, sections, parts)];
  const byteLength = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  const written = { version: FORMAT_VERSION, generation, kind, createdAt: new Date(createdAt), byteLength, sections };
  return { chunks, info: infoOf(written, table) };
}

/** Different for every file. */
export function randomGeneration(): string {
  return randomBytes(GENERATION_BYTES).toString("hex");
}

function tableParts(table: PrefixTable): Uint8Array[] {
  return SECTION_NAMES.map(
    (name) => new Uint8Array(table.buffer, table.sections[name].byteOffset, table.sections[name].byteLength),
  );
}

async function checksumsOf(parts: readonly Uint8Array[]): Promise<number[]> {
  const slice = new Slice();
  const checksums: number[] = [];
  for (const part of parts) {
    let sum = 0;
    for (let at = 0; at < part.length; at += SUMMED) {
      await slice.pause();
      sum = crc32(part.subarray(at, at + SUMMED), sum);
    }
    checksums.push(sum);
  }
  return checksums;
}

async function generationOf(parts: readonly Uint8Array[], about: string): Promise<string> {
  const slice = new Slice();
  const hash = createHash("sha256").update(about);
  for (const part of parts) {
    hash.update(`\n${part.length}\n`);
    for (let at = 0; at < part.length; at += SUMMED) {
      await slice.pause();
      hash.update(part.subarray(at, at + SUMMED));
    }
  }
  return hash.digest("hex").slice(0, 2 * GENERATION_BYTES);
}

/**
 * The whole file as chunks: the head and each section, preceded by the zero bytes that align it.
 *
 *     | head | 0 .. | section 0 | 0 .. | section 1 | ... | metadata |
 *     `end`  ^ before a section: where the one before it ended, at most 63 bytes before the next offset (`layOut`)
 */
function* fileChunks(
  head: Uint8Array,
  sections: readonly SnapshotSection[],
  parts: readonly Uint8Array[],
): Generator<Uint8Array> {
  yield head;
  let end = head.length;
  for (const [i, section] of sections.entries()) {
    if (section.byteOffset > end) yield new Uint8Array(section.byteOffset - end);
    if (section.byteLength > 0) yield parts[i]!; // one part per section
    end = section.byteOffset + section.byteLength;
  }
}
