import { openAndLoad, type StoreLocation } from "../../store/open-store.ts";
import type { LoadedState } from "../../store/saved-rules.ts";
import type { Store } from "../../store/store.ts";
import type { StoreLimits } from "../../store/store-options.ts";
import { inSlices } from "../../turns/in-slices.ts";
import { applying, ServiceMemory } from "./service-memory.ts";
import type { Settings } from "../settings.ts";
import type { RemoteWriter } from "../../store/sqlite/file-writer.ts";
import { limitsIn } from "./limits-in.ts";
import { type OpenedSnapshots, openSnapshots, type RejectedSnapshot } from "./open-snapshots.ts";
import { type SnapshotFolder, snapshotFolderOf } from "./snapshot-folder.ts";

/** A store that is being opened, and its content, which is being loaded. */
export interface LoadingStore {
  readonly store: Promise<Store>;
  readonly memory: Promise<LoadedMemory>;
  /** Where snapshots of the rulesets are kept; undefined if none are. */
  readonly folder: SnapshotFolder | undefined;
  /** Opens the store again after a failure. */
  again(): LoadingStore;
}

/** What was loaded, and from where. */
export interface LoadedMemory {
  readonly memory: ServiceMemory;
  /** Rulesets whose rules came from snapshots. */
  readonly fromSnapshots: readonly RulesetFromSnapshot[];
  /** Snapshots that could not be used. */
  readonly rejected: readonly RejectedSnapshot[];
}

export interface RulesetFromSnapshot {
  readonly rulesetId: string;
  /** The last change that the snapshot includes. */
  readonly sequence: number;
  /** How many changes have been made since, and how many rules they changed. */
  readonly changes: number;
  readonly changedRules: number;
}

/**
 * Starts to open a store and to load its content, which a SQLite file does in its own thread, and to open the snapshots
 * of its rulesets: for PostgreSQL by default in a folder in `home`. Both promises may be awaited late. `writer`: if
 * another process writes the SQLite file.
 */
export function openLoading(
  location: StoreLocation,
  settings: Pick<Settings, keyof StoreLimits | "rulesetSnapshots">,
  home?: string,
  writer?: RemoteWriter,
): LoadingStore {
  const folder = snapshotFolderOf(settings.rulesetSnapshots, location, home);
  const fresh = new ServiceMemory();
  const snapshots = openSnapshots(folder);
  const { store, state } = openAndLoad(
    location,
    limitsIn(settings),
    (part) => fresh.addRules(part),
    snapshots.then(({ opened }) => opened.map(({ saved }) => saved)),
    writer,
  );
  const memory = Promise.all([state, snapshots]).then(([loaded, opened]) => filled(fresh, loaded, opened));
  // Otherwise a failure would end the process before the caller awaits it.
  void Promise.allSettled([store, memory]);
  return { store, memory, folder, again: () => openLoading(location, settings, home, writer) };
}

/** The current content of the store. O(rules). */
export async function loadMemory(store: Store): Promise<ServiceMemory> {
  const memory = new ServiceMemory();
  await memory.addState(await store.load((part) => memory.addRules(part)));
  return memory;
}

/** O(rules), in slices. */
async function filled(
  memory: ServiceMemory,
  loaded: LoadedState,
  { opened, rejected }: OpenedSnapshots,
): Promise<LoadedMemory> {
  const fromSnapshots: RulesetFromSnapshot[] = [];
  const unusable = [...rejected];
  for (const [index, { rules, saved }] of opened.entries()) {
    const caughtUp = loaded.caughtUp[index]!;
    const { rulesetId } = caughtUp;
    if ("reason" in caughtUp) {
      unusable.push(caughtUp);
      continue;
    }
    let changedRules = 0;
    for (const change of caughtUp.changes) {
      await inSlices(applying(rules, change));
      changedRules += change.upserts.length + change.deletes.length;
    }
    memory.addIndex(rulesetId, rules);
    fromSnapshots.push({ rulesetId, sequence: saved.sequence, changes: caughtUp.changes.length, changedRules });
  }
  await memory.addState(loaded);
  return { memory, fromSnapshots, rejected: unusable };
}
