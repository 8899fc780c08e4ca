import { CATALOGUE_KIND } from "../../cbs/catalogue.ts";
import { CTI_KIND } from "../../cti/cti-kind.ts";
import { ctiDatasetOf } from "../../datasets/cti-dataset-from-bytes.ts";
import { ctiSource, type MmdbSource, networksSource, rulesSource } from "../../datasets/joined-mmdb.ts";
import { networksOf } from "../../datasets/networks-from-bytes.ts";
import { rulesetOf } from "../../datasets/ruleset-from-bytes.ts";
import { NETWORKS_KIND } from "../../networks/networks-kind.ts";
import { RULESET_KIND } from "../../rulesets/ruleset-kind.ts";
import { openSnapshot } from "../../snapshot/open-snapshot.ts";
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
      throw new UsageError(`--with ${path}: ${file.name} is there already; a record has room for one`);
    files.push(file);
  }
  return files;
}

async function openOne(path: string): Promise<AddedFile> {
  const snapshot = await openSnapshot(path);
  const { kind } = snapshot.info;
  const createdAt = snapshot.info.createdAt.toISOString();
  if (kind === NETWORKS_KIND) {
    const networks = networksOf(snapshot, path);
    return {
      kind,
      name: "a file of networks",
      title: networks.metadata.title,
      createdAt,
      source: networksSource(networks),
    };
  }
  if (kind === CTI_KIND) {
    const dataset = ctiDatasetOf(snapshot, path);
    return {
      kind,
      name: "a file of threat intelligence",
      title: dataset.metadata.title,
      createdAt,
      source: ctiSource(dataset),
    };
  }
  if (kind === RULESET_KIND) {
    const ruleset = rulesetOf(snapshot, path);
    return {
      kind,
      name: `a ruleset ${ruleset.name}`,
      title: ruleset.name,
      createdAt,
      source: rulesSource(ruleset, Date.now()),
    };
  }
  if (kind === CATALOGUE_KIND)
    throw new UsageError(`--with ${path}: a catalogue is what the others are joined to; name it by --snapshot`);
  throw new UsageError(`--with ${path}: a file of the kind ${kind} says nothing about addresses`);
}
