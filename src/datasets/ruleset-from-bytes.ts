import type { Ruleset } from "../rulesets/ruleset.ts";
import { RULESET_KIND, rulesetOf as readRuleset } from "../rulesets/stored-ruleset.ts";
import { snapshotFromBytes } from "../snapshot/snapshot-from-bytes.ts";
import type { Snapshot } from "../snapshot/snapshot.ts";
import { checkKind, type ExpectedKind } from "./_check-kind.ts";
import { withPath } from "./with-path.ts";

/** What a snapshot of a ruleset is. */
export const RULESET_SNAPSHOT: ExpectedKind = { kind: RULESET_KIND, writtenBy: "saveRuleset" };

/**
 * A ruleset from the bytes of its snapshot, ready to answer and to be written to, on any platform; `name` stands for them
 * in errors.
 * @throws SnapshotError for bytes that are not a sound snapshot
 * @throws UsageError for a snapshot of another kind, or one whose rules cannot be read
 */
export function rulesetFromBytes(bytes: Uint8Array | ArrayBufferLike, name: string = "ruleset"): Ruleset {
  return rulesetOf(checkKind(snapshotFromBytes(bytes, name), name, RULESET_SNAPSHOT), name);
}

/** The ruleset in a snapshot. Throws DatasetError, with the path, for one that cannot be used. */
export function rulesetOf(snapshot: Snapshot, path: string): Ruleset {
  return withPath(path, () => readRuleset(snapshot.metadata, snapshot.table));
}
