import type { Family, Prefix } from "../../address/address.ts";
import { AddressError } from "../../address/address-error.ts";
import { formatPrefix, parsePrefix } from "../../address/prefix.ts";
import type { Catalogue } from "../../cbs/catalogue.ts";
import { identify } from "../../cbs/identify.ts";
import { AS_OF_OPTION, chosenMoment, chosenSnapshot, NOW_OPTION } from "../snapshots/catalogue-history.ts";
import { NETWORKS_OPTION, ShownNetworks } from "../snapshots/chosen-networks.ts";
import { DEFAULT_CATALOGUE } from "../snapshots/default-datasets.ts";
import { openCatalogueLazily } from "../../datasets/open-catalogue.ts";
import { withPath } from "../../datasets/with-path.ts";
import { type Arguments, type Command, EXIT } from "../runner/command.ts";
import { lookupCard } from "../output/lookup-card.ts";
import { isOutputClosed, printText } from "../runner/standard-output.ts";
import { styleFor } from "../output/style.ts";
import { readOperands } from "../input/read-operands.ts";
import { reportError } from "../runner/report-error.ts";

export const lookupCommand: Command = {
  name: "lookup",
  summary: "show everything known about addresses or prefixes",
  operands: "ADDRESS|PREFIX|-...",
  operandWords: [],
  options: [
    { name: "json", help: "print one JSON document per line" },
    { name: "snapshot", value: "FILE", isPath: true, help: `the catalogue to use; default: ${DEFAULT_CATALOGUE}` },
    NETWORKS_OPTION,
    AS_OF_OPTION,
    NOW_OPTION,
  ],
  notes: [
    '"-" reads standard input, the lines of a list. A prefix matches the entries that cover all of it. The network is that of the AS number that announces the address; an address can have one without any service. Exit code: 0 if a service matched, 1 if none did, 2 if an argument or a line is malformed.',
  ],
  examples: [
    { command: "ipsieve lookup 8.8.8.8 2606:4700::/32", what: "an address and a prefix" },
    { command: "ipsieve lookup --json 8.8.8.8 | jq .cbs_ids", what: "for programs" },
    { command: "ipsieve lookup --json 171.64.1.1 | jq .network", what: "who announces it, and where it is registered" },
    { command: "cut -f1 addresses.tsv | ipsieve lookup --json -", what: "many addresses, from a pipe" },
  ],
  run,
};

async function run(args: Arguments): Promise<number> {
  const opening = ShownNetworks.open(args, onlyFamily(args.operands)); // read while the catalogue is
  const path = await chosenSnapshot(args);
  const catalogue = await openCatalogueLazily(path, chosenMoment(args));
  const networks = await opening;
  const print = args.has("json") ? printJson : printCard;
  let found = false;
  let failed = false;
  for await (const { text, location, error: lineError } of readOperands(args.operands)) {
    if (isOutputClosed()) break;
    try {
      if (lineError !== undefined) throw lineError;
      found = (await print(catalogue, networks, parsePrefix(text), text)) || found;
    } catch (error) {
      if (!(error instanceof AddressError) && error !== lineError) throw namingPath(path, error);
      reportError(error, location);
      failed = true;
    }
  }
  if (failed) return EXIT.error;
  return found ? EXIT.matched : EXIT.nothing;
}

/** The family of all operands, if they have one: mapped addresses, and what standard input has, may be of either. */
function onlyFamily(operands: readonly string[]): Family | undefined {
  if (operands.every((text) => /^[0-9][0-9./]*$/.test(text))) return 4;
  return operands.every((text) => text.includes(":") && !text.includes(".") && !/ffff:/i.test(text)) ? 6 : undefined;
}

/** The error of a node that was read from a catalogue with the catalogue's path; any other as it is. */
function namingPath(path: string, error: unknown): unknown {
  try {
    return withPath(path, () => {
      throw error;
    });
  } catch (named) {
    return named;
  }
}

async function printJson(
  catalogue: Catalogue,
  networks: ShownNetworks,
  prefix: Prefix,
  text: string,
): Promise<boolean> {
  const document = { ...identify(catalogue, prefix, text), network: networks.of(prefix) };
  await printText(`${JSON.stringify(document)}\n`);
  return document.found;
}

async function printCard(catalogue: Catalogue, networks: ShownNetworks, prefix: Prefix): Promise<boolean> {
  const style = styleFor(process.stdout);
  await printText(lookupCard(catalogue, networks.of(prefix), prefix, formatPrefix(prefix), style));
  return catalogue.table.activeMatch(catalogue.table.lookupPrefix(prefix), catalogue.now) !== 0;
}
