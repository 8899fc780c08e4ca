import { openRules } from "../../datasets/ruleset-files.ts";
import type { RuleIndex } from "../../rulesets/index/rule-index.ts";
import { RulesetError } from "../../rulesets/ruleset-error.ts";
import type { SavedRules } from "../../store/saved-rules.ts";
import { inSlices } from "../../turns/in-slices.ts";
import type { SnapshotFolder } from "./snapshot-folder.ts";

/**
 * Maximum snapshots opened, the largest ones. Each reserves address space, of which there is enough for several
 * thousand.
 */
const MAX_FILES = 1000;

/** The rules of a snapshot, which can be written to, and what the database needs to know to bring them up to date. */
export interface OpenedSnapshot {
  readonly saved: SavedRules;
  readonly rules: RuleIndex;
}

/** A snapshot that cannot be used. */
export interface RejectedSnapshot {
  readonly rulesetId: string;
  /** In one sentence, with the path. */
  readonly reason: string;
}

export interface OpenedSnapshots {
  readonly opened: readonly OpenedSnapshot[];
  readonly rejected: readonly RejectedSnapshot[];
}

/** Opens all snapshots of a folder, or none where there is no folder. Never rejects: a bad file is rejected by itself. */
export async function openSnapshots(folder: SnapshotFolder | undefined): Promise<OpenedSnapshots> {
  const opened: OpenedSnapshot[] = [];
  const rejected: RejectedSnapshot[] = [];
  for (const rulesetId of ((await folder?.rulesetIds()) ?? []).slice(0, MAX_FILES)) {
    try {
      opened.push(await openSnapshot(folder!.pathOf(rulesetId), rulesetId));
    } catch (error) {
      rejected.push({ rulesetId, reason: (error as Error).message });
    }
  }
  return { opened, rejected };
}

async function openSnapshot(path: string, rulesetId: string): Promise<OpenedSnapshot> {
  const { about, rules } = await openRules(path);
  const { sequence, origin } = about;
  if (origin?.rulesetId !== rulesetId)
    throw new RulesetError("bad-metadata", "origin", `${path}: it is not a snapshot of the ruleset ${rulesetId}`);
  // Now, so that no request has to wait for it, and what cannot be read is read from the database.
  await inSlices(rules.completing());
  return { saved: { rulesetId, sequence, mark: origin.mark }, rules };
}
