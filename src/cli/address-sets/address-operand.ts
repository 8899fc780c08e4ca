import { existsSync } from "node:fs";
import type { Prefix } from "../../address/address.ts";
import { openRuleset } from "../../datasets/ruleset-files.ts";
import { type Gathered, gatheringPrefixes } from "../../deployments/gathered.ts";
import { gatheringNode } from "../../deployments/sources/node.ts";
import { gatheringRules } from "../../deployments/sources/rules.ts";
import { gatheringVotes } from "../../deployments/sources/votes.ts";
import { readEntry } from "../../reading/list-entry.ts";
import { ListLineError } from "../../reading/list-error.ts";
import type { PlainLine } from "../../reading/plain-line.ts";
import { indexOf } from "../../rulesets/ruleset.ts";
import type { Capability } from "../../sets/capability.ts";
import { type AddressSet, AddressSetBuilder } from "../../sets/address-set.ts";
import { finished } from "../../turns/finished.ts";
import type { DatasetOptions } from "./dataset-options.ts";
import { DEFAULT_NETWORKS } from "../snapshots/chosen-networks.ts";
import { gatheredNetwork, isNetworkOperand } from "./network-operand.ts";
import { gatheredThreats, THREATS } from "./threat-operand.ts";
import { ATLEAST, countedVote } from "./vote-operand.ts";
import { DEFAULT_DATASET } from "../snapshots/default-datasets.ts";
import { openTree, withIds } from "../snapshots/catalogue-tree.ts";
import type { Arguments, Option } from "../runner/command.ts";
import { momentOf } from "../options/moment.ts";
import { counted } from "../../words/numbers.ts";
import { listName, NO_ENTRIES } from "../rule-lists/list-options.ts";
import { LineMessages } from "../rule-lists/line-messages.ts";
import { readList } from "../rule-lists/read-list.ts";
import { rejectOwnOutput } from "../input/reject-own-output.ts";
import { isRulesetFile } from "../rule-lists/rule-source.ts";
import { UsageError } from "../runner/usage-error.ts";

/** Options of commands whose operands are sets of addresses. */
export const ADDRESS_OPTIONS: readonly Option[] = [
  {
    name: "snapshot",
    value: "FILE",
    isPath: true,
    help: "the catalogue for cbs:NODE operands; default: the one that identify uses",
  },
  {
    name: "threats",
    value: "FILE",
    isPath: true,
    help: `the dataset for cti:SELECTION and cti:QUERY operands; default: ${DEFAULT_DATASET}`,
  },
  {
    name: "networks",
    value: "FILE",
    isPath: true,
    help: `the networks for asn:NUMBER and country:CODE operands; default: ${DEFAULT_NETWORKS}`,
  },
  {
    name: "now",
    value: "TIME",
    help: "ignore what has expired by TIME in rulesets, catalogue and dataset; default: now",
  },
];

/** What such an operand can be. */
export const ADDRESS_NOTE =
  'A set is a list (an address, prefix or FIRST-LAST range per line, or several; "-" is standard input; gzip and zstd data are unpacked), a ruleset file (*.ipsieve), cbs:NODE for a node of the catalogue with all its descendants, cti:SELECTION or cti:QUERY for addresses of threat intelligence, asn:NUMBER for what an AS number announces, country:CODE for what is registered in a country (two letters), atleast:K;SET;SET... for the addresses that at least K of these sets have, or a prefix, address or range itself. "#", ";" and "//" begin a comment; labels after a comma are ignored; a line that is not understood to its end is an error. A selection is a comma-separated list of a classification, tag=TAG (of several tags, one is enough) and days=N (last seen at most N days ago). A query is as in "cti search": cti:\'country:CN AND port:23\'.';

export const NODE = "cbs:";

/** The moment that --now names; the clock is read once per command. Throws UsageError. */
export function nowOf(args: Arguments): number {
  const now = args.value("now");
  return now === undefined ? Date.now() : +momentOf("now", now);
}

/** What a set is for. */
export interface SetUse {
  /** With the ends of its addresses. */
  readonly isTimed?: boolean;
  /** It protects its addresses: a list without entries is an error, as it protects nothing. */
  readonly protects?: boolean;
  /** With the addresses of those of its prefixes that a list of this kind can express. */
  readonly expresses?: Capability | undefined;
}

/** The addresses of an operand. Throws as `gatheredOf`. */
export async function addressesOf(
  args: DatasetOptions,
  operand: string,
  now: number,
  use: Pick<SetUse, "protects"> = {},
): Promise<AddressSet> {
  if (isList(operand)) return listAddresses(operand, use);
  return (await gatheredOf(args, operand, now, use)).addresses;
}

/** Whether a text names addresses of a dataset. */
export function isOfDataset(operand: string): boolean {
  return operand.startsWith(NODE) || operand.startsWith(THREATS) || isNetworkOperand(operand);
}

/** Whether sets are counted for it, in place of one that is read. */
function isVote(operand: string): boolean {
  return operand.startsWith(ATLEAST);
}

/** Whether a text is an operand at all, whether or not what it names exists. */
export function isSetOperand(text: string): boolean {
  return isOfDataset(text) || isVote(text) || isRulesetFile(text) || isList(text) || literalIn(text) !== undefined;
}

/** Whether an operand is a list rather than what its text, or its file, otherwise means. */
function isList(operand: string): boolean {
  if (isOfDataset(operand) || isVote(operand) || isRulesetFile(operand)) return false;
  return operand === "-" || existsSync(operand);
}

/**
 * What an operand lists at `now`. Lines that cannot be read are reported as FILE:LINE. Throws UsageError if there are any,
 * UsageError for an operand that is none of these, and the errors of opening the file.
 */
export async function gatheredOf(
  args: DatasetOptions,
  operand: string,
  now: number,
  { isTimed = false, expresses, ...use }: SetUse = {},
): Promise<Gathered> {
  if (operand.startsWith(NODE)) {
    const tree = await openTree(args.value("snapshot"), now);
    return withIds(tree, () => finished(gatheringNode(operand, tree, operand.slice(NODE.length), isTimed, expresses)));
  }
  if (operand.startsWith(THREATS)) return gatheredThreats(args, operand, now, isTimed, expresses);
  if (isNetworkOperand(operand)) return gatheredNetwork(args, operand, expresses);
  if (isVote(operand)) return gatheredVote(args, operand, now, expresses);
  if (isRulesetFile(operand)) {
    rejectOwnOutput(operand);
    return finished(gatheringRules(operand, indexOf(await openRuleset(operand)), now, isTimed, expresses));
  }
  if (isList(operand)) return listed(listName(operand), await listPrefixes(operand, use), expresses);
  const literal = literalIn(operand);
  if (literal !== undefined) return listed(operand, literal, expresses);
  throw new UsageError(
    `${operand}: not a file, prefix, address or range; for a node of the catalogue, write cbs:NODE; for threat intelligence, cti:SELECTION or cti:QUERY; for networks, asn:NUMBER or country:CODE`,
  );
}

async function gatheredVote(
  args: DatasetOptions,
  operand: string,
  now: number,
  expresses: Capability | undefined,
): Promise<Gathered> {
  const vote = countedVote(operand);
  const voters: Gathered[] = [];
  for (const voter of vote.voters) voters.push(await gatheredVoter(args, voter, now));
  return finished(gatheringVotes(operand, vote, voters, expresses));
}

/** A voter can be several prefixes, addresses and ranges, with commas between them, as on a server. */
export async function gatheredVoter(args: DatasetOptions, voter: string, now: number): Promise<Gathered> {
  const literals = isList(voter) ? [] : voter.split(",").map(literalIn);
  const isLiteral = literals.length > 0 && literals.every((each) => each !== undefined);
  return isLiteral ? listed(voter, literals.flat(), undefined) : gatheredOf(args, voter, now);
}

function listed(name: string, prefixes: readonly Prefix[], expresses: Capability | undefined): Gathered {
  return finished(gatheringPrefixes(name, prefixes, expresses));
}

async function listPrefixes(path: string, use: SetUse): Promise<Prefix[]> {
  const prefixes: Prefix[] = [];
  await readAddresses(path, use, (prefix) => prefixes.push(prefix));
  return prefixes;
}

/** For a list of which only the addresses are used: most lines need no object. */
async function listAddresses(path: string, use: SetUse): Promise<AddressSet> {
  const builder = new AddressSetBuilder();
  await readAddresses(
    path,
    use,
    (prefix) => builder.add(prefix),
    ({ family, words, length }) => builder.addWords(family, words, length),
  );
  return builder.finish();
}

/** Reads a list; throws UsageError after the last line if any cannot be read. `onPlain` as in `readList`. */
async function readAddresses(
  path: string,
  { protects = false }: SetUse,
  onPrefix: (prefix: Prefix) => void,
  onPlain?: (line: PlainLine) => void,
): Promise<void> {
  const messages = new LineMessages(listName(path));
  let isEmpty = true;
  await readList(
    path,
    ({ prefixes }) => {
      isEmpty = false;
      for (const prefix of prefixes) onPrefix(prefix);
    },
    ({ line, message }) => messages.add(line, message),
    undefined,
    (line) => {
      if (onPlain === undefined) return false;
      isEmpty = false;
      onPlain(line);
      return true;
    },
  );
  messages.end();
  if (messages.count > 0)
    throw new UsageError(
      `${listName(path)}: ${counted(messages.count, "line")} cannot be read, and the result would be wrong without them; correct the list`,
    );
  if (protects && isEmpty) throw new UsageError(`${listName(path)}: ${NO_ENTRIES}`);
}

/** The prefixes of a prefix, address or range; undefined for other text. Throws UsageError if it only looks like one. */
export function literalIn(text: string): readonly Prefix[] | undefined {
  if (!/^[0-9a-f.:]+(?:[/-][0-9a-f.:]*)?$/i.test(text) || !/[.:]/.test(text)) return undefined;
  try {
    return readEntry(text, 0, "reject").prefixes;
  } catch (error) {
    throw error instanceof ListLineError ? new UsageError(`${text}: ${error.problem}`) : error;
  }
}
