import { DEFAULT_CATALOGUE, defaultCatalogue } from "../snapshots/default-datasets.ts";
import { type Arguments, type Command, EXIT } from "../runner/command.ts";
import { grouped } from "../../words/numbers.ts";
import { chosenTrustedKeys, TRUSTED_KEY_OPTION } from "../options/trusted-keys.ts";
import { verifyFile } from "../snapshots/verify-file.ts";

export const verifyCommand: Command = {
  name: "verify",
  summary: "check a catalogue, dataset or ruleset file in full: every checksum, prefix, node, document and rule",
  operands: "[FILE]",
  options: [TRUSTED_KEY_OPTION],
  notes: [`Without FILE, the catalogue is ${DEFAULT_CATALOGUE}. Exit code: 0 if the file is intact, 2 if not.`],
  examples: [
    { command: "ipsieve verify bad.ipsieve", what: "before using it" },
    { command: "ipsieve verify --trusted-key release.pub catalogue.ipsieve", what: "and prove who published it" },
  ],
  run,
};

async function run(args: Arguments): Promise<number> {
  const [path = defaultCatalogue()] = args.operands;
  const trustedKeys = chosenTrustedKeys(args);
  const { prefixCount4, prefixCount6, valueCount, deepestNesting, sections } = await verifyFile(path, { trustedKeys });
  const signed = trustedKeys === undefined ? "" : ", signed by a trusted key";
  process.stdout.write(
    `${path}: intact${signed}; ${grouped(prefixCount4)} IPv4 and ${grouped(prefixCount6)} IPv6 prefixes, nested up to ${deepestNesting} deep, of ${grouped(valueCount)} values; ${sections.length} sections\n`,
  );
  return EXIT.matched;
}
