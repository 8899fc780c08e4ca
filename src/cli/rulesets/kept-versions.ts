import { link, mkdir, readdir, stat, unlink } from "node:fs/promises";
import { join } from "node:path";
import { syncFolder } from "../../files/sync-folder.ts";
import type { Arguments, Option } from "../runner/command.ts";
import { wholeNumber } from "../runner/parse-arguments.ts";
import { UsageError } from "../runner/usage-error.ts";

// Earlier versions of a ruleset file are kept in the folder FILE.versions, each named after the ruleset's sequence.
// They are hard links to what FILE was, so keeping one takes no time, and no second copy while it is still the newest.

const DEFAULT_KEPT = 10;
const MAX_KEPT = 1000;

/** For commands that change a ruleset. */
export const KEEP_OPTION: Option = {
  name: "keep",
  value: "N",
  help: `for a file: how many earlier versions to keep for "ruleset restore", in the folder FILE.versions; 0 to ${MAX_KEPT}, default: ${DEFAULT_KEPT}`,
};

/** The value of `KEEP_OPTION`. Throws UsageError. */
export function keptCount(args: Arguments): number {
  const text = args.value("keep");
  return text === undefined ? DEFAULT_KEPT : wholeNumber("keep", text, MAX_KEPT, 0);
}

const MAX_LISTED = 20;

/** What is said of a version that is not kept, given those that are, the newest first. */
export function notKept(ruleset: string, version: number, kept: readonly number[]): UsageError {
  const listed = kept.slice(0, MAX_LISTED).join(", ");
  const more = kept.length > MAX_LISTED ? `, ... (${kept.length} in all)` : "";
  const which =
    kept.length === 0 ? "no earlier version is" : `there ${kept.length === 1 ? "is" : "are"} ${listed}${more}`;
  return new UsageError(`${ruleset}: version ${version} is not kept; ${which}`);
}

/** An earlier version of a ruleset file. */
export interface KeptVersion {
  /** The ruleset's sequence. */
  readonly version: number;
  readonly path: string;
  /** Milliseconds since 1970: a file that was removed and created again counts its versions from 0, beside older ones. */
  readonly savedAt: number;
}

/** The kept versions of a file, the one saved last first. Throws UsageError for a folder that cannot be read. */
export async function keptVersions(path: string): Promise<KeptVersion[]> {
  const folder = folderOf(path);
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw new UsageError(`${folder}: cannot be read (${error.code}); check its permissions`);
  });
  const versions: KeptVersion[] = [];
  for (const name of names) {
    const version = /^(\d{1,16})\.ipsieve$/.exec(name)?.[1];
    if (version === undefined) continue;
    const path = join(folder, name);
    const status = await stat(path).catch(unlessMissing);
    if (status?.isFile() === true) versions.push({ version: Number(version), path, savedAt: status.mtimeMs });
  }
  return versions.sort((a, b) => b.savedAt - a.savedAt || b.version - a.version);
}

/** Keeps the current file as the version with this sequence. Throws UsageError. */
export async function keepVersion(path: string, sequence: number): Promise<void> {
  const folder = folderOf(path);
  const version = join(folder, `${sequence}.ipsieve`);
  try {
    await mkdir(folder, { recursive: true });
    // The link is already there if a command was killed right before it replaced the file, or if the file was put back
    // by hand.
    await unlink(version).catch(unlessMissing);
    await link(path, version);
    await syncFolder(folder);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new UsageError(
      `${folder}: the version before the change cannot be kept (${code ?? message}), so nothing was written; check the folder and the free space, or keep none with --keep 0`,
    );
  }
}

/** Removes all but this many of the newest versions. One that cannot be removed is left: the change has been written. */
export async function pruneVersions(path: string, count: number): Promise<void> {
  for (const { path: old } of (await keptVersions(path)).slice(count)) await unlink(old).catch(() => {});
}

function folderOf(path: string): string {
  return `${path}.versions`;
}

function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}
