import { CATALOGUE_KIND } from "../../cbs/catalogue.ts";
import { CTI_KIND } from "../../cti/cti-kind.ts";
import { ctiDatasetOf } from "../../datasets/cti-dataset-from-bytes.ts";
import { ctiSource, type MmdbSource, networksSource, rulesSource } from "../../datasets/joined-mmdb.ts";
import { networksOf } from "../../datasets/networks-from-bytes.ts";
import { rulesetOf } from "../../datasets/ruleset-from-bytes.ts";
import { NETWORKS_KIND } from "../../networks/networks-kind.ts";
import { RULESET_KIND } from "../../rulesets/ruleset-kind.ts";
import { openSnapshot } from "../../snapshot/open-snapshot.ts";
import { SnapshotError } from "../../snapshot/snapshot-error.ts";
import type { Snapshot } from "../../snapshot/snapshot.ts";
import { UsageError } from "../runner/usage-error.ts";
import { defaultNetworks } from "./chosen-networks.ts";

/** In place of a file: the networks that lookups show. */
export const NETWORKS = "networks";

/** What a file adds to an export of the catalogue. */
export interface AddedFile {
  readonly kind: string;
  /** What tells it from others: of rulesets the name, of other kinds there can be only one. */
  readonly name: string;
  readonly title: string;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  readonly source: MmdbSource;
}

/** What is read of a file, by its kind. */
const READERS: Readonly<
  Record<string, (snapshot: Snapshot, path: string) => Pick<AddedFile, "name" | "title" | "source">>
> = {
  [NETWORKS_KIND](snapshot, path) {
    const networks = networksOf(snapshot, path);
    return { name: "a file of networks", title: networks.metadata.title, source: networksSource(networks) };
  },
  [CTI_KIND](snapshot, path) {
    const dataset = ctiDatasetOf(snapshot, path);
    return { name: "a file of threat intelligence", title: dataset.metadata.title, source: ctiSource(dataset) };
  },
  [RULESET_KIND](snapshot, path) {
    const ruleset = rulesetOf(snapshot, path);
    const { name } = ruleset;
    return { name: `a ruleset named ${JSON.stringify(name)}`, title: name, source: rulesSource(ruleset, Date.now()) };
  },
};

/** The file that a value of `--with` stands for. */
export function addedPath(value: string): string {
  return value === NETWORKS ? defaultNetworks() : value;
}

/** Opens the files that `--with` names. Rejects with SnapshotError, DatasetError, UsageError. */
export async function openAdded(paths: readonly string[]): Promise<readonly AddedFile[]> {
  const files: AddedFile[] = [];
  for (const path of paths) {
    const file = await openOne(addedPath(path));
    if (files.some(({ kind, name }) => kind === file.kind && name === file.name))
      throw new UsageError(
        `--with ${path}: ${file.name} is given already, and a record has room for one; leave one of them out`,
      );
    files.push(file);
  }
  return files;
}

async function openOne(path: string): Promise<AddedFile> {
  const snapshot = await openSnapshot(path).catch((error: unknown) => {
    if (error instanceof SnapshotError && error.code === "not-a-snapshot")
      throw new UsageError(
        `--with ${path}: not a file of networks, threat intelligence or a ruleset; for a list, make one: ipsieve ruleset create NAME.ipsieve, and ipsieve ruleset import NAME.ipsieve ${path}`,
      );
    throw error;
  });
  const { kind, createdAt } = snapshot.info;
  const read = Object.hasOwn(READERS, kind) ? READERS[kind] : undefined;
  if (read !== undefined) return { kind, createdAt: createdAt.toISOString(), ...read(snapshot, path) };
  throw new UsageError(
    kind === CATALOGUE_KIND
      ? `--with ${path}: a catalogue cannot be joined to another one; name it by --snapshot`
      : `--with ${path}: a file of the kind ${JSON.stringify(kind)} says nothing about addresses`,
  );
}
