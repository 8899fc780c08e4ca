import type { Ruleset } from "../rulesets/ruleset.ts";
import { RULESET_KIND, storingRuleset } from "../rulesets/stored-ruleset.ts";
import { openSnapshot } from "../snapshot/open-snapshot.ts";
import type { Snapshot, SnapshotInfo } from "../snapshot/snapshot.ts";
import { writeSnapshot } from "../snapshot/write-snapshot.ts";
import { inSlices } from "../turns/in-slices.ts";
import { checkKind } from "./_check-kind.ts";
import { RULESET_SNAPSHOT, rulesetOf } from "./ruleset-from-bytes.ts";

/**
 * Saves a ruleset as it is at the call, as a snapshot of the kind "ruleset", atomically: whatever happens, there is the
 * old file or the new one. It may be written to meanwhile. Rejects with SnapshotError where the file cannot be written.
 */
export async function saveRuleset(path: string, ruleset: Ruleset): Promise<SnapshotInfo> {
  const { table, metadata } = await inSlices(storingRuleset(ruleset));
  return writeSnapshot(path, { table, metadata, kind: RULESET_KIND });
}

/**
 * Opens a snapshot of the kind "ruleset". Rejects with SnapshotError for a file that cannot be opened, with UsageError
 * for one of another kind.
 */
export async function openRulesetSnapshot(path: string): Promise<Snapshot> {
  return checkKind(await openSnapshot(path), path, RULESET_SNAPSHOT);
}

/**
 * Opens a ruleset that was saved: it answers at once, by the table in the file, and can be written to. Rejects like
 * `openRulesetSnapshot`, and with UsageError for rules that cannot be read.
 */
export async function openRuleset(path: string): Promise<Ruleset> {
  return rulesetOf(await openRulesetSnapshot(path), path);
}
