import { openSnapshot } from "../../snapshot/open-snapshot.ts";
import { verifySnapshot } from "../../snapshot/verify-snapshot.ts";
import { CATALOGUE_KIND } from "../../cbs/catalogue.ts";
import { catalogueOf } from "../../datasets/catalogue-from-bytes.ts";
import { DEFAULT_CATALOGUE, defaultCatalogue } from "../default-datasets.ts";
import { withPath } from "../../datasets/with-path.ts";
import { CTI_KIND } from "../../cti/dataset.ts";
import { ctiDatasetOf } from "../../datasets/cti-dataset-from-bytes.ts";
import { checkStoredRuleset, RULESET_KIND } from "../../rulesets/stored-ruleset.ts";
import { type Arguments, type Command, EXIT } from "../command.ts";
import { grouped } from "../output/numbers.ts";

export const verifyCommand: Command = {
  name: "verify",
  summary: "check a catalogue, dataset or ruleset file in full: every checksum, prefix, node, document and rule",
  operands: "[FILE]",
  options: [],
  notes: [`Without FILE, the catalogue is ${DEFAULT_CATALOGUE}. Exit code: 0 if the file is intact, 2 if not.`],
  examples: [{ command: "ipsieve verify bad.ipsieve", what: "before using it" }],
  run,
};

async function run(args: Arguments): Promise<number> {
  const [path = defaultCatalogue()] = args.operands;
  const verified = await verifySnapshot(path);
  if (verified.kind === CATALOGUE_KIND) await verifyCatalogue(path);
  if (verified.kind === CTI_KIND) await verifyDataset(path);
  if (verified.kind === RULESET_KIND) await verifyRuleset(path);
  const { prefixCount4, prefixCount6, valueCount, deepestNesting, sections } = verified;
  process.stdout.write(
    `${path}: intact; ${grouped(prefixCount4)} IPv4 and ${grouped(prefixCount6)} IPv6 prefixes, nested up to ${deepestNesting} deep, of ${grouped(valueCount)} values; ${sections.length} sections\n`,
  );
  return EXIT.matched;
}

async function verifyCatalogue(path: string): Promise<void> {
  const catalogue = catalogueOf(await openSnapshot(path), path);
  withPath(path, () => catalogue.checkValues());
}

async function verifyDataset(path: string): Promise<void> {
  const dataset = ctiDatasetOf(await openSnapshot(path), path);
  withPath(path, () => dataset.checkDocuments());
}

async function verifyRuleset(path: string): Promise<void> {
  const { metadata, table } = await openSnapshot(path);
  withPath(path, () => checkStoredRuleset(metadata, table));
}
