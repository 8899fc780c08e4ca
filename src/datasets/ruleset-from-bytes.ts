import type { Ruleset } from "../rulesets/ruleset.ts";
import { rulesetOf as readRuleset, storedRules, type StoredRules } from "../rulesets/stored/stored-ruleset.ts";
import { metadataInPlace } from "../snapshot/metadata-in-place.ts";
import { snapshotFromBytes } from "../snapshot/snapshot-from-bytes.ts";
import type { Snapshot } from "../snapshot/snapshot.ts";
import { checkKind, type ExpectedKind } from "./_check-kind.ts";
import { withPath } from "./with-path.ts";
import { RULESET_KIND } from "../rulesets/ruleset-kind.ts";
import { batchesOf } from "./batches-of.ts";

/** The kind of a snapshot of a ruleset. */
export const RULESET_SNAPSHOT: ExpectedKind = { kind: RULESET_KIND, writtenBy: "saveRuleset" };

/**
 * A ruleset from the bytes of its snapshot, ready for lookups and writes, on any platform; `name` stands for them in
 * errors. @throws SnapshotError for bytes that are not a valid snapshot @throws UsageError for a snapshot of another
 * kind, or one whose rules cannot be read
 */
export function rulesetFromBytes(bytes: Uint8Array | ArrayBufferLike, name: string = "ruleset"): Ruleset {
  return rulesetOf(checkKind(snapshotFromBytes(bytes, name), name, RULESET_SNAPSHOT), name);
}

/**
 * The ruleset in a snapshot, whose memory it continues to read. Throws DatasetError, with the path, for one that cannot
 * be used; so does the ruleset when names or times are first needed.
 */
export function rulesetOf(snapshot: Snapshot, path: string): Ruleset {
  return withPath(path, () =>
    readRuleset(metadataInPlace(snapshot, path), snapshot.table, guardOf(path), batchesOf(snapshot)),
  );
}

/** The same as an index of rules, with the metadata saved beside them. Throws like `rulesetOf`. */
export function storedRulesOf(snapshot: Snapshot, path: string): StoredRules {
  return withPath(path, () =>
    storedRules(metadataInPlace(snapshot, path), snapshot.table, guardOf(path), batchesOf(snapshot)),
  );
}

/** Names and times are read when they are first needed: their errors name the file, too. */
function guardOf(path: string): <Result>(read: () => Result) => Result {
  return (read) => withPath(path, read);
}
