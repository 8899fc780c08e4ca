import { type FileOperations, NODE_FILES } from "../files/publish-file.ts";
import type { Ruleset } from "../rulesets/ruleset.ts";
import type { RuleIndex } from "../rulesets/index/rule-index.ts";
import {
  type StoredAbout,
  type StoredRules,
  type StoredRuleset,
  storingRules,
  storingRuleset,
} from "../rulesets/stored/stored-ruleset.ts";
import { openSnapshot } from "../snapshot/open-snapshot.ts";
import { readSnapshotHead } from "../snapshot/read-head.ts";
import type { Snapshot, SnapshotInfo } from "../snapshot/snapshot.ts";
import { writeSnapshot } from "../snapshot/write-snapshot.ts";
import { inSlices } from "../turns/in-slices.ts";
import { checkKind } from "./_check-kind.ts";
import { RULESET_SNAPSHOT, rulesetOf, storedRulesOf } from "./ruleset-from-bytes.ts";
import { RULESET_KIND } from "../rulesets/ruleset-kind.ts";

/**
 * Saves a ruleset as of the call, as a snapshot of the kind "ruleset", atomically: whatever happens, there is the old
 * file or the new one. The ruleset may be written to meanwhile. Rejects with SnapshotError if the file cannot be
 * written.
 */
export async function saveRuleset(path: string, ruleset: Ruleset): Promise<SnapshotInfo> {
  return write(path, storingRuleset(ruleset));
}

/** The same for the rules of a service, with their origin. Also rejects with RulesetError, for an invalid origin. */
export async function saveRules(
  path: string,
  rules: RuleIndex,
  about: StoredAbout,
  files?: FileOperations,
): Promise<SnapshotInfo> {
  return write(path, storingRules(rules, about), files);
}

async function write(
  path: string,
  storing: Generator<undefined, StoredRuleset, undefined>,
  files?: FileOperations,
): Promise<SnapshotInfo> {
  const { table, metadata } = await inSlices(storing);
  return writeSnapshot(path, { table, metadata, kind: RULESET_KIND }, files);
}

/** The options for saving an opened ruleset to the same file. */
export interface Replacing {
  /** The generation of the file that was opened. */
  readonly generation: string;
  /** Called right before the old file is replaced. */
  readonly beforeReplacing: () => Promise<void>;
}

/** The file was replaced since it was opened. */
export class ReplacedSinceError extends Error {}

/**
 * As `saveRuleset`, unless the file is no longer the one that was opened: rejects with ReplacedSinceError then. Only a
 * lock prevents a write in the microseconds between that check and the rename.
 */
export async function saveRulesetOver(
  path: string,
  ruleset: Ruleset,
  { generation, beforeReplacing }: Replacing,
): Promise<SnapshotInfo> {
  const replace = async (from: string, to: string): Promise<void> => {
    if ((await readSnapshotHead(to)).generation !== generation) throw new ReplacedSinceError();
    await beforeReplacing();
    await NODE_FILES.rename(from, to);
  };
  try {
    return await write(path, storingRuleset(ruleset), { ...NODE_FILES, rename: replace });
  } catch (error) {
    // Errors of the file system are explained; an error of the check is thrown unchanged.
    const { cause } = error as Error;
    throw cause instanceof Error && !("syscall" in cause) ? cause : error;
  }
}

/**
 * Opens a snapshot of the kind "ruleset". Rejects with SnapshotError for a file that cannot be opened, with UsageError
 * for one of another kind.
 */
export async function openRulesetSnapshot(path: string): Promise<Snapshot> {
  return checkKind(await openSnapshot(path), path, RULESET_SNAPSHOT);
}

/**
 * Opens a ruleset that was saved: it decides at once, by the table in the file, and can be written to. Prefixes, names
 * and times are read when they are first needed. Rejects like `openRulesetSnapshot`, and with UsageError for rules that
 * cannot be read; if that is found later, the method that needs them throws it.
 */
export async function openRuleset(path: string): Promise<Ruleset> {
  return rulesetOf(await openRulesetSnapshot(path), path);
}

/** The same as an index of rules, for a service, with the metadata saved beside them. Rejects like `openRuleset`. */
export async function openRules(path: string): Promise<StoredRules> {
  return storedRulesOf(await openRulesetSnapshot(path), path);
}
