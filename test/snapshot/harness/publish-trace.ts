import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { openSnapshot } from "../../../src/snapshot/open-snapshot.ts";
import type { FileOperations } from "../../../src/files/publish-file.ts";
import { writeSnapshot } from "../../../src/snapshot/write-snapshot.ts";
import type { CrashCase } from "./crash-states.ts";
import { recordFiles } from "./recorded-files.ts";
import { Random, sampleContent } from "./sample.ts";

const NAME = "snapshot";

/** Records a real publish over an old snapshot, or to a name without one, as a case for the crash states. */
export async function recordPublish(folder: string, seed: number, over: "old" | "nothing"): Promise<CrashCase> {
  const path = join(folder, NAME);
  const old = over === "old" ? await writeSnapshot(path, sampleContent(new Random(seed))) : null;
  const oldFile = old === null ? null : await readFile(path);
  const { files, trace } = recordFiles();
  const { generation } = await writeSnapshot(path, sampleContent(new Random(seed + 1)), files);
  return { trace, name: NAME, oldFile, oldGeneration: old?.generation ?? null, newGeneration: generation };
}

/** Negative control: the same bytes written over the old file. */
export async function recordRewriteInPlace(folder: string, seed: number): Promise<CrashCase> {
  const path = join(folder, NAME);
  const old = await writeSnapshot(path, sampleContent(new Random(seed)));
  const oldFile = await readFile(path);
  await writeSnapshot(join(folder, "next"), sampleContent(new Random(seed + 1)));
  const { files, trace } = recordFiles();
  await rewriteInPlace(path, await readFile(join(folder, "next")), files);
  return {
    trace,
    name: NAME,
    oldFile,
    oldGeneration: old.generation,
    newGeneration: (await openSnapshot(path)).info.generation,
  };
}

/** The wrong way to publish: readers and crashes find the file half written. */
export async function rewriteInPlace(
  path: string,
  content: Uint8Array,
  files: Pick<FileOperations, "open">,
): Promise<void> {
  const file = await files.open(path, "w");
  for (let at = 0; at < content.length; at += 1000) await file.write(content.subarray(at, at + 1000));
  await file.sync();
  await file.close();
}

/** Negative control: a trace without its operations of one kind. */
export function without(crash: CrashCase, kind: "sync" | "sync-folder"): CrashCase {
  return { ...crash, trace: crash.trace.filter((operation) => operation.kind !== kind) };
}
