import { closeSync, ftruncateSync, openSync, writeSync } from "node:fs";
import { openSnapshot } from "../../../src/snapshot/open-snapshot.ts";
import { SnapshotError } from "../../../src/snapshot/snapshot-error.ts";
import type { PrefixTable } from "../../../src/table/prefix-table.ts";
import { Random } from "./sample.ts";
import type { MatchId } from "../../../src/table/match-id.ts";

/** The outcomes for corrupt files: each must be rejected with a typed error. */
export interface CorruptionReport {
  tried: number;
  refused: number;
  /**
   * Files that opened in spite of the corruption; `wrong` counts those that answered differently from the intact file.
   */
  accepted: number;
  wrong: number;
  /** Rejected with anything other than a `SnapshotError`. */
  untyped: string[];
  readonly codes: Record<string, number>;
}

/** One kind of corruption: changes the copy or returns another file; may happen to change nothing. */
type Accident = (file: Buffer, random: Random) => Buffer | void;

const blockIn = (file: Buffer, random: Random): [from: number, to: number] => {
  const from = random.below(file.length);
  return [from, Math.min(file.length, from + 2 ** random.below(10))];
};

const ACCIDENTS: Readonly<Record<string, Accident>> = {
  "bit flipped": (file, random) => void (file[random.below(file.length)]! ^= 1 << random.below(8)),
  "two bits flipped": (file, random) => {
    for (let i = 0; i < 2; i++) file[random.below(file.length)]! ^= 1 << random.below(8);
  },
  "byte replaced": (file, random) => void (file[random.below(file.length)] = random.below(256)),
  "block zeroed": (file, random) => void file.fill(0, ...blockIn(file, random)),
  "block of ones": (file, random) => void file.fill(0xff, ...blockIn(file, random)),
  "block of noise": (file, random) => {
    const [from, to] = blockIn(file, random);
    for (let i = from; i < to; i++) file[i] = random.below(256);
  },
  "blocks swapped": (file, random) => {
    const size = 2 ** random.below(9);
    const [a, b] = [random.below(file.length - size), random.below(file.length - size)];
    const kept = Buffer.from(file.subarray(a, a + size));
    file.copyWithin(a, b, b + size);
    kept.copy(file, b);
  },
  "block repeated": (file, random) => {
    const [from, to] = blockIn(file, random);
    file.copyWithin(random.below(file.length), from, to);
  },
  "cut short": (file, random) => file.subarray(0, random.below(file.length)),
  grown: (file, random) => Buffer.concat([file, Buffer.alloc(1 + random.below(2000), random.below(2) * 0xff)]),
  "bytes lost": (file, random) => {
    const [from, to] = blockIn(file, random);
    return Buffer.concat([file.subarray(0, from), file.subarray(to)]);
  },
  "bytes inserted": (file, random) => {
    const [from, to] = blockIn(file, random);
    return Buffer.concat([file.subarray(0, from), file.subarray(0, to - from), file.subarray(from)]);
  },
};

/**
 * Corrupts `good` at random for as long as `go` returns true, and opens each file. `seal`, for the negative control,
 * repairs the checksums after the corruption: what then opens is what a format without checksums would let through.
 */
export async function corruptAtRandom(
  path: string,
  good: Buffer,
  seed: number,
  go: (tried: number) => boolean,
  seal?: (file: Buffer) => void,
): Promise<CorruptionReport> {
  const report = newReport();
  const answers = answersOf((await openFile(path, good)).table);
  const random = new Random(seed);
  const accidents = Object.values(ACCIDENTS);
  while (go(report.tried)) {
    const copy = Buffer.from(good);
    const file = accidents[random.below(accidents.length)]!(copy, random) ?? copy;
    if (file.equals(good)) continue;
    if (file.length === good.length) seal?.(file);
    await tryFile(path, file, answers, report);
  }
  return report;
}

/**
 * Flips single bits, one at a time: every bit of the first `allOf` bytes, and one bit of each other byte, at a position
 * that rotates.
 */
export async function flipBits(path: string, good: Buffer, allOf: number): Promise<CorruptionReport> {
  const report = newReport();
  const answers = answersOf((await openFile(path, good)).table);
  const copy = Buffer.from(good);
  for (let at = 0; at < good.length; at++) {
    for (const bit of at < allOf ? [0, 1, 2, 3, 4, 5, 6, 7] : [at % 8]) {
      copy[at] = good[at]! ^ (1 << bit);
      await tryFile(path, copy, answers, report);
    }
    copy[at] = good[at]!;
  }
  return report;
}

async function tryFile(path: string, file: Buffer, answers: string, report: CorruptionReport): Promise<void> {
  report.tried++;
  try {
    const { table } = await openFile(path, file);
    report.accepted++;
    if (answersOf(table) !== answers) report.wrong++;
  } catch (error) {
    if (!(error instanceof SnapshotError)) report.untyped.push(String(error));
    else {
      report.refused++;
      report.codes[error.code] = (report.codes[error.code] ?? 0) + 1;
    }
  }
}

/** A real file, always the same inode: what is tested is opening, not the folder. */
async function openFile(path: string, file: Buffer): Promise<{ table: PrefixTable }> {
  const descriptor = openSync(path, "w");
  try {
    writeSync(descriptor, file, 0, file.length, 0);
    ftruncateSync(descriptor, file.length);
  } finally {
    closeSync(descriptor);
  }
  return openSnapshot(path);
}

/**
 * The matches and values of many addresses in and around the sample's ranges, as one text, which also shows lookups
 * that throw.
 */
function answersOf(table: PrefixTable): string {
  const random = new Random(99);
  const answers: string[] = [];
  for (let i = 0; i < 400; i++) {
    const word = i % 4 === 0 ? random.word() : (0x0a00_0000 | (random.word() & 0x0003_ffff)) >>> 0;
    const wide = [0x2001_0db8 + (random.word() & 1), random.word(), random.word(), random.word()] as const;
    answers.push(
      answer(table, () => table.lookup4(word)),
      answer(table, () => table.lookup6(...wide)),
    );
  }
  return answers.join();
}

function answer(table: PrefixTable, lookup: () => MatchId): string {
  try {
    const match = lookup();
    return match === 0 ? "" : `${match}:${table.prefixLength(match)}:${table.values(match).join("+")}`;
  } catch (error) {
    return (error as Error).name;
  }
}

function newReport(): CorruptionReport {
  return { tried: 0, refused: 0, accepted: 0, wrong: 0, untyped: [], codes: {} };
}
