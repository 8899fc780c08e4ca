/**
 * `node bench/fit/fit.ts LIST...`: for lists of prefixes, how many addresses `fit` adds to make them a half, a tenth and
 * a hundredth as long, and how many two greedy ways add. Without lists: how long 1,000,000 prefixes take, in milliseconds
 * of processor time, median and (minimum).
 */
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import type { Prefix } from "../../src/address/address.ts";
import { parsePrefix } from "../../src/address/prefix.ts";
import { coverTree } from "../../src/sets/_cover-tree.ts";
import { AddressSet } from "../../src/sets/address-set.ts";
import { fit, FitError, type FitOptions } from "../../src/sets/fit.ts";
import { finished } from "../../src/turns/finished.ts";
import { joinedGreedily } from "./greedy.ts";

const SHORTEST = { 4: 8, 6: 19 } as const;
const ROUNDS = 5;

const lists = process.argv.slice(2);
if (lists.length > 0) compare(lists);
else measure();

function compare(paths: readonly string[]): void {
  console.log("| list | prefixes | to | `fit` | proven least | pair | share |\n|---|---|---|---|---|---|---|");
  for (const path of paths) {
    const set = AddressSet.of(prefixesIn(path));
    const exact = [...set.prefixes()];
    for (const part of [2, 10, 100]) {
      const most = Math.floor(exact.length / part);
      if (most > 0) console.log(rowOf(basename(path), set, exact, most));
    }
  }
}

/** The first field of each line that is a prefix or an address. */
function* prefixesIn(path: string): Generator<Prefix> {
  for (const line of readFileSync(path, "utf8").split("\n")) {
    const [text = ""] = line.split(/[\s#;,]/);
    if (text !== "") yield parsePrefix(text);
  }
}

function rowOf(name: string, set: AddressSet, exact: readonly Prefix[], most: number): string {
  const trees = ([4, 6] as const)
    .map((family) => exact.filter((prefix) => prefix.family === family))
    .filter((leaves) => leaves.length > 0)
    .map((leaves) => finished(coverTree(leaves, { ofAddress: 1, weights: [], shortest: SHORTEST })));
  const greedy = (["pair", "share"] as const).map((greed) => {
    const { count, cost } = joinedGreedily(trees, most, greed);
    return count > most ? `${count} entries` : grouped(cost);
  });
  try {
    const { cost, bound } = fit(set, most, { loss: "add", shortest: SHORTEST });
    return `| ${[name, grouped(exact.length), grouped(most), grouped(cost), grouped(bound), ...greedy].join(" | ")} |`;
  } catch (error) {
    if (error instanceof FitError) return `| ${name} | ${exact.length} | ${most} | at least ${error.fewest} |  |  |  |`;
    throw error;
  }
}

function grouped(number: number): string {
  return Math.floor(number).toLocaleString("en-GB");
}

function measure(): void {
  let state = 20_261_124;
  const random = (): number => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
  const host = (): number => Math.floor(0x01000000 + random() * 0xde000000);
  const four = (w0: number, length: number): Prefix => ({ family: 4, w0: w0 >>> 0, w1: 0, w2: 0, w3: 0, length });
  // 10,000 networks apart from each other, each in 100 pieces that unite to it, in no order.
  const pieces = Array.from({ length: 10_000 }, (_, at) => 0x01000000 + at * 0x2000).flatMap((from) => [
    ...Array.from({ length: 28 }, (_each, piece) => four(from + piece * 64, 26)),
    ...Array.from({ length: 72 }, (_each, piece) => four(from + 28 * 64 + piece * 32, 27)),
  ]);
  for (let at = pieces.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1));
    [pieces[at], pieces[other]] = [pieces[other]!, pieces[at]!];
  }
  const hosts = AddressSet.of(Array.from({ length: 1_000_000 }, () => four(host(), 32)));
  const seen = Array.from({ length: 100_000 }, () => [four(host(), 32), Math.ceil(random() * 100)] as const);
  console.log(`${pieces.length} pieces`);
  time("without loss, to 10,000: the set and the fit", () => fit(AddressSet.of(pieces), 10_000));
  const set = AddressSet.of(pieces);
  time("without loss, to 10,000: the fit alone", () => fit(set, 10_000));
  const lossy: [string, FitOptions][] = [
    ["addresses added", { loss: "add" }],
    ["by a log of 100,000 other addresses", { loss: "add", seen }],
    ["prefixes left out", { loss: "remove" }],
  ];
  for (const [name, options] of lossy)
    time(`1,000,000 addresses to 10,000, ${name}`, () => fit(hosts, 10_000, options));
}

function time(name: string, work: () => unknown): void {
  const all = Array.from({ length: ROUNDS }, () => {
    const start = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000;
  }).sort((one, other) => one - other);
  console.log(`${name}: ${all[ROUNDS >> 1]!.toFixed(0)} (${all[0]!.toFixed(0)}) ms`);
}
