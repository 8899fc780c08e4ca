import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Rule } from "../../../src/rulesets/rule.ts";
import { readState } from "../../../src/store/sql/_read-state.ts";
import { checkFile } from "../../../src/store/sqlite/_check.ts";
import { openDatabase, type Synchronous } from "../../../src/store/sqlite/_database.ts";
import { Random } from "../../snapshot/harness/sample.ts";
import { rulesOfColumns } from "./memory.ts";
import { SaidWrites } from "./said-writes.ts";

/*
 * What a power cut may leave of a SQLite file and its log, after any system call of a recorded run. What was synced is
 * there; of a write that was not followed by a sync of its file, each block of 512 bytes may or may not be there, in
 * any order; the same holds for a file whose folder was not synced after its creation. The recording is made by strace
 * from a real process, so its writers' reports and the writes to the disk are in one order.
 */

const BLOCK = 512;

type Call =
  | { readonly kind: "write"; readonly file: string; readonly offset: number; readonly bytes: Buffer }
  | { readonly kind: "truncate"; readonly file: string; readonly length: number }
  | { readonly kind: "make" | "remove" | "sync"; readonly file: string }
  | { readonly kind: "sync-folder" }
  | { readonly kind: "said"; readonly line: string };

export interface CutReport {
  cuts: number;
  acknowledged: number;
  /** Acknowledged writes that were lost. */
  lost: number;
  /** Files that could not be opened, or were corrupt. */
  corrupt: string[];
}

/** Why nothing can be recorded here. */
export function whyNoStrace(): false | string {
  const { status, error, stderr } = spawnSync("strace", ["-f", "-o", "/dev/null", "true"], { encoding: "utf8" });
  return status === 0
    ? false
    : `power cuts are recorded by strace, which does not run here: ${error?.message ?? stderr}`;
}

/** A run of the writers, and the file before the run. */
export interface Recording {
  readonly calls: readonly Call[];
  readonly before: Buffer;
  readonly name: string;
}

export async function recordWriters(
  folder: string,
  seed: number,
  synchronous: Synchronous,
  writes: number,
): Promise<Recording> {
  const path = join(folder, `recorded-${synchronous}-${seed}.db`);
  await runWriters(path, seed, synchronous, 0); // creates the file
  const before = readFileSync(path);
  const trace = `${path}.trace`;
  await runWriters(path, seed, synchronous, writes, [
    "strace",
    "-f",
    "-y",
    "-xx",
    "-s",
    "1000000",
    "-o",
    trace,
    "-e",
    "trace=openat,pwrite64,write,fsync,fdatasync,ftruncate,unlink",
  ]);
  return {
    calls: readFileSync(trace, "latin1")
      .split("\n")
      .flatMap((line) => callOf(line, folder)),
    before,
    name: basename(path),
  };
}

async function runWriters(
  path: string,
  seed: number,
  synchronous: Synchronous,
  writes: number,
  under: readonly string[] = [],
): Promise<void> {
  const program = fileURLToPath(new URL("./killed-writer.ts", import.meta.url));
  const [command, ...args] = [
    ...under,
    process.execPath,
    program,
    path,
    String(seed),
    synchronous,
    "honest",
    String(writes),
  ];
  const child = spawn(command!, args, { stdio: ["ignore", "ignore", "inherit"] });
  const [code] = (await once(child, "close")) as [number];
  if (code !== 0) throw new Error(`the writers ended with ${code}`);
}

/**
 * The calls in one line of strace's output that concern the test's files. A sync counts from its return, all other
 * calls from their start.
 */
function callOf(line: string, folder: string): Call[] {
  const text = line.replace(/^\d+ +/, "");
  const [, name] = /^(?:<\.\.\. )?(\w+)/.exec(text) ?? [];
  const [, hexPath] = /^\w+\(\d+<([^>]*)>/.exec(text) ?? [];
  const isResumed = text.startsWith("<...");
  if (name === "fsync" || name === "fdatasync") {
    // If another thread runs in between, the file is named in the first half, and the result is in the second.
    const unfinished = text.includes("<unfinished");
    if (unfinished) pending = hexPath;
    const file = unhex((isResumed ? pending : hexPath) ?? "").toString();
    if (unfinished || !file.startsWith(folder)) return [];
    return [file === folder ? { kind: "sync-folder" } : { kind: "sync", file: basename(file) }];
  }
  if (isResumed) return [];
  const strings = [...text.matchAll(/"((?:\\x[0-9a-f]{2})*)"/g)].map(([, hex]) => unhex(hex!));
  const path = unhex(hexPath ?? "").toString();
  if (name === "write" && /^write\(1</.test(text))
    return strings[0]!
      .toString()
      .trim()
      .split("\n")
      .map((said) => ({ kind: "said", line: said }));
  const file = basename(path);
  const isOurs = path.startsWith(`${folder}/`) && !file.endsWith("-shm");
  if (name === "pwrite64" && isOurs)
    return [{ kind: "write", file, offset: Number(/, (\d+)(?:\)|\s*<unfinished)/.exec(text)![1]), bytes: strings[0]! }];
  if (name === "ftruncate" && isOurs) return [{ kind: "truncate", file, length: Number(/, (\d+)/.exec(text)![1]) }];
  const named = strings[0]?.toString() ?? "";
  if (!named.startsWith(`${folder}/`) || named.endsWith("-shm")) return [];
  if (name === "unlink") return [{ kind: "remove", file: basename(named) }];
  return name === "openat" && text.includes("O_CREAT") ? [{ kind: "make", file: basename(named) }] : [];
}

let pending: string | undefined;

function unhex(text: string): Buffer {
  return text.includes("\\x") ? Buffer.from(text.replaceAll("\\x", ""), "hex") : Buffer.from(text, "latin1");
}

/** Cuts the power `cuts` times, at random calls, and opens what is left. */
export async function cutPower(recording: Recording, folder: string, seed: number, cuts: number): Promise<CutReport> {
  const report: CutReport = { cuts: 0, acknowledged: 0, lost: 0, corrupt: [] };
  const random = new Random(seed);
  for (; report.cuts < cuts; report.cuts++) {
    const done = recording.calls.slice(0, random.below(recording.calls.length + 1));
    const said = new SaidWrites();
    said.begin([]);
    for (const call of done) if (call.kind === "said") said.hear(call.line);
    report.acknowledged += said.acknowledged;
    const rules = await openAfter(recording, done, join(folder, "cut"), random).catch((error: Error): Rule[] => {
      report.corrupt.push(error.message);
      return [];
    });
    report.lost += said.missingFrom(rules).length;
  }
  return report;
}

async function openAfter(
  { before, name }: Recording,
  done: readonly Call[],
  folder: string,
  random: Random,
): Promise<Rule[]> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  // Everything that was not synced is kept, or lost, or decided for each block.
  const odds = [0, 1000, random.below(1000)][random.below(3)]!;
  const keep = () => random.below(1000) < odds;
  writeFileSync(join(folder, name), contentAfter(done, name, before, keep));
  const log = `${name}-wal`;
  const made = done.findLastIndex((call) => call.kind === "make" && call.file === log);
  const removed = done.findLastIndex((call) => call.kind === "remove" && call.file === log);
  const isSynced = done.findLastIndex(({ kind }) => kind === "sync-folder") > made;
  if (made > removed && (isSynced || keep()))
    writeFileSync(join(folder, log), contentAfter(done.slice(made), log, Buffer.alloc(0), keep));
  return readAll(join(folder, name));
}

/** In this thread, since hundreds of files are opened. Throws if one is corrupt. */
async function readAll(path: string): Promise<Rule[]> {
  const engine = openDatabase(path, false);
  try {
    await checkFile(engine, path);
    const rules: Rule[] = [];
    await readState(engine, (part) => rules.push(...rulesOfColumns(part.rules)));
    return rules;
  } finally {
    engine.file.close();
  }
}

function contentAfter(done: readonly Call[], file: string, before: Buffer, keep: () => boolean): Buffer {
  const synced = done.findLastIndex((call) => call.kind === "sync" && call.file === file);
  let content: Buffer = Buffer.from(before);
  for (const [i, call] of done.entries()) {
    if (call.kind === "truncate" && call.file === file && (i < synced || keep()))
      content = content.subarray(0, call.length);
    if (call.kind !== "write" || call.file !== file) continue;
    const kept: boolean[] = [];
    for (let at = 0; at < call.bytes.length; at += BLOCK) kept.push(i < synced || keep());
    const last = kept.lastIndexOf(true);
    const end = last < 0 ? 0 : call.offset + Math.min(call.bytes.length, (last + 1) * BLOCK);
    if (end > content.length) content = Buffer.concat([content, Buffer.alloc(end - content.length)]);
    for (const [block, isKept] of kept.entries()) {
      if (isKept) content.set(call.bytes.subarray(block * BLOCK, (block + 1) * BLOCK), call.offset + block * BLOCK);
    }
  }
  return content;
}
