import type { AddressSet } from "../../../sets/address-set.ts";
import { type RelatedPair, relating, type Relation, type Relations } from "../../../sets/relate.ts";
import { finished } from "../../../turns/finished.ts";
import { type Arguments, type Command, EXIT } from "../../runner/command.ts";
import { columnLines } from "../../output/columns.ts";
import { grouped } from "../../../words/numbers.ts";
import { printChunks } from "../../output/print-chunks.ts";
import { styleFor } from "../../output/style.ts";
import { SET_NOTES, SET_OPTIONS, SetOperands } from "../../address-sets/set-operands.ts";

export const compareCommand: Command = {
  name: "sets compare",
  summary: "compare sets of addresses pair by pair: how they relate, and what they share",
  operands: "SET SET...",
  options: [
    {
      name: "json",
      help: "print one JSON document per pair, then one per set if there are three or more, with exact numbers, as strings",
    },
    ...SET_OPTIONS,
  ],
  notes: [
    ...SET_NOTES,
    "Each pair is equal, covers (the first contains the second), within (the second contains the first), overlaps, or disjoint. The table shows, for each family, how many addresses the two share, and what part of each set that is. Two empty sets are equal. For three or more sets, a second table shows the addresses that only one of them has; a set without any adds nothing to the others.",
    "Exit code: 0 if any two sets share an address, 1 if none do, 2 after an error.",
  ],
  examples: [
    { command: "ipsieve sets compare spamhaus.txt firehol.txt feodo.txt", what: "how much do the lists overlap?" },
    { command: "ipsieve sets compare blocklist.txt cbs:/cloud/aws", what: "how much of AWS would be blocked?" },
  ],
  run,
};

async function run(args: Arguments): Promise<number> {
  const names = args.operands;
  const operands = new SetOperands(args, names);
  const sets: AddressSet[] = [];
  for (const name of names) sets.push(await operands.addressesOf(name));
  const relations = finished(relating(sets));
  const pairs = relations.pairs.map((pair) => comparisonOf(pair, names, relations));
  const hasOnly = names.length > 2;
  if (args.has("json")) {
    const documents = [...pairs.map(documentOf), ...(hasOnly ? onlyDocumentsOf(names, relations) : [])];
    await printChunks(documents.map((document) => `${JSON.stringify(document)}\n`));
  } else await printChunks([tableOf(pairs), ...(hasOnly ? [onlyTableOf(names, relations)] : [])]);
  return relations.pairs.some(({ shared }) => shared[4] + shared[6] > 0n) ? EXIT.matched : EXIT.nothing;
}

interface Comparison {
  readonly first: string;
  readonly second: string;
  readonly relation: Relation;
  readonly families: readonly { readonly first: bigint; readonly second: bigint; readonly shared: bigint }[];
}

function comparisonOf(
  { first, second, relation, shared }: RelatedPair,
  names: readonly string[],
  { sets }: Relations,
): Comparison {
  const families = FAMILIES.map((family) => ({
    first: sets[first]!.size[family],
    second: sets[second]!.size[family],
    shared: shared[family],
  }));
  return { first: names[first]!, second: names[second]!, relation, families };
}

const FAMILIES = [4, 6] as const;

function documentOf({ first, second, relation, families }: Comparison): object {
  const [ipv4, ipv6] = families.map((family) => ({
    first: String(family.first),
    second: String(family.second),
    shared: String(family.shared),
  }));
  return { first, second, relation, ipv4, ipv6 };
}

function onlyDocumentsOf(names: readonly string[], { sets }: Relations): object[] {
  return sets.map(({ size, only }, at) => {
    const [ipv4, ipv6] = FAMILIES.map((family) => ({ size: String(size[family]), only: String(only[family]) }));
    return { set: names[at]!, ipv4, ipv6 };
  });
}

function tableOf(pairs: readonly Comparison[]): string {
  const head = ["first", "relation", "second", "family", "shared addresses", "of first", "of second"];
  return columnLines([head, ...pairs.flatMap(rowsOf)], NUMBERS, styleFor(process.stdout))
    .map((line) => `${line}\n`)
    .join("");
}

/** What each set has that no other has: nothing if a list adds nothing to the others. */
function onlyTableOf(names: readonly string[], { sets }: Relations): string {
  const rows = sets.flatMap(({ size, only }, at) =>
    FAMILIES.filter((family) => size[family] > 0n).map((family) => [
      names[at]!,
      `IPv${family}`,
      grouped(only[family]),
      part(only[family], size[family]),
    ]),
  );
  return columnLines(
    [["set", "family", "only in this set", "of the set"], ...rows],
    ONLY_NUMBERS,
    styleFor(process.stdout),
  )
    .map((line) => `${line}\n`)
    .join("");
}

/** One for each family that a set has addresses of. */
function rowsOf({ first, second, relation, families }: Comparison): string[][] {
  const rows = families.flatMap((family, at) =>
    family.first === 0n && family.second === 0n
      ? []
      : [
          [
            at === 0 ? "IPv4" : "IPv6",
            grouped(family.shared),
            part(family.shared, family.first),
            part(family.shared, family.second),
          ],
        ],
  );
  // Two empty sets are equal, too.
  if (rows.length === 0) rows.push(["-", "0", "-", "-"]);
  return rows.map((row) => [first, relation, second, ...row]);
}

/** The right-aligned columns. */
const NUMBERS: ReadonlySet<number> = new Set([4, 5, 6]);
const ONLY_NUMBERS: ReadonlySet<number> = new Set([2, 3]);

/** A share in per cent, exact to the digits shown. */
function part(shared: bigint, all: bigint): string {
  if (all === 0n) return "-";
  const hundredths = (shared * 10_000n) / all;
  if (shared > 0n && hundredths === 0n) return "< 0.01 %";
  return `${hundredths / 100n}.${String(hundredths % 100n).padStart(2, "0")} %`;
}
