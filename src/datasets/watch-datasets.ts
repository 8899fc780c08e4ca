import type { Catalogue } from "../cbs/catalogue.ts";
import type { CtiDataset } from "../cti/dataset.ts";
import type { Networks } from "../networks/networks.ts";
import type { Ruleset } from "../rulesets/ruleset.ts";
import { type SnapshotHolder, watchAs, type WatchOptions } from "../snapshot/snapshot-holder.ts";
import { openCatalogue } from "./open-catalogue.ts";
import { openCtiDataset } from "./open-cti-dataset.ts";
import { openNetworks } from "./open-networks.ts";
import { openRuleset } from "./ruleset-files.ts";

/**
 * Opens a saved ruleset and follows its file, as `watchSnapshot` does: `holder.current.content` is the newest one.
 * Rejects like `openRuleset`, for the first file. Changes of an opened ruleset are not in its file, so the next file
 * takes their place: write to a copy of your own.
 */
export async function watchRuleset(path: string, options?: WatchOptions): Promise<SnapshotHolder<Ruleset>> {
  return watchAs(path, openRuleset, options);
}

/** The same for a catalogue. Rejects like `openCatalogue`, for the first file. */
export async function watchCatalogue(path: string, options?: WatchOptions): Promise<SnapshotHolder<Catalogue>> {
  return watchAs(path, (file) => openCatalogue(file), options);
}

/** The same for a dataset of threat intelligence. Rejects like `openCtiDataset`, for the first file. */
export async function watchCtiDataset(path: string, options?: WatchOptions): Promise<SnapshotHolder<CtiDataset>> {
  return watchAs(path, openCtiDataset, options);
}

/** The same for networks. Rejects like `openNetworks`, for the first file. */
export async function watchNetworks(path: string, options?: WatchOptions): Promise<SnapshotHolder<Networks>> {
  return watchAs(path, openNetworks, options);
}
