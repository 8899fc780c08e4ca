import { existsSync } from "node:fs";
import { AddressError } from "../../address/address-error.ts";
import type { Prefix } from "../../address/address.ts";
import { parsePrefix } from "../../address/prefix.ts";
import { parseRange, rangeToPrefixes } from "../../address/range.ts";
import { CLASSIFICATIONS, type Classification } from "../../cti/fields.ts";
import { openCtiDataset } from "../../datasets/open-cti-dataset.ts";
import { withPath } from "../../datasets/with-path.ts";
import { openRuleset } from "../../datasets/ruleset-files.ts";
import { type Gathered, gatheringPrefixes } from "../../deployments/gathered.ts";
import { gatheringNode } from "../../deployments/sources/node.ts";
import { gatheringRules } from "../../deployments/sources/rules.ts";
import { gatheringThreats, type ThreatSelection } from "../../deployments/sources/threats.ts";
import { indexOf } from "../../rulesets/ruleset.ts";
import { MAX_EXPIRY_DAYS } from "../../rulesets/validate-rule.ts";
import { type AddressSet, AddressSetBuilder } from "../../sets/address-set.ts";
import { finished } from "../../turns/finished.ts";
import { DEFAULT_DATASET, defaultDataset } from "../snapshots/default-datasets.ts";
import { nearest } from "../../words/nearest.ts";
import { openTree, withIds } from "../snapshots/catalogue-tree.ts";
import type { Arguments, Option } from "../runner/command.ts";
import { momentOf } from "../options/moment.ts";
import { counted } from "../output/numbers.ts";
import { standardError } from "../output/standard-error.ts";
import { listName } from "../rule-lists/list-options.ts";
import type { PlainLine } from "../rule-lists/plain-line.ts";
import { readList } from "../rule-lists/read-list.ts";
import { rejectOwnOutput } from "../input/reject-own-output.ts";
import { isRulesetFile } from "../rulesets/ruleset-file.ts";
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
    help: `the dataset for cti:SELECTION operands; default: ${DEFAULT_DATASET}`,
  },
  {
    name: "now",
    value: "TIME",
    help: "ignore what has expired by TIME in rulesets, catalogue and dataset; default: now",
  },
];

/** What such an operand can be. */
export const ADDRESS_NOTE =
  'A set is a list (one prefix, address or FIRST-LAST range per line; "-" is standard input; gzip and zstd data are unpacked), a ruleset file (*.ipsieve), cbs:NODE for a node of the catalogue with all its descendants, cti:SELECTION for addresses of threat intelligence, or a prefix, address or range itself. Anything after a comma, # or ; on a line is ignored. A selection is a comma-separated list of a classification, tag=TAG (of several tags, one is enough) and days=N (last seen at most N days ago).';

export const NODE = "cbs:";
export const THREATS = "cti:";

/** The moment that --now names; the clock is read once per command. Throws UsageError. */
export function nowOf(args: Arguments): number {
  const now = args.value("now");
  return now === undefined ? Date.now() : +momentOf("now", now);
}

/** The addresses of an operand. Throws as `gatheredOf`. */
export async function addressesOf(args: Arguments, operand: string, now: number): Promise<AddressSet> {
  if (isList(operand)) return listAddresses(operand);
  return (await gatheredOf(args, operand, now)).addresses;
}

/** Whether an operand is a list rather than what its text, or its file, otherwise means. */
function isList(operand: string): boolean {
  if (operand.startsWith(NODE) || operand.startsWith(THREATS) || isRulesetFile(operand)) return false;
  return operand === "-" || existsSync(operand);
}

/**
 * What an operand lists at `now`, with the ends of its addresses if `isTimed`. Lines that cannot be read are reported as
 * FILE:LINE. Throws UsageError if there are any, UsageError for an operand that is none of these, and the errors of
 * opening the file.
 */
export async function gatheredOf(args: Arguments, operand: string, now: number, isTimed = false): Promise<Gathered> {
  if (operand.startsWith(NODE)) {
    const tree = await openTree(args.value("snapshot"), now);
    return withIds(tree, () => finished(gatheringNode(operand, tree, operand.slice(NODE.length), isTimed)));
  }
  if (operand.startsWith(THREATS)) {
    const selection = threatSelectionIn(operand);
    const path = args.value("threats") ?? defaultDataset();
    const dataset = await openCtiDataset(path);
    return withPath(path, () => finished(gatheringThreats(operand, dataset, selection, now, isTimed)));
  }
  if (isRulesetFile(operand)) {
    rejectOwnOutput(operand);
    return finished(gatheringRules(operand, indexOf(await openRuleset(operand)), now, isTimed));
  }
  if (isList(operand)) return listed(listName(operand), await listPrefixes(operand));
  const literal = literalIn(operand);
  if (literal !== undefined) return listed(operand, literal);
  throw new UsageError(
    `${operand}: not a file, prefix, address or range; for a node of the catalogue, write cbs:NODE; for threat intelligence, cti:SELECTION`,
  );
}

function listed(name: string, prefixes: readonly Prefix[]): Gathered {
  return finished(gatheringPrefixes(name, prefixes));
}

async function listPrefixes(path: string): Promise<Prefix[]> {
  const prefixes: Prefix[] = [];
  await readAddresses(path, (prefix) => prefixes.push(prefix));
  return prefixes;
}

/** For a list of which only the addresses are used: most lines need no object. */
async function listAddresses(path: string): Promise<AddressSet> {
  const builder = new AddressSetBuilder();
  await readAddresses(
    path,
    (prefix) => builder.add(prefix),
    ({ family, words, length }) => {
      builder.addWords(family, words, length);
      return true;
    },
  );
  return builder.finish();
}

/** Reads a list; throws UsageError after the last line if any cannot be read. `onPlain` as in `readList`. */
async function readAddresses(
  path: string,
  onPrefix: (prefix: Prefix) => void,
  onPlain?: (line: PlainLine) => boolean,
): Promise<void> {
  let malformed = 0;
  const warn = (line: number, message: string): void => {
    standardError().write(`${listName(path)}:${line}: ${message}\n`);
  };
  await readList(
    path,
    ({ line, prefixes, warning }) => {
      for (const prefix of prefixes) onPrefix(prefix);
      if (warning !== undefined) warn(line, warning);
    },
    ({ line, message }) => {
      malformed++;
      warn(line, message);
    },
    undefined,
    onPlain,
  );
  if (malformed === 0) return;
  throw new UsageError(
    `${listName(path)}: ${counted(malformed, "line")} cannot be read, and the result would be wrong without them; correct the list`,
  );
}

/** The prefixes of a prefix, address or range; undefined for other text. Throws UsageError if it only looks like one. */
export function literalIn(text: string): Prefix[] | undefined {
  if (!/^[0-9a-f.:]+(?:[/-][0-9a-f.:]*)?$/i.test(text) || !/[.:]/.test(text)) return undefined;
  try {
    if (!text.includes("-")) return [parsePrefix(text)];
    const { first, last } = parseRange(text);
    return rangeToPrefixes(first, last);
  } catch (error) {
    throw error instanceof AddressError ? new UsageError(`${text}: ${error.problem}`) : error;
  }
}

/** What follows `cti:`. Throws UsageError. */
export function threatSelectionIn(operand: string): ThreatSelection {
  const parts = operand.slice(THREATS.length).split(",");
  let classification: Classification | undefined;
  let seenWithinDays: number | undefined;
  const tags: string[] = [];
  for (const part of parts) {
    const days = /^days=(\d{1,7})$/.exec(part)?.[1];
    const known = CLASSIFICATIONS.find((each) => each === part);
    if (part.length > TAG.length && part.startsWith(TAG)) tags.push(part.slice(TAG.length));
    else if (days !== undefined && Number(days) <= MAX_EXPIRY_DAYS && seenWithinDays === undefined)
      seenWithinDays = Number(days);
    else if (known !== undefined && classification === undefined) classification = known;
    else throw badSelection(operand, part, parts);
  }
  return { classification, tags: tags.length === 0 ? undefined : tags, seenWithinDays };
}

const TAG = "tag=";

function badSelection(operand: string, part: string, parts: readonly string[]): UsageError {
  const choices = `write ${CLASSIFICATIONS.join("|")}, tag=TAG or days=N`;
  if (parts.filter((each) => each === part).length > 1) return new UsageError(`${operand}: ${part} is given twice`);
  const meant = part === "" ? undefined : nearest(part, CLASSIFICATIONS);
  const cure = meant === undefined ? choices : `did you mean ${meant}?`;
  return new UsageError(`${operand}: unknown selection ${JSON.stringify(part)}; ${cure}`);
}
