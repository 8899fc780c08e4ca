import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseAddress } from "../../src/address/parse-address.ts";
import { identify as identifyLines } from "../../src/batch/identify.ts";
import { Catalogue } from "../../src/cbs/catalogue.ts";
import { CatalogueTree, ROOT } from "../../src/cbs/catalogue-tree.ts";
import { identifyText } from "../../src/cbs/identify.ts";
import { importCatalogue } from "../../src/cbs/import-catalogue.ts";
import { SearchIndex } from "../../src/cbs/search.ts";
import { BUNDLED_CATALOGUE } from "../../src/datasets/open-catalogue.ts";
import { CATALOGUE_RENDERER } from "../../src/datasets/catalogue-renderer.ts";
import { openSnapshot } from "../../src/snapshot/open-snapshot.ts";
import { writeSnapshot } from "../../src/snapshot/write-snapshot.ts";
import { freeze } from "../../src/table/freeze.ts";
import { oracleFormat } from "../../test/oracle/address-oracle.ts";
import type { Named } from "../../test/oracle/identify-oracle.ts";
import { compareIdentify, namedPrefixes, NO_COUNTS, oracleOf } from "../../test/cbs/identify-differential.ts";
import { cachePath } from "../data/cache.ts";
import { readPublishedLists } from "../data/published-lists.ts";
import { Random } from "../data/random.ts";
import { collectGarbage, type Measurement, type Part, summarize } from "./part.ts";
import { searchQueries } from "./search-queries.ts";
import { run } from "./whole-command.ts";

const SEED = 1;
const ROUNDS = 15;
const WARM_UP = 3;
const CHECKED = 3000;
const QUERIES = 4000;
const ADDRESS = "52.94.76.9";
const SAMPLE = fileURLToPath(new URL("../../data/sample.log", import.meta.url));

/** From the file to the first answer. */
export async function openAndAnswer(path: string): Promise<Catalogue> {
  const snapshot = await openSnapshot(path);
  const catalogue = new Catalogue(snapshot.metadata, snapshot.table);
  if (!identifyText(catalogue, ADDRESS).found) throw new Error(`the catalogue of published lists knows ${ADDRESS}`);
  return catalogue;
}

/**
 * The catalogue of all published lists: building, opening, identifying, counting, searching. Its documents are held to
 * the linear oracle first, and what is timed must give the same sums as the lookups that it is compared with.
 */
export const part: Part = async () => {
  const lists = readPublishedLists();
  const path = cachePath("catalogue.ipsieve");
  const { measurements, named, bytes } = await build(lists, path);
  const catalogue = await openAndAnswer(path);
  compareIdentify(
    (text) => identifyText(catalogue, text),
    named,
    oracleOf(named, catalogue),
    new Random(SEED),
    CHECKED,
    { ...NO_COUNTS },
  );
  measurements.push(
    ...(await opening(path)),
    ...identifying(catalogue, "lines of the sample log", sampleAddresses()),
    ...identifying(catalogue, "addresses of 1,000 prefixes", addressesOf(named, 1000)),
    ...identifying(catalogue, "addresses of all prefixes", addressesOf(named, named.length)),
    ...counting(catalogue),
    ...searching(catalogue, named),
    ...(await sampleLog(path)),
  );
  const { table, nodeCount } = catalogue;
  const notes = [
    `catalogue: ${named.length} prefixes in ${nodeCount} nodes, ${table.matchCount} matches, a snapshot of ${bytes} bytes; ${CHECKED} documents equal the oracle's`,
  ];
  return { measurements, refusals: [], notes };
};

async function build(
  lists: ReadonlyMap<string, string>,
  path: string,
): Promise<{ measurements: Measurement[]; named: Named[]; bytes: number }> {
  const samples: number[][] = [[], [], []];
  for (let round = 1; ; round++) {
    collectGarbage();
    const times = [performance.now()];
    const { trie, metadata } = importCatalogue((list) => lists.get(list), {
      title: "Published lists",
      createdAt: new Date(),
    });
    times.push(performance.now());
    const table = freeze(trie);
    times.push(performance.now());
    const { byteLength } = await writeSnapshot(path, { table, metadata, kind: "catalogue" });
    times.push(performance.now());
    samples.forEach((sample, step) => sample.push(times[step + 1]! - times[step]!));
    if (round < 5) continue;
    const measurements = ["import", "freeze", "write"].map((subject, step): Measurement => ({
      subject,
      unit: "ms",
      ...summarize(samples[step]!),
    }));
    return { measurements, named: namedPrefixes(trie, new Catalogue(metadata, table)), bytes: byteLength };
  }
}

/** In a fresh process; and again in this one, back to back, because starting another process cools its caches. */
async function opening(path: string): Promise<Measurement[]> {
  const script = fileURLToPath(new URL("./open-catalogue-once.ts", import.meta.url));
  const once = Array.from({ length: ROUNDS }, () => Number(run(process.execPath, [script, path], "stdout").stdout));
  const again: number[] = [];
  for (let round = 0; round < ROUNDS + WARM_UP; round++) {
    const start = performance.now();
    await openAndAnswer(path);
    if (round >= WARM_UP) again.push(performance.now() - start);
  }
  return [
    { subject: "open to the first answer, once", unit: "ms", ...summarize(once) },
    { subject: "open to the first answer, again", unit: "ms", ...summarize(again) },
  ];
}

function sampleAddresses(): string[] {
  return readFileSync(SAMPLE, "utf8")
    .split("\n")
    .map((line) => line.split(" ")[0]!)
    .filter((text) => /^[0-9a-f.:]*[.:][0-9a-f.:]+$/i.test(text));
}

/** One each of so many prefixes, 20,000 in random order. */
function addressesOf(named: readonly Named[], prefixes: number): string[] {
  const random = new Random(SEED);
  const chosen = Array.from({ length: prefixes }, () => named[random.below(named.length)]!);
  return Array.from({ length: 20_000 }, () => {
    const { first, length } = chosen[random.below(prefixes)]!;
    return oracleFormat(first + (BigInt(random.word()) % (1n << BigInt(128 - length))));
  });
}

/**
 * From words to the nodes that cover an address, and from text to its document, each in turns with the bare lookup of
 * the same.
 */
function identifying(catalogue: Catalogue, what: string, texts: readonly string[]): Measurement[] {
  const { table } = catalogue;
  const addresses = texts.map(parseAddress);
  const sizes = new Map(texts.map((text) => [table.lookup(text), catalogue.nodesOf(table.lookup(text)).length]));
  const found = texts.reduce((sum, text) => sum + sizes.get(table.lookup(text))!, 0);
  const matches = texts.reduce((sum, text) => sum + table.lookup(text), 0);
  const runs: [subject: string, sum: number, act: () => number][] = [
    ["lookup of words", matches, () => addresses.reduce((sum, address) => sum + table.lookupAddress(address), 0)],
    [
      "nodes of words",
      found,
      () => addresses.reduce((sum, address) => sum + catalogue.nodesOf(table.lookupAddress(address)).length, 0),
    ],
    ["lookup of text", matches, () => texts.reduce((sum, text) => sum + table.lookup(text), 0)],
    ["nodes of text", found, () => texts.reduce((sum, text) => sum + catalogue.nodesOf(table.lookup(text)).length, 0)],
    [
      "document of text",
      found,
      () => texts.reduce((sum, text) => sum + identifyText(catalogue, text).cbs_ids.length, 0),
    ],
  ];
  const samples = runs.map((): number[] => []);
  for (let round = 0; round < ROUNDS + WARM_UP; round++) {
    runs.forEach(([subject, sum, act], i) => {
      const start = performance.now();
      const got = act();
      const nanoseconds = ((performance.now() - start) * 1e6) / texts.length;
      if (got !== sum) throw new Error(`${subject}: ${what}: the sum is ${got} instead of ${sum}`);
      if (round >= WARM_UP) samples[i]!.push(nanoseconds);
    });
  }
  return runs.map(([subject], i): Measurement => ({
    subject: `${subject}, ${what}`,
    unit: "ns/lookup",
    ...summarize(samples[i]!),
  }));
}

/** The first counts of a node; each round has a tree of its own. */
function counting(catalogue: Catalogue): Measurement[] {
  const expected = catalogue.table.prefixCount(4);
  const read: number[] = [];
  const counts: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const tree = new CatalogueTree(catalogue);
    collectGarbage();
    const start = performance.now();
    for (const family of [4, 6] as const) tree.prefixes(family);
    const middle = performance.now();
    if (tree.extent(ROOT).ipv4_count !== expected)
      throw new Error(`the tree counts ${tree.extent(ROOT).ipv4_count} IPv4 prefixes of ${expected}`);
    read.push(middle - start);
    counts.push(performance.now() - start);
  }
  return [
    { subject: "reading all prefixes", unit: "ms", ...summarize(read) },
    { subject: "first counts, prefixes read", unit: "ms", ...summarize(counts) },
  ];
}

/** Percentiles of single searches, one of each per round. */
function searching(catalogue: Catalogue, named: readonly Named[]): Measurement[] {
  const start = performance.now();
  const index = new SearchIndex(catalogue);
  const built = performance.now() - start;
  const queries = searchQueries(catalogue, named, new Random(SEED), QUERIES);
  const percentiles: [subject: string, share: number, samples: number[]][] = [
    ["search p50", 0.5, []],
    ["search p99", 0.99, []],
    ["search slowest", 1, []],
  ];
  for (let round = 0; round < ROUNDS; round++) {
    collectGarbage();
    const times = queries.map((query) => {
      const before = performance.now();
      index.search(query);
      return performance.now() - before;
    });
    times.sort((a, b) => a - b);
    for (const [, share, samples] of percentiles) samples.push(times[Math.ceil(share * times.length) - 1]!);
  }
  return [
    { subject: "search index", unit: "ms", ...summarize([built]) },
    ...percentiles.map(([subject, , samples]): Measurement => ({ subject, unit: "ms", ...summarize(samples) })),
  ];
}

/** The sample log from opened snapshot to rows, with this catalogue and with the bundled one. */
async function sampleLog(path: string): Promise<Measurement[]> {
  const subjects = { "the full catalogue": path, "the bundled catalogue": BUNDLED_CATALOGUE };
  const measurements: Measurement[] = [];
  for (const [subject, catalogue] of Object.entries(subjects)) {
    const snapshot = await openSnapshot(catalogue);
    const samples: number[] = [];
    for (let round = 0; round < ROUNDS + WARM_UP; round++) {
      const start = performance.now();
      const { lines } = await identifyLines({
        inputs: [SAMPLE],
        snapshot,
        format: "tsv",
        renderer: CATALOGUE_RENDERER,
        output: { path: cachePath("sample.tsv") },
      });
      if (lines !== 2000) throw new Error(`${lines} lines of the sample log`);
      if (round >= WARM_UP) samples.push(performance.now() - start);
    }
    measurements.push({ subject: `identify sample.log, ${subject}`, unit: "ms", ...summarize(samples) });
  }
  return measurements;
}
