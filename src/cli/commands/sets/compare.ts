import type { AddressSet } from "../../../sets/address-set.ts";
import { ADDRESS_NOTE, ADDRESS_OPTIONS, addressesOf, nowOf } from "../../address-operand.ts";
import { type Arguments, type Command, EXIT } from "../../command.ts";
import { columnLines } from "../../output/columns.ts";
import { grouped } from "../../output/numbers.ts";
import { printChunks } from "../../output/print-chunks.ts";
import { styleFor } from "../../output/style.ts";

/** How the first set of two relates to the other. */
export type Relation = "equal" | "covers" | "within" | "overlaps" | "disjoint";

export const compareCommand: Command = {
  name: "sets compare",
  summary: "compare sets of addresses two by two: how they relate, and what they share",
  operands: "SET SET...",
  options: [
    { name: "json", help: "print one JSON document per pair, with exact numbers, as strings" },
    ...ADDRESS_OPTIONS,
  ],
  notes: [
    ADDRESS_NOTE,
    "Each pair is equal, covers (the first contains the second), within (the second contains the first), overlaps, or disjoint. The table shows, for each family, how many addresses the two share, and what part of each set that is. Two empty sets are equal.",
    "Exit code: 0 if any two sets share an address, 1 if none do, 2 after an error.",
  ],
  examples: [
    { command: "ipsieve sets compare spamhaus.txt firehol.txt feodo.txt", what: "how much do the lists overlap?" },
    { command: "ipsieve sets compare blocklist.txt cbs:/cloud/aws", what: "how much of AWS would be blocked?" },
  ],
  run,
};

interface NamedSet {
  readonly name: string;
  readonly addresses: AddressSet;
}

async function run(args: Arguments): Promise<number> {
  const now = nowOf(args);
  const sets: NamedSet[] = [];
  for (const name of args.operands) sets.push({ name, addresses: await addressesOf(args, name, now) });
  const pairs = sets.flatMap((first, at) => sets.slice(at + 1).map((second) => compared(first, second)));
  await printChunks(args.has("json") ? pairs.map((pair) => `${JSON.stringify(documentOf(pair))}\n`) : [tableOf(pairs)]);
  const isShared = pairs.some(({ families }) => families.some(({ shared }) => shared > 0n));
  return isShared ? EXIT.matched : EXIT.nothing;
}

interface Comparison {
  readonly first: string;
  readonly second: string;
  readonly relation: Relation;
  readonly families: readonly { readonly first: bigint; readonly second: bigint; readonly shared: bigint }[];
}

function compared({ name: first, addresses: a }: NamedSet, { name: second, addresses: b }: NamedSet): Comparison {
  const shared = a.intersection(b);
  const families = ([4, 6] as const).map((family) => ({
    first: a.size(family),
    second: b.size(family),
    shared: shared.size(family),
  }));
  return { first, second, relation: relationOf(a, b, shared), families };
}

function relationOf(a: AddressSet, b: AddressSet, shared: AddressSet): Relation {
  if (a.equals(b)) return "equal";
  if (shared.isEmpty) return "disjoint";
  if (shared.equals(b)) return "covers";
  return shared.equals(a) ? "within" : "overlaps";
}

function documentOf({ first, second, relation, families }: Comparison): object {
  const [ipv4, ipv6] = families.map((family) => ({
    first: String(family.first),
    second: String(family.second),
    shared: String(family.shared),
  }));
  return { first, second, relation, ipv4, ipv6 };
}

function tableOf(pairs: readonly Comparison[]): string {
  const head = ["first", "relation", "second", "family", "shared addresses", "of first", "of second"];
  return columnLines([head, ...pairs.flatMap(rowsOf)], NUMBERS, styleFor(process.stdout))
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

/** A share in per cent, exact to the digits shown. */
function part(shared: bigint, all: bigint): string {
  if (all === 0n) return "-";
  const hundredths = (shared * 10_000n) / all;
  if (shared > 0n && hundredths === 0n) return "< 0.01 %";
  return `${hundredths / 100n}.${String(hundredths % 100n).padStart(2, "0")} %`;
}
