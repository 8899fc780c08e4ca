import { accessSync, constants, lstatSync, realpathSync, statSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { openRulesetSnapshot, ReplacedSinceError, saveRuleset, saveRulesetOver } from "../../datasets/ruleset-files.ts";
import { rulesetOf } from "../../datasets/ruleset-from-bytes.ts";
import { LockError, takeLock } from "../../files/file-lock.ts";
import type { Ruleset } from "../../rulesets/ruleset.ts";
import { readSnapshotHead } from "../../snapshot/read-head.ts";
import { keepVersion, pruneVersions } from "./kept-versions.ts";
import { standardError } from "../runner/standard-error.ts";
import { UsageError } from "../runner/usage-error.ts";

/** A ruleset, and the generation of the file that it was read from. */
export interface OpenedRuleset {
  readonly ruleset: Ruleset;
  readonly generation: string;
  readonly savedAt: Date;
}

/** The result of a change to a ruleset; if `isRejected`, nothing is written. */
export interface Changed<Result> {
  readonly result: Result;
  readonly isRejected?: boolean;
}

/**
 * A ruleset in a file that several processes may change: each takes the lock next to the file, reads the file, and
 * replaces it atomically. If a program saves the file without taking the lock, that is detected before its changes
 * could be lost.
 */
export class RulesetFile {
  /** As it was given. */
  readonly path: string;
  /** How many earlier versions are kept. */
  readonly #keep: number;

  constructor(path: string, keep = 0) {
    this.path = path;
    this.#keep = keep;
  }

  /** Throws SnapshotError and DatasetError if the file is not a ruleset. */
  async open(): Promise<OpenedRuleset> {
    const snapshot = await openRulesetSnapshot(this.path);
    const { generation, createdAt: savedAt } = snapshot.info;
    return { ruleset: rulesetOf(snapshot, this.path), generation, savedAt };
  }

  /** Writes a ruleset to a new file. Throws UsageError if the file exists. */
  async create(ruleset: Ruleset): Promise<void> {
    await this.#locked(this.path, async () => {
      this.#rejectExisting();
      await saveRuleset(this.path, ruleset);
    });
  }

  /**
   * Changes the ruleset and saves it, if the change did anything; with a generation, only if the file still has it.
   * Throws UsageError for a file that was changed meanwhile or cannot be changed.
   */
  async change<Result>(change: (ruleset: Ruleset) => Changed<Result>, generation: string | undefined): Promise<Result> {
    // A file that is not a snapshot is rejected before a lock is created next to it.
    await readSnapshotHead(this.path);
    // A rename would replace a symbolic link.
    const path = realpathSync(this.path);
    this.#rejectReadOnly(path);
    return this.#locked(path, async () => {
      const opened = await this.open();
      const { ruleset } = opened;
      if (generation !== undefined && opened.generation !== generation) throw this.#changedSince();
      const { sequence } = ruleset;
      const { result, isRejected = false } = change(ruleset);
      if (isRejected || ruleset.sequence === sequence) return result;
      await this.#save(path, { ...opened, sequence });
      return result;
    });
  }

  /** Replaces the file of which `sequence` was the ruleset's before it was changed. */
  async #save(
    path: string,
    { ruleset, generation, sequence }: Omit<OpenedRuleset, "savedAt"> & { readonly sequence: number },
  ): Promise<void> {
    const keep = async (): Promise<void> => {
      if (this.#keep > 0) await keepVersion(path, sequence);
    };
    try {
      await saveRulesetOver(path, ruleset, { generation, beforeReplacing: keep });
    } catch (error) {
      throw error instanceof ReplacedSinceError ? this.#changedSince() : error;
    }
    await pruneVersions(path, this.#keep);
  }

  #rejectExisting(): void {
    const found = lstatSync(this.path, { throwIfNoEntry: false });
    if (found === undefined) return;
    if (found.isSymbolicLink() && statSync(this.path, { throwIfNoEntry: false }) === undefined)
      throw new UsageError(
        `${this.path}: a symbolic link to a file that does not exist; create that file by its own name, or remove the link`,
      );
    throw new UsageError(`${this.path}: the file already exists; choose another name, or add rules to it`);
  }

  #changedSince(): UsageError {
    return new UsageError(
      `${this.path}: the rules have changed in the meantime; nothing was written. Run the command again to see what it would do now`,
    );
  }

  /** A rename needs no write permission for the file that it replaces; a read-only file is meant to stay as it is. */
  #rejectReadOnly(path: string): void {
    const isWritable = (statSync(path).mode & 0o222) !== 0 && canAccess(path, constants.W_OK);
    if (!isWritable) throw new UsageError(`${this.path}: the file is read-only; allow writing it with chmod u+w`);
  }

  /**
   * Runs a change of a file while holding its lock. Throws UsageError if another process holds the lock for too long.
   */
  async #locked<Result>(path: string, run: () => Promise<Result>): Promise<Result> {
    const release = await patientLock(`${path}.lock`, this.path);
    try {
      return await run();
    } finally {
      await release();
    }
  }
}

function canAccess(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}

/** A change of a million rules takes a few seconds: a process that holds the lock for longer than this is stuck. */
const PATIENCE_MS = 60_000;
const REPORT_AFTER_MS = 1000;
/** Random, so that waiting processes do not retry at the same moments. */
const PAUSE_MS = 20;

/** Takes the lock of a file, once no other process has it. Throws UsageError. */
async function patientLock(lock: string, file: string): Promise<() => Promise<void>> {
  const start = Date.now();
  let isReported = false;
  for (;;) {
    try {
      return await takeLock(lock);
    } catch (error) {
      const holder = holderOf(error, lock, file);
      const waited = Date.now() - start;
      const who = `process ${holder.pid} on ${holder.host}`;
      if (waited > PATIENCE_MS)
        throw new UsageError(
          `${file}: ${who} has been changing it for a minute; wait until it is done, or remove ${lock} if that process is gone`,
        );
      if (waited > REPORT_AFTER_MS && !isReported) standardError().write(`ipsieve: ${file}: waiting for ${who}\n`);
      isReported ||= waited > REPORT_AFTER_MS;
      await delay(PAUSE_MS * (1 + Math.random()));
    }
  }
}

/** Who has the lock. Throws UsageError for any other error. */
function holderOf(error: unknown, lock: string, file: string): { readonly pid: number; readonly host: string } {
  if (!(error instanceof LockError)) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new UsageError(
      `${file}: cannot be written (${code ?? message}); check the folder, its permissions and the free space`,
    );
  }
  if (error.holder !== null) return error.holder;
  throw new UsageError(`${file}: ${lock} exists and is not a lock file; remove it`);
}
