import { writeFileSync } from "node:fs";
import { checkCovering, checkLookups, DisagreementError } from "./consistency.ts";
import { ENTRY, HEADER, SNAPSHOT_SECTIONS, sealHead } from "../../../src/snapshot/format.ts";
import { openSnapshot } from "../../../src/snapshot/open-snapshot.ts";
import { SnapshotError } from "../../../src/snapshot/snapshot-error.ts";
import { verifySnapshot } from "../../../src/snapshot/verify-snapshot.ts";
import { TableError } from "../../../src/table/table-error.ts";
import { assemble } from "../../corpus/snapshots.ts";
import { Random, reseal } from "./sample.ts";

/** The outcomes for files that are inconsistent although their checksums are right. */
export interface CraftedReport {
  tried: number;
  refusedAtOpen: number;
  refusedAtVerify: number;
  /**
   * Files that claim more than a million prefixes, which were not verified: that takes as long as a million prefixes
   * do.
   */
  claimTooMany: number;
  /** Passed the deep check and answered consistently. */
  consistent: number;
  /** Passed the deep check and answered inconsistently. */
  wrong: string[];
  /** Errors thrown that are not typed. */
  untyped: string[];
  /** Answers of lookups without verification: bounded nevertheless. */
  unverifiedLookups: number;
}

export function newCraftedReport(): CraftedReport {
  return {
    tried: 0,
    refusedAtOpen: 0,
    refusedAtVerify: 0,
    claimTooMany: 0,
    consistent: 0,
    wrong: [],
    untyped: [],
    unverifiedLookups: 0,
  };
}

/** The sections of a good file, to be changed and reassembled. */
function partsOf(file: Buffer): Uint8Array[] {
  return SNAPSHOT_SECTIONS.map((_, i) => {
    const entry = HEADER.size + i * ENTRY.size;
    const from = Number(file.readBigUInt64LE(entry + ENTRY.byteOffset));
    return Uint8Array.prototype.slice.call(file, from, from + Number(file.readBigUInt64LE(entry + ENTRY.byteLength)));
  });
}

/** A word that is likely to matter: a bound, a neighbour of the old value, a node entry, or noise. */
function craftedWord(random: Random, old: number, words: number): number {
  switch (random.below(8)) {
    case 0:
      return 0;
    case 1:
      return 0xffff_ffff;
    case 2:
      return old + 1;
    case 3:
      return old - 1;
    case 4:
      return old ^ (1 << random.below(32));
    case 5:
      return 0x8000_0000 + random.below(4) * 0x2000_0000 + random.below(words + 2);
    case 6:
      return random.below(words + 2);
    default:
      return random.word();
  }
}

function craftWords(part: Uint8Array, random: Random): void {
  const view = new DataView(part.buffer, part.byteOffset, part.byteLength);
  const words = part.byteLength >>> 2;
  if (words === 0) return;
  for (let changes = 1 + random.below(4); changes > 0; changes--) {
    const at = 4 * random.below(words);
    view.setUint32(at, craftedWord(random, view.getUint32(at, true), words), true);
  }
}

function craftBytes(part: Uint8Array, random: Random): void {
  if (part.length === 0) return;
  for (let changes = 1 + random.below(4); changes > 0; changes--) part[random.below(part.length)] = random.below(256);
}

/** The ways to falsify a file. Each makes a complete file with right checksums from two good ones. */
const LIES: readonly ((one: Buffer, other: Buffer, random: Random) => Buffer)[] = [
  // Words of one to three sections.
  (one, _other, random) => {
    const parts = partsOf(one);
    for (let i = 1 + random.below(3); i > 0; i--) {
      const part = parts[random.below(parts.length)]!;
      (random.below(4) === 0 ? craftBytes : craftWords)(part, random);
    }
    return assemble(one, parts);
  },
  // Words of the nodes only: what the walks read.
  (one, _other, random) => {
    const parts = partsOf(one);
    craftWords(parts[1 + random.below(4)]!, random);
    return assemble(one, parts);
  },
  // Words of the matches only: what chains and values read.
  (one, _other, random) => {
    const parts = partsOf(one);
    craftWords(parts[5 + random.below(5)]!, random);
    return assemble(one, parts);
  },
  // A section cut short, grown or emptied.
  (one, _other, random) => {
    const parts = partsOf(one);
    const i = random.below(parts.length);
    const size = [
      0,
      random.below(parts[i]!.length + 1),
      Math.max(0, parts[i]!.length - 4),
      parts[i]!.length + 4,
      parts[i]!.length + random.below(100),
    ][random.below(5)]!;
    const resized = new Uint8Array(size);
    resized.set(parts[i]!.subarray(0, size));
    parts[i] = resized;
    return assemble(one, parts);
  },
  // Sections of two files mixed.
  (one, other, random) => {
    const parts = partsOf(one);
    const others = partsOf(other);
    for (let i = 1 + random.below(3); i > 0; i--) {
      const taken = random.below(parts.length);
      parts[taken] = others[taken]!;
    }
    return assemble(one, parts);
  },
  // Two sections swapped.
  (one, _other, random) => {
    const parts = partsOf(one);
    const [a, b] = [random.below(parts.length), random.below(parts.length)];
    [parts[a], parts[b]] = [parts[b]!, parts[a]!];
    return assemble(one, parts);
  },
  // Fields of the header.
  (one, _other, random) => {
    const file = Buffer.from(one);
    const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
    for (let i = 1 + random.below(2); i > 0; i--) {
      const at =
        HEADER.byteOrder +
        4 * random.below((HEADER.size + SNAPSHOT_SECTIONS.length * ENTRY.size - HEADER.byteOrder) / 4);
      view.setUint32(at, craftedWord(random, view.getUint32(at, true), file.length), true);
    }
    (random.below(2) === 0 ? sealHead : reseal)(file);
    return file;
  },
  // Random metadata, which MessagePack may accept.
  (one, _other, random) => {
    const parts = partsOf(one);
    parts[parts.length - 1] = Uint8Array.from({ length: random.below(60) }, () =>
      random.below(3) === 0 ? 0x80 + random.below(128) : random.below(256),
    );
    return assemble(one, parts);
  },
];

/** Crafts file number `seed` from two good ones; the same number gives the same file. */
export function craft(one: Buffer, other: Buffer, seed: number): Buffer {
  const random = new Random(seed);
  return LIES[random.below(LIES.length)]!(one, other, random);
}

/**
 * Opens a crafted file, looks up addresses in it unverified (bounded, typed errors), verifies it, and compares a
 * verified one with a slow oracle. `trusting`, for the negative control, skips the deep check.
 */
export async function tryCrafted(
  path: string,
  file: Buffer,
  seed: number,
  report: CraftedReport,
  trusting: boolean,
): Promise<void> {
  report.tried++;
  writeFileSync(path, file);
  try {
    const { table, info } = await openSnapshot(path).catch((error: unknown) => {
      if (error instanceof SnapshotError) report.refusedAtOpen++;
      throw error;
    });
    report.unverifiedLookups += checkLookups(table, new Random(seed), info.matchCount);
    if (info.prefixCount4 > 1e6 || info.prefixCount6 > 1e6) {
      report.claimTooMany++;
      return;
    }
    if (!trusting) {
      await verifySnapshot(path).catch((error: unknown) => {
        if (error instanceof SnapshotError) report.refusedAtVerify++;
        throw error;
      });
    }
    checkCovering(table, new Random(seed));
    report.consistent++;
  } catch (error) {
    if (error instanceof SnapshotError) return;
    if (error instanceof DisagreementError || error instanceof TableError)
      report.wrong.push(`file ${seed}: ${error.message}`);
    else report.untyped.push(`file ${seed}: ${error instanceof Error ? error.stack : String(error)}`);
  }
}
