import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openSnapshot } from "../../../src/snapshot/open-snapshot.ts";
import { SnapshotError } from "../../../src/snapshot/snapshot-error.ts";
import { EXISTING_FILE, type FileOperation } from "./recorded-files.ts";
import { Random } from "./sample.ts";

/*
 * What a power cut may leave, after any operation of a recorded trace:
 *
 * - A write that was not followed by a sync of its file may or may not be on the disk, each 512-byte block of it
 *   independently, in any order. The file's length may be anything up to the blocks that were allocated: bytes that
 *   were not written are zero (or what was there before).
 * - A creation, rename or removal that was not followed by a sync of the folder may or may not have happened, each
 *   independently, in any order among the others; a single rename is atomic. Truncating a file is such an operation on
 *   the file.
 * - What was synced is there.
 *
 * These guarantees are weaker than those of journaling file systems, so what holds here holds there too.
 */

const BLOCK = 512;

/**
 * What was found after crashes. Before the rename it must be the old one, after the last operation the new one, and in
 * between either.
 */
export interface CrashReport {
  states: number;
  old: number;
  new: number;
  /** No file was found, as there was no old one and the new one had not arrived. */
  absent: number;
  /** Neither: rejected by `openSnapshot`, or another generation. */
  corrupt: number;
  /** A generation that must not be there (any more or yet). */
  misplaced: number;
  untyped: string[];
}

export interface CrashCase {
  readonly trace: readonly FileOperation[];
  /** The name that readers open, the file that had it before (null: none), and the generations. */
  readonly name: string;
  readonly oldFile: Uint8Array | null;
  readonly oldGeneration: string | null;
  readonly newGeneration: string;
}

export function newCrashReport(): CrashReport {
  return { states: 0, old: 0, new: 0, absent: 0, corrupt: 0, misplaced: 0, untyped: [] };
}

/**
 * Builds up to `limit` different crash states of a trace at random, opens the file under the name in each, and counts
 * what is found.
 */
export async function enumerateCrashStates(
  crash: CrashCase,
  folder: string,
  seed: number,
  limit: number,
  report = newCrashReport(),
): Promise<CrashReport> {
  const random = new Random(seed);
  const seen = new Set<string>();
  const laidOut = new Map<string, Uint8Array>();
  const renamed = crash.trace.findIndex(({ kind }) => kind === "rename");
  // States are drawn until there are enough different ones; a short trace may not have that many.
  for (let tries = 0; seen.size < limit && tries < 20 * limit; tries++) {
    const done = random.below(crash.trace.length + 1);
    const { files, key } = crashState(crash, done, random);
    if (seen.has(`${done} ${key}`)) continue;
    seen.add(`${done} ${key}`);
    layOutFolder(folder, files, laidOut);
    report.states++;
    const found = await findGeneration(join(folder, crash.name), report);
    if (found === undefined) continue;
    const mayBeOld = done < crash.trace.length;
    const mayBeNew = renamed < 0 || done > renamed;
    if (found === crash.newGeneration && mayBeNew) report.new++;
    else if (found === null && crash.oldGeneration === null && mayBeOld) report.absent++;
    else if (found !== null && found === crash.oldGeneration && mayBeOld) report.old++;
    else report.misplaced++;
  }
  return report;
}

/**
 * The generation of the file under the name; null if there is no file, undefined (and counted) if it cannot be opened.
 */
async function findGeneration(path: string, report: CrashReport): Promise<string | null | undefined> {
  try {
    return (await openSnapshot(path)).info.generation;
  } catch (error) {
    if (!(error instanceof SnapshotError)) report.untyped.push(String(error));
    else if (error.code === "not-found") return null;
    else report.corrupt++;
    return undefined;
  }
}

/** One state of the folder after the first `done` operations and a crash; `key` identifies the state. */
function crashState(crash: CrashCase, done: number, random: Random): { files: Map<string, Uint8Array>; key: string } {
  const operations = crash.trace.slice(0, done);
  // All kept, all lost, or each kept independently with random odds.
  const odds = [0, 1, random.below(1000) / 1000][random.below(3)]!;
  let key = "";
  const keep = (): boolean => {
    const kept = random.below(1000) < odds * 1000;
    key += kept ? "1" : "0";
    return kept;
  };
  const names = namesAfter(operations, crash, keep);
  const files = new Map<string, Uint8Array>();
  for (const [name, file] of names) files.set(name, contentAfter(operations, file, crash, keep, random));
  return { files, key };
}

function namesAfter(operations: readonly FileOperation[], crash: CrashCase, keep: () => boolean): Map<string, number> {
  const synced = operations.findLastIndex(({ kind }) => kind === "sync-folder");
  const onDisk = new Map<string, number>(crash.oldFile === null ? [] : [[crash.name, EXISTING_FILE]]);
  // What running programs see; some of it reaches the disk.
  const seen = new Map(onDisk);
  for (const [i, operation] of operations.entries()) {
    if (operation.kind !== "create" && operation.kind !== "rename" && operation.kind !== "unlink") continue;
    const file =
      operation.kind === "create" ? operation.file : operation.kind === "rename" ? seen.get(operation.from)! : 0;
    for (const names of i < synced || keep() ? [seen, onDisk] : [seen]) {
      if (operation.kind === "rename") names.delete(operation.from);
      if (operation.kind === "unlink") names.delete(operation.name);
      else names.set(operation.kind === "rename" ? operation.to : operation.name, file);
    }
  }
  return onDisk;
}

function contentAfter(
  operations: readonly FileOperation[],
  file: number,
  crash: CrashCase,
  keep: () => boolean,
  random: Random,
): Uint8Array {
  const synced = operations.findLastIndex((operation) => operation.kind === "sync" && operation.file === file);
  let content = file === EXISTING_FILE && crash.oldFile !== null ? Buffer.from(crash.oldFile) : Buffer.alloc(0);
  let length = content.length;
  for (const [i, operation] of operations.entries()) {
    if (operation.kind === "empty" && file === EXISTING_FILE && (i < synced || keep())) {
      content = Buffer.alloc(0);
      length = 0;
    }
    if (operation.kind !== "write" || operation.file !== file) continue;
    const end = operation.offset + operation.bytes.length;
    if (end > content.length) content = Buffer.concat([content, Buffer.alloc(end - content.length)]);
    for (let at = 0; at < operation.bytes.length; at += BLOCK) {
      const block = operation.bytes.subarray(at, at + BLOCK);
      if (i >= synced && !keep()) continue;
      content.set(block, operation.offset + at);
      length = Math.max(length, operation.offset + at + block.length);
    }
  }
  // Blocks may have been allocated after the last one that was written.
  return content.subarray(0, random.below(2) === 0 ? length : Math.max(length, content.length));
}

/** Makes the folder contain these files; `laidOut` is what it contains from the state before. */
function layOutFolder(folder: string, files: ReadonlyMap<string, Uint8Array>, laidOut: Map<string, Uint8Array>): void {
  mkdirSync(folder, { recursive: true });
  for (const name of laidOut.keys()) {
    if (files.has(name)) continue;
    rmSync(join(folder, name));
    laidOut.delete(name);
  }
  for (const [name, content] of files) {
    const there = laidOut.get(name);
    if (there !== undefined && Buffer.compare(there, content) === 0) continue;
    writeFileSync(join(folder, name), content);
    laidOut.set(name, content);
  }
}
