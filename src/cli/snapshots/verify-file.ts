import { CATALOGUE_KIND } from "../../cbs/catalogue.ts";
import { CTI_KIND } from "../../cti/cti-kind.ts";
import { catalogueOf } from "../../datasets/catalogue-from-bytes.ts";
import { checkIndex } from "../../cti/search/check-index.ts";
import { ctiDatasetOf } from "../../datasets/cti-dataset-from-bytes.ts";
import { withPath } from "../../datasets/with-path.ts";
import { checkStoredRuleset } from "../../rulesets/stored/stored-ruleset.ts";
import { type OpenOptions, openSnapshot } from "../../snapshot/open-snapshot.ts";
import { type VerifiedSnapshot, verifySnapshot } from "../../snapshot/verify-snapshot.ts";
import { NETWORKS_KIND } from "../../networks/networks-kind.ts";
import { networksOf } from "../../datasets/networks-from-bytes.ts";
import { RULESET_KIND } from "../../rulesets/ruleset-kind.ts";

/**
 * Proves that a file can be used: every checksum, prefix, node, network, document, index and rule, and who signed it if there are keys.
 * Rejects with what is wrong with it.
 */
export async function verifyFile(path: string, options?: OpenOptions): Promise<VerifiedSnapshot> {
  const verified = await verifySnapshot(path, options);
  if (verified.kind === CATALOGUE_KIND) await verifyCatalogue(path);
  if (verified.kind === CTI_KIND) await verifyDataset(path);
  if (verified.kind === NETWORKS_KIND) await verifyNetworks(path);
  if (verified.kind === RULESET_KIND) await verifyRuleset(path);
  return verified;
}

async function verifyCatalogue(path: string): Promise<void> {
  const catalogue = catalogueOf(await openSnapshot(path), path);
  withPath(path, () => catalogue.checkValues());
}

async function verifyDataset(path: string): Promise<void> {
  const dataset = ctiDatasetOf(await openSnapshot(path), path);
  withPath(path, () => dataset.checkDocuments());
  withPath(path, () => checkIndex(dataset));
}

async function verifyNetworks(path: string): Promise<void> {
  const networks = networksOf(await openSnapshot(path), path);
  withPath(path, () => networks.checkContents());
}

async function verifyRuleset(path: string): Promise<void> {
  const { metadata, table } = await openSnapshot(path);
  withPath(path, () => checkStoredRuleset(metadata, table));
}
