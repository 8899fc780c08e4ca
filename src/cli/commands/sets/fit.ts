import { formatPrefix } from "../../../address/prefix.ts";
import { findCollateral } from "../../../collateral/find-collateral.ts";
import { protectionOf } from "../../../collateral/protection-of.ts";
import { openCatalogueSnapshot } from "../../../datasets/open-catalogue.ts";
import { exportRules, type RuleExportFormat } from "../../../rulesets/export-rules.ts";
import { type CollateralDocument, collateralDocuments } from "../../../service/guards/collateral-documents.ts";
import { AddressSet } from "../../../sets/address-set.ts";
import { fit, type Fit, FitError, type FitLoss } from "../../../sets/fit.ts";
import { openTree } from "../../snapshots/catalogue-tree.ts";
import { type Arguments, type Command, EXIT } from "../../runner/command.ts";
import { countedAddresses, countedLog, LOG_OPTIONS } from "../../input/counted-log.ts";
import { defaultCatalogue } from "../../snapshots/default-datasets.ts";
import { counted, grouped } from "../../../words/numbers.ts";
import { printChunks } from "../../output/print-chunks.ts";
import { standardError } from "../../runner/standard-error.ts";
import { wholeNumber } from "../../runner/parse-arguments.ts";
import { expressed, PREFIX_FORMATS, rulesOf, SET_NAME_OPTION, setNameFor } from "../../options/prefix-formats.ts";
import { reportWarnings } from "../../rulesets/report-warnings.ts";
import { SET_NOTES, SET_OPTIONS, SetOperands } from "../../address-sets/set-operands.ts";
import { UsageError } from "../../runner/usage-error.ts";

const LOSSES = ["none", "add", "remove"] as const satisfies FitLoss[];
const MAX_ENTRIES = 100_000_000;

export const fitCommand: Command = {
  name: "sets fit",
  summary: "print the best list of at most N prefixes for sets of addresses",
  operands: "SET...",
  options: [
    { name: "entries", value: "N", help: "at most this many prefixes" },
    {
      name: "loss",
      value: "LOSS",
      choices: LOSSES,
      help: "if N are too few: none (default: an error with the number needed), add addresses, or remove some",
    },
    {
      name: "never",
      value: "SET",
      repeats: true,
      help: "a set whose addresses are never added; may be given several times",
    },
    { name: "allow-empty", help: "do not reject a file of --never without addresses" },
    {
      name: "log",
      value: "FILE",
      isPath: true,
      help: "a log of your own traffic: add or remove the addresses with the fewest lines in it",
    },
    ...LOG_OPTIONS,
    { name: "min-prefix-v4", value: "N", help: "added addresses never make an IPv4 prefix wider than /N; default: 8" },
    { name: "min-prefix-v6", value: "N", help: "added addresses never make an IPv6 prefix wider than /N; default: 19" },
    { name: "show-loss", help: "print the added or removed prefixes instead of the list" },
    { name: "format", value: "FORMAT", choices: PREFIX_FORMATS, help: `${PREFIX_FORMATS.join(", ")}; default: text` },
    SET_NAME_OPTION,
    ...SET_OPTIONS,
  ],
  notes: [
    ...SET_NOTES,
    "Without a log each address costs the same, and a /64 of IPv6 as much as an IPv4 address. The report says what was lost, and the least that any list of so many prefixes loses: equal if this one is the best. Services of the catalogue and special-purpose addresses among the added ones are named on standard error.",
    "Exit code: 0 if the list was printed, 2 after an error.",
  ],
  examples: [
    { command: "ipsieve sets fit blocklist.txt --entries 10000", what: "exactly, or an error" },
    {
      command: "ipsieve sets fit list.txt --entries 1000 --loss add --never own.txt",
      what: "the fewest addresses added",
    },
    {
      command: "ipsieve sets fit list.txt --entries 1000 --loss add --log access.log",
      what: "the fewest lines",
    },
  ],
  run,
};

async function run(args: Arguments): Promise<number> {
  const entries = args.value("entries");
  if (entries === undefined) throw new UsageError("give --entries N");
  const most = wholeNumber("entries", entries, MAX_ENTRIES, 1);
  const format = (args.value("format") as RuleExportFormat | undefined) ?? "text";
  const setName = setNameFor(args, format);
  const loss = (args.value("loss") ?? "none") as FitLoss;
  for (const option of ["never", "log", "min-prefix-v4", "min-prefix-v6"])
    if (args.has(option) && loss === "none") throw new UsageError(`--${option} needs --loss add or remove; add it`);
  const sets = new SetOperands(args, [...args.operands, ...args.values("never")]);
  const addresses = await sets.unionOf(args.operands);
  const log = args.value("log");
  const found = fitted(addresses, most, {
    loss,
    never: await sets.unionOf(args.values("never"), { protects: !args.has("allow-empty") }),
    shortest: { 4: lengthOf(args, "min-prefix-v4", 32, 8), 6: lengthOf(args, "min-prefix-v6", 128, 19) },
    ...(log !== undefined && {
      seen: countedAddresses((await countedLog(args, log, await openCatalogueSnapshot(defaultCatalogue()))).counts),
    }),
  });
  standardError().write(`${reportOf(found, log !== undefined)}\n`);
  if (!found.added.isEmpty) reportWarnings("the added addresses", await collateralOf(found.added, args));
  const lost = args.has("show-loss") ? [...found.added.prefixes(), ...found.removed.prefixes()] : undefined;
  await printChunks(
    exportRules(rulesOf(expressed(lost ?? found.prefixes, AddressSet.EMPTY, format)), format, { setName }),
  );
  return EXIT.matched;
}

/** Throws UsageError where the set does not fit. */
function fitted(...[addresses, most, options]: Required<Parameters<typeof fit>>): Fit {
  try {
    return fit(addresses, most, options);
  } catch (error) {
    throw error instanceof FitError ? new UsageError(`--entries ${most}: ${error.message}`) : error;
  }
}

/** What the added addresses would block that a blocklist should not. */
async function collateralOf(added: AddressSet, args: Arguments): Promise<readonly CollateralDocument[]> {
  const protection = protectionOf({ services: await openTree(args.value("snapshot")) });
  return collateralDocuments(findCollateral([...added.prefixes()], protection), "would block");
}

function lengthOf(args: Arguments, option: string, most: number, byDefault: number): number {
  const text = args.value(option);
  return text === undefined ? byDefault : wholeNumber(option, text, most, 0);
}

function reportOf({ prefixes, exactCount, added, removed, cost, bound }: Fit, isSeen: boolean): string {
  const list = `${counted(prefixes.length, "prefix", "prefixes")} for ${grouped(exactCount)}`;
  if (added.isEmpty && removed.isEmpty) return `${list}, exact`;
  const [what, set] = added.isEmpty ? (["removed", removed] as const) : (["added", added] as const);
  const widest = [...set.prefixes()].sort((a, b) => a.length - b.length)[0]!;
  const sizes = ([4, 6] as const)
    .filter((family) => set.size(family) > 0n)
    .map((family) => `${grouped(set.size(family))} IPv${family}`);
  const unit = isSeen ? "lines of the log" : "addresses";
  const proof =
    cost - bound < 1 ? "no list loses less" : `every list loses at least ${grouped(Math.floor(bound))} ${unit}`;
  const loss = `${sizes.join(" and ")} addresses ${what}${isSeen ? `, with ${grouped(Math.floor(cost))} lines of the log` : ""}`;
  return `${list}: ${loss}, most in ${formatPrefix(widest)}; ${proof}`;
}
